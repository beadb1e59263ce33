import { delimiter, join, resolve } from 'node:path'
import { runs } from '../authorisation-drivers/find-browser.ts'
import { type Finding, wrong } from './finding.ts'

/** The file that a command would run, looked for as spawn does from this folder. */
export function program(name: string, base: string): string | undefined {
  if (/[\\/]/.test(name)) return [resolve(base, name)].find(runs)
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find(runs)
}

/** A program that a target names and this machine does not have. */
export function noProgram(name: string, member: string): Finding {
  const mend = `Correct ${member}; a path is relative to the target file.`
  return wrong('configuration', `there is no program ${name}`, mend)
}
