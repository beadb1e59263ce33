import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalogue } from '../catalogue/catalogue.ts'
import { createCleanup } from '../client-session/cleanup.ts'
import type { Result } from '../judge/results.ts'
import { createEvidence } from '../report/evidence-index.ts'
import { parseRecord } from '../report/read-run.ts'
import type { ExchangeRecord, Report } from '../report/report.ts'
import type { Exchange } from '../wire/exchange.ts'
import { jsonOf } from '../wire/json-body.ts'
import { composeReport } from './compose.ts'
import { JOURNAL, readJournal } from './journal.ts'
import type { Assignment } from './judging-process.ts'
import { addNotRun } from './not-run.ts'
import { loadSuites } from './suites.ts'

/** What a report says of a run, whatever became of it. */
export type RunFacts = Pick<Assignment, 'version' | 'scope' | 'deviations' | 'memory'> & {
  target: Report['target']
}

/**
 * The report of a run whose every process is gone.
 *
 * @param suites folder of the suites, source or built.
 * @returns undefined where the folder holds no run of which anything was written down.
 */
export async function salvaged(out: string, suites: string): Promise<Report | undefined> {
  const [start] = readJournal(join(out, JOURNAL), 'start')
  if (start?.run === undefined) return undefined
  const { startedAt, ...facts } = start.run
  const why = 'the run was killed'
  const report = await crashReport({ ...facts, out, suites }, new Date(startedAt), why)
  return { ...report, exitCode: 5, verdict: 'error', problems: [...report.problems, why] }
}

/** The report of a run whose process is gone, from what it had written down. */
export async function crashReport(
  assignment: RunFacts & Pick<Assignment, 'out' | 'suites'>,
  startedAt: Date,
  why: string,
): Promise<Report> {
  const catalogue = loadCatalogue()
  const suites = await loadSuites(assignment.suites, catalogue)
  const journal = join(assignment.out, JOURNAL)
  const lines = readJournal(journal, 'judged')
  const exchanges = recorded(join(assignment.out, 'exchanges.jsonl'))
  const evidence = createEvidence()
  for (const exchange of exchanges) evidence.note(exchange)
  const results = new Map<string, Result>()
  for (const { result } of lines) {
    // A rule may share its id with a check; what either found broken stays broken.
    if (!results.has(result.id) || result.outcome !== 'pass') results.set(result.id, result)
  }
  const planned = readJournal(journal, 'start').flatMap(({ checks }) => checks)
  const { scope } = assignment
  // What rules found kept was in the memory of the process that is gone.
  addNotRun(results, ({ id }) => planned.includes(id), suites, { catalogue, scope, why })
  return composeReport({
    version: assignment.version,
    target: assignment.target,
    scope,
    startedAt,
    finishedAt: new Date(),
    catalogue,
    results,
    observations: lines.flatMap(({ observations }) => observations),
    requests: exchanges.length,
    evidence,
    leftBehind: assignment.memory === undefined ? [] : leftBehind(exchanges),
    partial: why,
    deviations: assignment.deviations,
    redact: (text) => text,
  })
}

/** Exchanges that were written down; a line that was cut short is none. */
function recorded(file: string): ExchangeRecord[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines.flatMap((line) => parseRecord(line) ?? [])
}

/** Consents and clients that were made and not removed, as the exchanges tell. */
function leftBehind(exchanges: ExchangeRecord[]): Report['leftBehind'] {
  const leftovers = createCleanup()
  for (const { response, ...rest } of exchanges) {
    if (!response) continue
    const json = jsonOf(Buffer.from(response.body), response.body)
    leftovers.note({ ...rest, response: { ...response, json } } as unknown as Exchange)
  }
  const why = (kind: string) =>
    kind === 'client'
      ? 'the interface has no way to remove a client'
      : 'the run ended before it was deleted'
  return leftovers.list().map(({ kind, id }) => ({ kind, id, why: why(kind) }))
}
