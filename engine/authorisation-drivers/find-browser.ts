import { delimiter, join } from 'node:path'
import type { TargetDocument } from '../configuration/target.ts'
import { findProgram, isProgram } from '../record/find-program.ts'

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
]

const PLACES: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: ['/usr/bin', '/usr/local/bin', '/snap/bin'].flatMap((dir) =>
    NAMES.map((name) => join(dir, name)),
  ),
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => {
    const dir = process.env[name]
    if (!dir) return []
    return [
      join(dir, 'Google\\Chrome\\Application\\chrome.exe'),
      join(dir, 'Chromium\\Application\\chrome.exe'),
      join(dir, 'Microsoft\\Edge\\Application\\msedge.exe'),
    ]
  }),
}

/**
 * Finds the machine's Chromium, Chrome or Edge: on the PATH, then where installers put it.
 *
 * @returns undefined if there is none.
 */
export function findBrowser(): string | undefined {
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((dir) => dir !== '')
    .flatMap((dir) => NAMES.map((name) => join(dir, name)))
  return [...onPath, ...(PLACES[process.platform] ?? [])].find(isProgram)
}

/**
 * What the target's driver needs and does not find, with the fix; undefined if nothing is missing. Nothing is sent or
 * started to find out.
 *
 * @param base folder of the target file
 */
export function driverProblem(target: TargetDocument, base: string): string | undefined {
  const { driver, steps, command, executable } = target.authorisation
  const say = (what: string) => `${target.name}: authorisation: ${what}`
  if (driver === 'browser') {
    if (!steps) return say('has no steps. The driver browser needs them.')
    if (executable !== undefined && !findProgram(executable, base)) {
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
