import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { readTppFile, type Tpp } from '../engine/certification/tpp-file.ts'
import { TargetError } from '../engine/configuration/target-error.ts'
import { counted } from '../engine/report/escape.ts'
import { RESULTS } from '../engine/report/evidence/sealed-files.ts'
import { readRun } from '../engine/report/read-run.ts'
import type { ExchangeRecord, Report } from '../engine/report/report.ts'
import { complain, say, shown, shownLines } from '../engine/report/terminal.ts'
import { writeReports } from '../engine/report/write-reports.ts'
import { type ChangedFiles, openChangedFiles } from './changed-files.ts'
import { REPORTS, typed } from './folders.ts'
import { isOpen, type JudgingOptions } from './preparation.ts'
import { stateFolderOf } from './tpp-client.ts'
import { UsageError } from './usage.ts'

/** Options that a repeated certification cannot have, because it has no final result to report. */
const OF_ONE_END = ['sign', 'history', 'baseline', 'failOn', 'notify', 'open', 'list'] as const

/** Refuses --watch together with an option of a single certification. */
export function assertWatchable(options: JudgingOptions & { watch?: string | true }): void {
  const other = OF_ONE_END.find((name) => options[name] !== undefined)
  if (other === undefined) return
  const flag = other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new UsageError(`--${flag} is for one certification: leave out either it or --watch`)
}

export interface WatchedClient {
  /** The file of the client. */
  file: string
  /** The path of --watch; true: the folder of the client's program. */
  watch: string | true
  /** Where the results of each certification are written. */
  out: string
  signal: AbortSignal
  /** Certifies everything that the command line names, or these ids. */
  round(only?: string[]): Promise<void>
}

/**
 * `assay tpp --watch`: certifies, and when files change, repeats what was not in order. Once that is in order,
 * everything is repeated, because a change may break what passed. Every certification writes its reports into the same
 * folder; those of the last one that was not interrupted remain.
 */
export async function watchClient(watched: WatchedClient): Promise<void> {
  const { signal, out, file } = watched
  const path = watchedPath(watched)
  const tpp = readTppFile(file)
  const ours = [out, resolve(REPORTS), stateFolderOf(tpp.document, tpp.base)]
  const changes = await openChangedFiles(path, ours)
  let ids: string[] | undefined
  /** Files that changed during the previous round: files that the client itself writes change in every round. */
  let before: string[] = []
  try {
    for (;;) {
      const kept = keepResults(out)
      const code = process.exitCode
      await attempted(watched, ids)
      if (signal.aborted) {
        if (!(await kept.restored())) return
        process.exitCode = code
        say(shown`Interrupted: ${typed(out)} holds the certification before this one.`)
        return
      }
      kept.dropped()
      const during = changes.taken()
      const edited = during.filter((name) => !before.includes(name))
      before = during
      const open = await openIn(out)
      if (edited.length === 0 && ids !== undefined && open.length === 0) {
        say(
          shown`All that was not in order is now. Everything is played again, as a change may break what passed.`,
        )
        ids = undefined
        continue
      }
      const files = edited.length > 0 ? edited : await nextChange(changes, path, open, signal)
      if (files.length === 0) return
      ids = open.length > 0 ? open : undefined
      say(shown`\n${changedWords(files)} changed: ${playedWords(open)}`)
    }
  } finally {
    await changes.close()
  }
}

/** Keeps the results of a certification while the next one runs, which may be interrupted. */
function keepResults(out: string) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-watch-'))
  const names = RESULTS.filter((name) => existsSync(join(out, name)))
  for (const name of names) copyFileSync(join(out, name), join(folder, name))
  const dropped = () => rmSync(folder, { recursive: true, force: true })
  return {
    dropped,
    /** Restores the results and makes their reports again; false when there were none. */
    async restored(): Promise<boolean> {
      if (names.length > 0) {
        for (const name of names) copyFileSync(join(folder, name), join(out, name))
        await writeReports(out)
      }
      dropped()
      return names.length > 0
    },
  }
}

async function nextChange(
  changes: ChangedFiles,
  path: string,
  open: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const then = open.length > 0 ? `${counted(open.length, 'id')} not in order` : 'everything'
  say(shown`Watching ${typed(resolve(path))}: a change plays ${then} again. Ctrl-C ends it.`)
  return (await changes.quiet(signal)) ? changes.taken() : []
}

/** Maximum number of files that are named; the others are counted. */
const NAMED = 3

function changedWords(files: readonly string[]): string {
  const rest = files.length - NAMED
  return `${files.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${counted(rest, 'more file')}` : ''}`
}

function playedWords(open: readonly string[]): string {
  if (open.length === 0) return 'everything is played again, as nothing was out of order'
  const rest = open.length - NAMED
  const more = rest > 0 ? ` and ${rest} more` : ''
  return `playing again what was not in order, ${open.slice(0, NAMED).join(', ')}${more}`
}

/** One round. A mistake in a file that is being edited does not end the watch. */
async function attempted({ round, signal }: WatchedClient, only?: string[]): Promise<void> {
  try {
    await round(only)
  } catch (error) {
    const isUsers = error instanceof TargetError || error instanceof UsageError
    if (!isUsers || signal.aborted) throw error
    complain(shownLines(error.message))
  }
}

/** Ids to repeat: what was not in order in the last certification and can be fixed by a change. */
async function openIn(out: string): Promise<string[]> {
  if (!existsSync(join(out, 'report.json'))) return []
  const { report, exchanges } = await readRun(out)
  return openIds(report, exchanges)
}

/**
 * Ids of what was not in order. For a rule also the scenarios in which it was broken, because a rule alone runs none.
 * Empty when all that remains could not be judged: nothing shows that the client must change for it.
 */
export function openIds(report: Report, exchanges: readonly ExchangeRecord[]): string[] {
  const open = report.checks.filter(isOpen)
  if (open.every(({ outcome }) => outcome === 'blocked')) return []
  const scenarioOf = new Map(exchanges.map(({ id, about }) => [id, about.check]))
  const ids = open.flatMap(({ id, kind, exchanges: shown }) =>
    kind === 'rule' ? [id, ...shown.map((each) => String(scenarioOf.get(each) ?? id))] : [id],
  )
  return [...new Set(ids)]
}

/** @throws UsageError when the path does not exist, or none is known */
function watchedPath({ watch, file }: WatchedClient): string {
  if (watch !== true) {
    if (existsSync(watch)) return watch
    throw new UsageError(
      `--watch ${watch} does not exist. It takes a file or folder; ids stand before it, or after --only.`,
    )
  }
  const tpp: Tpp = readTppFile(file)
  const { driver } = tpp.document.client
  if (driver === 'command') return dirname(resolve(file))
  throw new UsageError(
    `--watch needs a file or folder: of a client with driver ${driver} the file of the TPP does not say where its program is`,
  )
}
