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
