import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** Maximum size, in bytes, of a file that somebody writes by hand, including pasted content. */
export const LARGEST_FILE = 512 * 1024

/**
 * Reads a file that a person wrote: a plain file of limited size. Any other file could make a run wait for ever or fill
 * its memory.
 *
 * @throws Error of the file system; code EFBIG or ENOTSUP where it is too large or not plain.
 */
export function readPlain(file: string, largest: number = LARGEST_FILE): Buffer {
  // Without O_NONBLOCK, opening a FIFO without a writer would block.
  const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(opened)
    if (stats.isDirectory()) throw problem('EISDIR', 'it is a folder')
    if (!stats.isFile()) throw problem('ENOTSUP', 'it is not a plain file')
    if (stats.size > largest) throw problem('EFBIG', `it is larger than ${largest} bytes`)
    return readFileSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** The text of such a file, without a byte order mark. */
export function readText(file: string): string {
  return withoutMark(readPlain(file).toString('utf8'))
}

/** A text without the byte order mark that editors of Windows write before UTF-8. */
export const withoutMark = (text: string) => text.replace(/^\ufeff/, '')

/** True if a file begins with a byte order mark of UTF-16, as editors and shells of Windows write it. */
export const isUtf16 = (bytes: Buffer) => /^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2))

function problem(code: string, words: string): NodeJS.ErrnoException {
  return Object.assign(new Error(words), { code })
}
