import { renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Writes a file atomically: to a temporary file beside it, which is then renamed.
 *
 * @throws the error of the file system; the previous file then stays in place.
 */
export function writeWhole(file: string, content: string | Uint8Array, mode?: number): void {
  const beside = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(beside, content, { mode })
    renameSync(beside, file)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
