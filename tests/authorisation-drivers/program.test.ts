import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { run } from '../../engine/authorisation-drivers/program.ts'

/** Processes that were started with this word. */
function alive(word: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word)
    } catch {
      return false
    }
  })
}

const LEFT: [what: string, seconds: string, script: string][] = [
  ['a process of its group', '711.1', 'sleep 711.1 & exit 0'],
  ['a session of its own', '711.2', 'setsid sleep 711.2 & sleep 0.2; exit 0'],
  [
    'one that another forked, with its output closed',
    '711.3',
    "setsid sh -c 'sleep 711.3 >/dev/null 2>&1 &' & sleep 0.2; exit 0",
  ],
  ['a session, and the program does not end', '711.4', 'setsid sleep 711.4 & sleep 100'],
]

test.runIf(process.platform === 'linux').each(LEFT)(
  'what a program left behind ends with it: %s',
  async (_, seconds, script) => {
    const command = ['/bin/sh', '-c', script]
    const ran = await run({ command, base: tmpdir(), patience: 2000, env: {} })
    expect(ran.ended).toMatch(/^exited$|^did not end within 2 s$/)
    await expect.poll(() => alive(`sleep\0${seconds}`)).toEqual([])
  },
)

const UNSTARTED: [what: string, command: string[], why: string][] = [
  [
    'below a file',
    [`${process.execPath}/x`],
    'its path goes through a file as if it were a folder',
  ],
  [
    'with a very long argument',
    ['/bin/echo', 'x'.repeat(4_000_000)],
    'its arguments are too long for this system',
  ],
  [
    'with a NUL in a token',
    ['/bin/echo', 'canary\0token'],
    'its name is empty, or an argument contains a NUL character',
  ],
]

test.runIf(process.platform === 'linux').each(UNSTARTED)(
  'a program %s is not started, and its caller is told why',
  async (_, command, why) => {
    const ran = await run({ command, base: tmpdir(), patience: 2000, env: {} })
    expect(ran).toEqual({
      ended: `cannot be started: ${why}`,
      code: null,
      stdout: '',
      stderr: '',
    })
  },
)
