import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** The file that a command would run, found in the way spawn finds it from this folder; undefined: there is none. */
export function findProgram(name: string, base: string): string | undefined {
  if (/[\\/]/.test(name)) return [resolve(base, name)].find(isProgram)
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

/** True if this path is a program. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
