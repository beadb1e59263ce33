/** Error codes of a full or read-only disk, and of a folder in place of a file or a file in place of a folder. */
const OF_FILES = new Set([
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'ENAMETOOLONG', 'ELOOP'],
  ...['EISDIR', 'ERR_FS_EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'EINVAL', 'EBUSY'],
])

/** Is it an error of the file system, and not of our code? */
export function isOfFiles(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall !== undefined && OF_FILES.has(code ?? '')
}

/** System calls that only read, and errors of others that only a write has. */
const READING = new Set(['stat', 'lstat', 'fstat', 'statfs', 'read', 'scandir', 'opendir'])
const OF_WRITING = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'])

/** What an error of the file system prevented: `open` is called for both. */
export function actOf({ syscall = '', code = '' }: NodeJS.ErrnoException): string {
  if (READING.has(syscall)) return 'read'
  return syscall === 'open' && !OF_WRITING.has(code) ? 'read or written' : 'written'
}
