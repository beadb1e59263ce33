import { spawn } from 'node:child_process'

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens a page where the user reads pages; where nothing can, its path stands on the terminal anyway. */
export function openPage(path: string): void {
  const [command = 'xdg-open', ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...words, path], { stdio: 'ignore', detached: true })
  child.on('error', () => console.error(`${command} is not there to open ${path}.`))
  child.unref()
}
