import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { makeFolder } from '../engine/record/make-folder.ts'
import { takeLock } from '../engine/record/process-lock.ts'
import { root } from '../engine/record/root.ts'
import { UsageError } from './usage.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

export const { version } = manifest as { version: string }

/** The target when none is named: the reference bank, started for the run. */
export const DEFAULT_TARGET = join(root, 'config', 'embedded.yaml')

export const SUITES = join(import.meta.dirname, '..', 'suites')
export const TPP_SUITES = join(SUITES, 'tpp')

/** The folder of runs, below the working directory. */
export const REPORTS = 'reports'

/** The folder of a target's runs: reports/<target>/, below the working directory. */
export function reportsFolder(name: string): string {
  return join(process.cwd(), REPORTS, name.replace(/[^\w.-]+/g, '-'))
}

/** reports/<target>/<UTC time>/ */
export function defaultFolder(name: string): string {
  return join(reportsFolder(name), stamp())
}

/** The UTC time as a folder name: 2027-01-31T09-30-00Z. */
export function stamp(): string {
  return `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z`
}

/** A path relative to the working directory, unless it is outside of it. */
export function typed(path: string): string {
  const shown = relative(process.cwd(), path) || '.'
  return shown.startsWith('..') ? path : shown
}

/** File with the id of the process that writes into a folder. */
const LOCK = '.assay.lock'

/**
 * Locks folders for this process, and makes them when they do not exist.
 *
 * @param own the folder of the run, and the folder with what is kept about the bank, if any: two runs of one bank would
 * delete each other's consents.
 * @returns a function that releases the locks.
 * @throws UsageError when a folder cannot be made or written to, or another run has locked it.
 */
export function holdFolders(own: { out?: string; memory?: string; name: string }): () => void {
  const held: { release(): void }[] = []
  const release = () => {
    for (const lock of held) lock.release()
  }
  const hold = (folder: string, file: string, mend: string, unwritable = '') => {
    let lock: ReturnType<typeof takeLock>
    try {
      makeFolder(folder)
      lock = takeLock(join(folder, file))
    } catch (error) {
      release()
      throw new UsageError(
        `${folder} cannot be written to: ${(error as Error).message}${unwritable}`,
      )
    }
    if ('owner' in lock) {
      release()
      // After a power cut the number may be that of another program.
      const who = `process ${lock.owner}${lock.host === undefined ? '' : ` on ${lock.host}`}`
      const stale = `If ${who} is not Assay, remove ${join(folder, file)}.`
      throw new UsageError(`Another run, ${who}, uses ${folder}. ${mend} ${stale}`)
    }
    held.push(lock)
  }
  if (own.memory !== undefined) {
    const mend =
      'Wait for its end: both would use the same clients. Two banks need different names in their files.'
    const unwritable =
      '. A run keeps clients and consents there: copy the target file, and what it names, to a folder that you can write to.'
    hold(own.memory, `${own.name}.lock`, mend, unwritable)
  }
  if (own.out !== undefined) hold(own.out, LOCK, 'Wait for its end, or name another --out.')
  return release
}
