import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { formedJson } from '../record/formed.ts'
import { InputError } from '../record/input-error.ts'
import { makeFolder } from '../record/make-folder.ts'
import { readPlain } from '../record/read-plain.ts'
import { writeWhole } from '../record/write-whole.ts'
import { durationOf } from './queries.ts'
import type { Report } from './report.ts'

/** One line of a history file: the figures of a run. */
export type HistoryEntry = ReturnType<typeof historyEntry>

/** Maximum number of runs in a history file; the oldest are removed first. */
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
    ...cellsOf(report),
    latency,
  }
}

/** Length of a cell's digest in characters: two of several thousand cells collide once in a million histories. */
const DIGEST = 8

/** The digests of the cells that a run asked, concatenated. */
function cellsOf({ cells, checks }: Report): { cells?: { of: number; asked: string } } {
  if (!cells) return {}
  const asked = checks.flatMap(({ id, cells }) =>
    (cells?.asked ?? []).map((cell) =>
      createHash('sha256').update(`${id} ${cell}`).digest('base64url').slice(0, DIGEST),
    ),
  )
  return { cells: { of: cells.of, asked: asked.join('') } }
}

/** How many cells of the latest run's tables these runs asked together; undefined without tables. */
export function cellsAskedBy(
  runs: readonly HistoryEntry[],
): { asked: number; of: number } | undefined {
  const of = runs.findLast(({ cells }) => cells)?.cells?.of
  if (of === undefined) return undefined
  const seen = new Set<string>()
  for (const { cells } of runs) {
    for (let at = 0; at < (cells?.asked.length ?? 0); at += DIGEST)
      seen.add(cells?.asked.slice(at, at + DIGEST) ?? '')
  }
  return { asked: Math.min(seen.size, of), of }
}

type Started = Pick<Report, 'startedAt'>

/** Compares two runs by start, the earlier first. */
export function byStart({ startedAt: a }: Started, { startedAt: b }: Started): number {
  return a < b ? -1 : Number(a > b)
}

/** The runs of a history file (JSON lines), oldest first; none when there is no such file. */
export async function readHistory(file: string): Promise<HistoryEntry[]> {
  const entries = textOf(file)
    .split('\n')
    .flatMap((line, i): HistoryEntry[] => {
      const where = `${file}:${i + 1}`
      const mend = 'It is not a run of a history file: remove the line.'
      return line.trim() === '' ? [] : [formedJson(line, { schema: 'history', where, mend })]
    })
  return entries.sort(byStart)
}

/** Maximum size of a history file in bytes; a thousand runs take a hundredth of it. */
const LARGEST = 512 * 1024 ** 2

function textOf(file: string): string {
  try {
    return readPlain(file, LARGEST).toString('utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new InputError(`the history ${file} can't be read: ${message}. Name another file.`)
  }
}

/**
 * Adds a run to a history file and returns all its runs, oldest first. A run that is already there (same target and
 * start) is replaced, so that making reports again does not count it twice.
 */
export async function appendHistory(file: string, report: Report): Promise<HistoryEntry[]> {
  const entry = historyEntry(report)
  const others = (await readHistory(file)).filter(
    (run) => run.target !== entry.target || run.startedAt !== entry.startedAt,
  )
  const runs = [...others, entry].sort(byStart).slice(-MAX_RUNS)
  makeFolder(dirname(file))
  writeWhole(file, runs.map((run) => `${JSON.stringify(run)}\n`).join(''))
  return runs
}
