import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InputError } from './input-error.ts'
import type { Report } from './report.ts'

/** One line of a history file: a run in figures. */
export interface HistoryEntry {
  target: string
  startedAt: string
  durationMs: number
  verdict: Report['verdict']
  version: string
  specsDigest: string
  profile: string
  partial: boolean
  summary: Report['summary']
  musts: Report['musts']
  requests: number
  approvals: number
  latency: Report['latency']
}

/** Runs that a history file keeps; the oldest go first. */
const MAX_RUNS = 1000

/** The figures of a run. */
export function historyEntry(report: Report): HistoryEntry {
  return {
    target: report.target.name,
    startedAt: report.startedAt,
    durationMs: Date.parse(report.finishedAt) - Date.parse(report.startedAt),
    verdict: report.verdict,
    version: report.assay.version,
    specsDigest: report.assay.specsDigest,
    profile: report.scope.profile,
    partial: report.partial !== undefined,
    summary: report.summary,
    musts: report.musts,
    requests: report.requests,
    approvals: report.approvals.length,
    latency: report.latency,
  }
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
  return entries.sort((a, b) =>
    a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0,
  )
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
  const runs = [...others, entry]
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    .slice(-MAX_RUNS)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.tmp`, runs.map((run) => `${JSON.stringify(run)}\n`).join(''))
  await rename(`${file}.tmp`, file)
  return runs
}
