import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it. Node's own `recursive` tries for ever where a file system says
 * that the folder above, which is there, is not: /proc does.
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
