import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalogue } from '../catalogue/catalogue.ts'
import { createCleanup } from '../client-session/cleanup.ts'
import type { Result } from '../judge/results.ts'
import { createEvidence } from '../report/evidence-index.ts'
import { parseRecord } from '../report/read-run.ts'
import type { ExchangeRecord, Report } from '../report/report.ts'
import type { Exchange } from '../wire/exchange.ts'
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
  const start = readJournal(join(out, JOURNAL)).find((line) => line.kind === 'start')
  if (start?.kind !== 'start' || start.run === undefined) return undefined
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
  const lines = readJournal(join(assignment.out, JOURNAL))
  const exchanges = recorded(join(assignment.out, 'exchanges.jsonl'))
  const evidence = createEvidence()
  for (const exchange of exchanges) evidence.note(exchange)
  const results = new Map<string, Result>()
  const observations = lines.flatMap((line) => (line.kind === 'judged' ? line.observations : []))
  for (const line of lines) {
    if (line.kind !== 'judged') continue
    const { id, outcome } = line.result
    // A rule may share its id with a check; what either found broken stays broken.
    if (!results.has(id) || outcome !== 'pass') results.set(id, line.result)
  }
  const planned = lines.flatMap((line) => (line.kind === 'start' ? line.checks : []))
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
    observations,
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
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => parseRecord(line) ?? [])
}

/** Consents and clients that were made and not removed, as the exchanges tell. */
function leftBehind(exchanges: ExchangeRecord[]): Report['leftBehind'] {
  const leftovers = createCleanup()
  for (const { response, ...rest } of exchanges) {
    if (!response) continue
    const exchange = { ...rest, response: { ...response, json: json(response.body) } }
    leftovers.note(exchange as unknown as Exchange)
  }
  return leftovers.list().map(({ kind, id }) => ({
    kind,
    id,
    why:
      kind === 'client'
        ? 'the interface has no way to remove a client'
        : 'the run ended before it was deleted',
  }))
}

function json(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
