import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeWhole } from '../record/write-whole.ts'
import { InputError } from './input-error.ts'
import { durationOf } from './queries.ts'
import type { Report } from './report.ts'

/** One line of a history file: a run in figures. */
export type HistoryEntry = ReturnType<typeof historyEntry>

/** Runs that a history file keeps; the oldest go first. */
const MAX_RUNS = 1000

export function historyEntry(report: Report) {
  const { startedAt, verdict, assay, scope, summary, musts, requests, latency } = report
  return {
    target: report.target.name,
    startedAt,
    durationMs: durationOf(report),
    verdict,
    version: assay.version,
    specsDigest: assay.specsDigest,
    profile: scope.profile,
    partial: report.partial !== undefined,
    summary,
    musts,
    requests,
    approvals: report.approvals.length,
    latency,
  }
}

type Started = Pick<Report, 'startedAt'>

/** Order of two runs, the earlier first. */
export function byStart({ startedAt: a }: Started, { startedAt: b }: Started): number {
  return a < b ? -1 : Number(a > b)
}

/** The runs of a history file (JSON lines), oldest first; none when there is no such file. */
export async function readHistory(file: string): Promise<HistoryEntry[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const entries = text.split('\n').flatMap((line, i): HistoryEntry[] => {
    if (line.trim() === '') return []
    try {
      const entry = JSON.parse(line) as Partial<HistoryEntry> | null
      if (typeof entry?.startedAt === 'string' && entry.summary && entry.musts)
        return [entry as HistoryEntry]
    } catch {
      // told below
    }
    throw new InputError(`${file}:${i + 1}: not a run of a history file; remove the line`)
  })
  return entries.sort(byStart)
}

/**
 * Adds a run to a history file and returns all of its runs, oldest first. A run that is already there
 * (same target and start) is replaced, so making reports again does not count twice.
 */
export async function appendHistory(file: string, report: Report): Promise<HistoryEntry[]> {
  const entry = historyEntry(report)
  const others = (await readHistory(file)).filter(
    (run) => run.target !== entry.target || run.startedAt !== entry.startedAt,
  )
  const runs = [...others, entry].sort(byStart).slice(-MAX_RUNS)
  await mkdir(dirname(file), { recursive: true })
  writeWhole(file, runs.map((run) => `${JSON.stringify(run)}\n`).join(''))
  return runs
}
