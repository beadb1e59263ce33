import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

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
 * The machine's Chromium, Chrome or Edge: on the PATH, then where installers put it.
 *
 * @returns undefined when there is none.
 */
export function findBrowser(): string | undefined {
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((dir) => dir !== '')
    .flatMap((dir) => NAMES.map((name) => join(dir, name)))
  return [...onPath, ...(PLACES[process.platform] ?? [])].find(runs)
}

/** Whether this path is a program. */
export function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
