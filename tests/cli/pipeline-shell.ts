import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { main } from '../built.ts'

/** The examples of pages for pipelines, run literally: what a step says, and a shell in which npm and npx are ours. */

/** A step of a job of GitHub Actions. */
export interface Step {
  name?: string
  uses?: string
  run?: string
  if?: string
  env?: Record<string, string>
  with?: Record<string, string>
}

/**
 * Programs for the path of a job: npm, which has installed everything, and npx, which begins our own command line.
 *
 * @param adapt lines of shell that change the words behind `assay`.
 */
export function writePrograms(bin: string, adapt: string): void {
  const npx = `#!/bin/sh\nshift\n${adapt}exec "${process.execPath}" "${main}" "$@"\n`
  writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 })
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\n[ "$1" = ci ]\n', { mode: 0o755 })
}

/** As pipelines run a script: bash that stops at the first failure; its exit code. */
export function shell(
  script: string,
  { cwd, bin, env = {} }: { cwd: string; bin: string; env?: Record<string, string> },
): Promise<number> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_ENV$|GITHUB_)/.test(name),
  )
  const all = { ...Object.fromEntries(inherited), ...env, PATH: `${bin}:${process.env.PATH}` }
  return new Promise((done) => {
    execFile('bash', ['-eo', 'pipefail', '-c', script], { cwd, env: all }, (error) => {
      done(error === null ? 0 : Number(error.code))
    })
  })
}
