import { delimiter, join, resolve } from 'node:path'
import { runs } from '../authorisation-drivers/find-browser.ts'

/** The file that a command would run, looked for as spawn does from this folder. */
export function program(
  name: string,
  base: string,
  path: string = process.env.PATH ?? '',
): string | undefined {
  if (/[\\/]/.test(name)) return [resolve(base, name)].find(runs)
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(runs)
}
