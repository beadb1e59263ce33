import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Catalogue, loadCatalogue } from '../catalogue/catalogue.ts'
import { createCleanup } from '../client-session/cleanup.ts'
import type { Result } from '../judge/results.ts'
import { createRuleEngine } from '../judge/rule-engine.ts'
import { now } from '../record/clock.ts'
import { createEvidence } from '../report/evidence-index.ts'
import { parseRecord } from '../report/read-run.ts'
import type { ExchangeRecord, PreflightLine, Report } from '../report/report.ts'
import type { SuiteCheck } from '../suite-api/check.ts'
import type { Exchange } from '../wire/exchange.ts'
import { jsonOf } from '../wire/json-body.ts'
import { composeReport, type RunFacts, writeReport } from './compose.ts'
import { JOURNAL, readJournal } from './journal.ts'
import { type Assignment, targetOf } from './judging-process.ts'
import { notRun } from './not-run.ts'
import { checkInScope, ruleInScope } from './scope.ts'
import { loadSuites } from './suites.ts'

/** What a report says about a run, however the run ended. */
type Described = Pick<
  Assignment,
  'version' | 'scope' | 'deviations' | 'memory' | 'out' | 'suites'
> &
  Pick<RunFacts, 'target'>

/**
 * The report of a run none of whose processes is left.
 *
 * @param suites folder of the suites, source or built.
 * @returns undefined if the folder holds no run that was recorded.
 */
export async function salvaged(out: string, suites: string): Promise<Report | undefined> {
  const [start] = readJournal(join(out, JOURNAL), 'start')
  if (start?.run === undefined) return undefined
  const { startedAt, ...facts } = start.run
  const why = 'the run was killed'
  const report = await crashReport({ ...facts, out, suites }, new Date(startedAt), why)
  return { ...report, exitCode: 5, verdict: 'error', problems: [...report.problems, why] }
}

/** The report of a run whose process is gone, from what the process had recorded. */
export async function crashReport(described: Described, startedAt: Date, why: string) {
  const { out, memory, deviations } = described
  const journal = join(out, JOURNAL)
  const lines = readJournal(journal, 'judged')
  const exchanges = recorded(join(out, 'exchanges.jsonl'))
  const evidence = createEvidence()
  for (const exchange of exchanges) evidence.note(exchange)
  const results = new Map<string, Result>()
  for (const { result } of lines) {
    // A rule may share its id with a check; what either found broken stays broken.
    if (!results.has(result.id) || result.outcome !== 'pass') results.set(result.id, result)
  }
  const planned = readJournal(journal, 'start').flatMap(({ checks }) => checks)
  // Rules that were found to hold were only in the memory of the process that is gone.
  return notRunReport(described, ({ id }) => planned.includes(id), {
    startedAt,
    partial: why,
    results,
    observations: lines.flatMap(({ observations }) => observations),
    requests: exchanges.length,
    evidence,
    leftBehind: memory === undefined ? [] : leftBehind(exchanges),
    deviations,
  })
}

/**
 * Writes the report of a run that could not begin: nothing in it is judged, and it says why. It contains no known
 * deviations, because nobody saw the bank.
 */
export async function writeUnjudged(
  assignment: Assignment,
  preflight: PreflightLine[],
  startedAt: Date,
): Promise<void> {
  const { scope, out } = assignment
  const why = preflight.find(({ level }) => level === 'wrong')?.text ?? 'the bank was not reached'
  const described = { ...assignment, target: targetOf(assignment) }
  const planned: IsPlanned = (check, catalogue) => checkInScope(check, catalogue, scope)
  const report = await notRunReport(described, planned, {
    startedAt,
    partial: why,
    results: new Map(),
    requests: 0,
    evidence: new Map(),
    preflight,
  })
  writeReport(out, report)
  writeFileSync(join(out, 'exchanges.jsonl'), '')
}

type IsPlanned = (check: SuiteCheck, catalogue: Catalogue) => boolean

/** Adds what was planned, and every rule in scope, to the results of a run. */
async function notRunReport(
  { version, target, scope, suites: folder }: Described,
  isPlanned: IsPlanned,
  facts: { results: Map<string, Result>; partial: string } & Omit<
    RunFacts,
    'version' | 'target' | 'scope' | 'finishedAt' | 'catalogue' | 'redact'
  >,
): Promise<Report> {
  const { results, partial } = facts
  const catalogue = loadCatalogue()
  const { checks, rules, schemas } = await loadSuites(folder, catalogue)
  for (const check of checks) {
    if (results.has(check.id) || !isPlanned(check, catalogue)) continue
    results.set(check.id, notRun(check, catalogue, partial))
  }
  for (const rule of createRuleEngine(schemas, rules, {}).states()) {
    if (results.has(rule.id) || !ruleInScope(rule, catalogue, scope)) continue
    results.set(rule.id, { ...notRun(rule, catalogue, partial), kind: 'rule' })
  }
  // What was recorded is redacted already.
  const redact = (text: string) => text
  return composeReport({
    version,
    target,
    scope,
    finishedAt: new Date(now()),
    catalogue,
    redact,
    ...facts,
  })
}

/** The recorded exchanges; a truncated line is ignored. */
function recorded(file: string): ExchangeRecord[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines.flatMap((line) => parseRecord(line) ?? [])
}

/** Consents and clients that were created and not removed, according to the exchanges. */
function leftBehind(exchanges: ExchangeRecord[]): Report['leftBehind'] {
  const leftovers = createCleanup()
  for (const { response, ...rest } of exchanges) {
    if (!response) continue
    const json = jsonOf(Buffer.from(response.body), response.body)
    leftovers.note({ ...rest, response: { ...response, json } } as unknown as Exchange)
  }
  return leftovers.told(() => 'the run ended before it was deleted')
}
