import { renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Writes a file so that it is never half there: beside its place, then moved to it.
 *
 * @throws the error of the file system; then what was there before is there still.
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
