import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { makeFolder } from '../engine/record/make-folder.ts'
import { takeLock } from '../engine/record/process-lock.ts'
import { root } from '../engine/record/root.ts'
import { UsageError } from './usage.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

export const { version } = manifest as { version: string }

/** The target that is judged where none is named: the reference bank, started for the run. */
export const DEFAULT_TARGET = join(root, 'config', 'embedded.yaml')

export const SUITES = join(import.meta.dirname, '..', 'suites')
export const TPP_SUITES = join(SUITES, 'tpp')

/** Where runs go: reports/, below the working directory. */
export const REPORTS = 'reports'

/** Where the runs of a target go: reports/<target>/, below the working directory. */
export function reportsFolder(name: string): string {
  return join(process.cwd(), REPORTS, name.replace(/[^\w.-]+/g, '-'))
}

/** reports/<target>/<UTC time>/ */
export function defaultFolder(name: string): string {
  return join(reportsFolder(name), stamp())
}

/** The UTC time as a name of a folder: 2027-01-31T09-30-00Z. */
export function stamp(): string {
  return `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z`
}

/** A path as one would type it here. */
export function typed(path: string): string {
  const shown = relative(process.cwd(), path)
  return shown.startsWith('..') ? path : shown
}

/** File that names the process which writes into a folder. */
const LOCK = '.assay.lock'

/**
 * Has folders for this process alone, made where they are not there.
 *
 * @param own of the folder, and what is kept of the bank, if anything is: two runs of one bank would
 * delete each other's consents.
 * @returns how to give them back.
 * @throws UsageError where a folder cannot be made or written to, or another run has it.
 */
export function holdFolders(own: { out?: string; memory?: string; name: string }): () => void {
  const held: { release(): void }[] = []
  const release = () => {
    for (const lock of held) lock.release()
  }
  const hold = (folder: string, file: string, mend: string) => {
    let lock: ReturnType<typeof takeLock>
    try {
      makeFolder(folder)
      lock = takeLock(join(folder, file))
    } catch (error) {
      release()
      throw new UsageError(`${folder} cannot be written to: ${(error as Error).message}`)
    }
    if ('owner' in lock) {
      release()
      throw new UsageError(`Another run, process ${lock.owner}, uses ${folder}. ${mend}`)
    }
    held.push(lock)
  }
  if (own.memory !== undefined) {
    const mend =
      'Wait for its end: both would use the same clients. Two banks need different names in their files.'
    hold(own.memory, `${own.name}.lock`, mend)
  }
  if (own.out !== undefined) hold(own.out, LOCK, 'Wait for its end, or name another --out.')
  return release
}
