import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and its parents. Node's own `recursive` retries for ever where a file system, such as /proc, reports
 * that an existing parent folder does not exist.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) {
    if (statSync(folder).isDirectory()) return
    throw Object.assign(new Error(`${folder} is a file`), { code: 'ENOTDIR' })
  }
  const above = dirname(folder)
  if (above !== folder) makeFolder(above, mode)
  mkdirSync(folder, { mode })
}
