import { execFile } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

export const root = resolve(import.meta.dirname, '..', '..')

/** What `COPY . .` of the Containerfile leaves out. */
const ignored = readFileSync(join(root, '.containerignore'), 'utf8').split('\n').filter(Boolean)

/** Copies the project as a builder of images would, into a folder that does not exist yet. */
export function copyProject(to: string): void {
  cpSync(root, to, {
    recursive: true,
    filter(source) {
      const [top = ''] = relative(root, source).split(sep)
      return !ignored.includes(top) && !top.endsWith('.tgz')
    },
  })
}

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** Runs a program to its end, whatever its exit code. */
export function run(
  program: string,
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Ended> {
  // What the surrounding npm and the surrounding job told us is not told to a stranger.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|GITHUB_|ASSAY_|VITEST|NODE_ENV$|CI$)/i.test(name),
  )
  const whole = { ...Object.fromEntries(inherited), npm_config_prefer_offline: 'true', ...env }
  return new Promise((done) => {
    execFile(program, args, { cwd, env: whole, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0
      done({ code, stdout, stderr })
    })
  })
}
