import type { TargetDocument } from '../configuration/target.ts'
import { findBrowser, runs } from './find-browser.ts'

/**
 * What the target's driver needs and does not find, with the mend; undefined when all is there.
 * Nothing is sent or started to find out.
 */
export function driverProblem(target: TargetDocument): string | undefined {
  const { driver, steps, command, executable } = target.authorisation
  const say = (what: string) => `${target.name}: authorisation: ${what}`
  if (driver === 'browser') {
    if (!steps) return say('has no steps. The driver browser needs them.')
    if (executable !== undefined && !runs(executable)) {
      return say(`the executable ${executable} cannot be run. Name a Chromium, Chrome or Edge.`)
    }
    if (executable === undefined && findBrowser() === undefined) {
      return say('no Chromium, Chrome or Edge was found. Install one, or name its executable.')
    }
  }
  if (driver === 'command' && !command?.[0]) {
    return say('has no command. The driver command needs a program that gets the link.')
  }
  return undefined
}
