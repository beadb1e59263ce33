import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { watch } from 'chokidar'
import { UsageError } from './usage.ts'

/** After this many milliseconds without a change, an editor or a build has finished. */
const QUIET = 300

/** Folders that contain no source of the client. */
const FOLDERS = new Set(['node_modules', '.git', '.assay', '__pycache__', '.venv', '.idea'])

/** Temporary files that editors write beside the edited file. */
const OF_EDITORS = /^\.?#|^4913$|(?:~|\.sw[a-z]|\.tmp|___)$/

export interface ChangedFiles {
  /** The files that changed since the last call: paths relative to the working directory, sorted. */
  taken(): string[]
  /** Waits for a change and then for a pause. False when the signal comes first. */
  quiet(signal: AbortSignal): Promise<boolean>
  close(): Promise<void>
}

/**
 * Watches a file or folder. In a folder, `FOLDERS` and the temporary files of editors are ignored.
 *
 * @param without folders that are also ignored, because Assay itself writes there
 * @throws UsageError when it cannot be watched
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
  // When an editor replaces a file, the watcher of the folder reports that it is there again.
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

/** A path relative to the working directory. */
function named(file: string): string {
  const shown = relative(process.cwd(), file)
  return shown.startsWith('..') ? join(basename(dirname(file)), basename(file)) : shown
}
