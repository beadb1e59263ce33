import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { scriptTrouble } from '../authorisation-drivers/program.ts'
import { findProgram } from '../record/find-program.ts'
import { type DoctorFinding, wrong } from './finding.ts'

/** Why a program that the target names cannot be started on this machine; undefined if it can. */
export function programProblem(
  name: string,
  base: string,
  member: string,
): DoctorFinding | undefined {
  const file = findProgram(name, base)
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
