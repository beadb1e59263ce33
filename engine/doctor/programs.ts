import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { runs } from '../authorisation-drivers/find-browser.ts'
import { scriptTrouble } from '../authorisation-drivers/program.ts'
import { type DoctorFinding, wrong } from './finding.ts'

/** The file that a command would run, found in the way spawn finds it from this folder. */
export function program(name: string, base: string): string | undefined {
  if (/[\\/]/.test(name)) return [resolve(base, name)].find(runs)
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find(runs)
}

/** Why a program that the target names cannot be started on this machine; undefined if it can. */
export function programProblem(
  name: string,
  base: string,
  member: string,
): DoctorFinding | undefined {
  const file = program(name, base)
  if (file !== undefined) {
    const trouble = scriptTrouble(file)
    if (trouble === undefined) return undefined
    return wrong('configuration', `${name} cannot be started: ${trouble}`, 'Correct that line.')
  }
  if (/[\\/]/.test(name) && existsSync(resolve(base, name))) {
    return wrong('configuration', `${name} is not executable`, `Allow it: chmod +x ${name}.`)
  }
  const mend = `Correct ${member}; a path is relative to the target file.`
  return wrong('configuration', `there is no program ${name}`, mend)
}
