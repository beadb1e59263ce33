import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { watch } from 'chokidar'
import { UsageError } from './usage.ts'

/** Milliseconds without a change after which an editor or a build has finished. */
const QUIET = 300

/** Folders that hold no source of the client. */
const FOLDERS = new Set(['node_modules', '.git', '.assay', '__pycache__', '.venv', '.idea'])

/** Files that editors write beside the one that is edited. */
const OF_EDITORS = /^\.?#|^4913$|(?:~|\.sw[a-z]|\.tmp|___)$/

export interface ChangedFiles {
  /** What changed since it was asked last, names from this folder, sorted. */
  taken(): string[]
  /** Waits until something changes and then nothing for a while; whether it did before the signal. */
  quiet(signal: AbortSignal): Promise<boolean>
  close(): Promise<void>
}

/**
 * Watches a file or folder. Of a folder what is in `FOLDERS`, and what editors keep beside a file, is left out.
 *
 * @param without folders that are left out too: what is written there is our own
 * @throws UsageError where it can't be watched
 */
export async function openChangedFiles(
  path: string,
  without: readonly string[],
): Promise<ChangedFiles> {
  const outside = without.map((folder) => resolve(folder))
  const root = resolve(path)
  const ignored = (file: string) => {
    const full = resolve(file)
    if (full === root) return false
    if (outside.some((folder) => full === folder || full.startsWith(folder + sep))) return true
    return FOLDERS.has(basename(full)) || OF_EDITORS.test(basename(full))
  }
  // An editor replaces a file: the folder sees it come back.
  const watcher = watch(root, { ignored, ignoreInitial: true, followSymlinks: false })
  let changed = new Set<string>()
  let told = () => {}
  watcher.on('all', (event, file) => {
    if (event === 'addDir') return
    changed.add(named(file))
    told()
  })
  await new Promise<void>((ready, failed) => {
    watcher.once('ready', ready)
    watcher.once('error', (error) => {
      void watcher.close()
      failed(new UsageError(`--watch ${path} can't be watched: ${(error as Error).message}`))
    })
  })
  watcher.on('error', () => {})
  return {
    taken() {
      const all = [...changed].sort()
      changed = new Set()
      return all
    },
    quiet: (signal) =>
      new Promise((done) => {
        let timer: NodeJS.Timeout | undefined
        const end = (did: boolean) => {
          clearTimeout(timer)
          told = () => {}
          signal.removeEventListener('abort', stop)
          done(did)
        }
        const stop = () => end(false)
        told = () => {
          clearTimeout(timer)
          timer = setTimeout(() => end(true), QUIET)
        }
        if (signal.aborted) return end(false)
        signal.addEventListener('abort', stop)
        if (changed.size > 0) told()
      }),
    close: () => watcher.close(),
  }
}

/** A path as one would type it here. */
function named(file: string): string {
  const shown = relative(process.cwd(), file)
  return shown.startsWith('..') ? join(basename(dirname(file)), basename(file)) : shown
}
