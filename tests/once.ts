/** What is made once for all files of one run of the tests, by whoever asks for it first. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** A folder for each run of the tests, named after its process. */
const RUNS = join(tmpdir(), 'assay-tests')

/** Before the tests, in the process whose children test: what they leave lying about goes with its folder. */
export function ownTemporaries(): void {
  const folder = join(RUNS, String(process.pid))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of ['TMPDIR', 'TEMP']) process.env[name] = folder
}

/** @param make makes it in an empty folder; the folder in which it lies then. */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(tmpdir(), 'once')
  const made = join(folder, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  while (!existsSync(made)) {
    if (!claimed(`${made}.lock`)) await wait(50)
    else {
      try {
        const scratch = mkdtempSync(`${made}-`)
        await make(scratch)
        renameSync(scratch, made)
      } catch (error) {
        // Another file may have more luck, or fails by itself: none waits for what never comes.
        rmSync(`${made}.lock`)
        throw error
      }
    }
  }
  return made
}

/** After the tests, in the process whose children tested. */
export function forgetAll(): void {
  rmSync(join(RUNS, String(process.pid)), { recursive: true, force: true })
  // Of runs that were killed.
  for (const pid of readdirSync(RUNS)) {
    if (!lives(pid)) rmSync(join(RUNS, pid), { recursive: true, force: true })
  }
}

/** Whether it is ours to make: nobody makes it, or whoever began it is gone. */
function claimed(lock: string): boolean {
  if (existsSync(lock) && !lives(readFileSync(lock, 'utf8'))) rmSync(lock, { force: true })
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

/** @param pid nothing as long as it is being written */
function lives(pid: string): boolean {
  if (pid === '') return true
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}
