import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { parseRedirect } from '../client/redirect.ts'
import { signatureOf } from '../client/signature.ts'
import { member } from '../judge/data-rows.ts'
import { type Result, ruleResults, settleBlocked } from '../judge/results.ts'
import { createRuleEngine, type RuleEngine } from '../judge/rule-engine.ts'
import { now } from '../record/clock.ts'
import { endpointName } from '../report/endpoint-names.ts'
import { createEvidence } from '../report/evidence-index.ts'
import type { Report, ReportedRecording } from '../report/report.ts'
import { composeReport, writeReport } from '../run/compose.ts'
import { type Deviation, GONE } from '../run/deviations.ts'
import { createLatency } from '../run/latency.ts'
import type { Suites } from '../run/suites.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { openExchangeLog } from '../wire/exchange-log.ts'
import { createRedactor, type Redactor } from '../wire/redaction.ts'
import { createExchanges } from './exchanges.ts'
import type { RecordingFile } from './read-files.ts'
import type { Judgeable, Lack, Recorded } from './recorded.ts'
import { type LacksByRule, recordingRules } from './recording-rules.ts'
import type { RecordingTarget } from './recording-target.ts'
import { viewOf } from './view.ts'

/** Other addresses that are named; the rest is counted. */
const NAMED = 20

/** Other addresses that are told apart at all. */
const TOLD_APART = 5000

export interface JudgementParts {
  target: RecordingTarget
  /** What of the target its report names. */
  described: Report['target']
  suites: Pick<Suites, 'rules' | 'schemas' | 'checks'>
  catalogue: Catalogue
  deviations?: Deviation[]
  /** Folder of the reports. */
  out: string
  version: string
  /** What knows the secrets of the exchanges. Default: one of its own. */
  redactor?: Redactor
}

/** What was made of one exchange. */
export interface Judged {
  exchange: Exchange
  /** Is it an operation of the documents, or does it end a visit? Nothing else is judged. */
  counts: boolean
  /** Ids of the rules that it breaks. */
  broken: string[]
}

/** How a judgement ends. */
export interface JudgementEnd {
  /** Files that the exchanges came from. */
  files?: RecordingFile[]
  interrupted?: boolean
  /** What went on beside what was judged, a line each. */
  notes?: string[]
}

/** Every rule over exchanges that others made, one exchange at a time; a report at the end. */
export type Judgement = ReturnType<typeof openJudgement>

/**
 * Judges exchanges that others made by every rule, in the order in which they are taken, and writes exchanges.jsonl: those
 * exchanges that show something.
 */
export function openJudgement(parts: JudgementParts) {
  const { target, suites, out } = parts
  const startedAt = new Date(now())
  const { literals, layout, clockTolerance } = target
  const at = recordingRules(suites)
  const engine = createRuleEngine(at.schemas, at.rules, literals, layout, clockTolerance)
  const redactor = parts.redactor ?? createRedactor(target.secrets)
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), redactor)
  const tally = createTally(engine, log)
  const exchanges = createExchanges(target)
  return {
    /** The address of a path, where only that is known. */
    resolve: exchanges.operations.resolve,
    /** Exchanges so far. */
    get exchanges() {
      return tally.exchanges
    },
    /** Text without secrets. */
    redact: log.redact,
    /** The violations of each rule so far. */
    states: engine.states,
    /** Judges the next exchange. Not to be called again before the promise is kept. */
    async take(recorded: Recorded, id: string): Promise<Judged> {
      tally.exchanges += 1
      const { counts, ...found } = exchanges.judgeable(recorded, id)
      if (!counts) {
        tally.elsewhere(recorded, exchanges.operations.isOfTarget(recorded.url))
        return { exchange: found.exchange, counts, broken: [] }
      }
      await withSignature(found.exchange, engine)
      at.comparing(!found.lacks.has('the order of requests at the same time'))
      const broken = engine.judge(viewOf(found, at.note, at.names))
      exchanges.learn(found.exchange)
      tally.judged(found, broken)
      return { exchange: found.exchange, counts, broken }
    },
    /** Writes report.json. */
    finish(end: JudgementEnd = {}): Report {
      const results = resultsOf(engine, parts, at.lacksByRule)
      const found = { startedAt, results, engine, tally, lacks: at.lacksByRule, redact: log.redact }
      const report = reportOf(parts, found, end)
      writeReport(out, report)
      return report
    },
    close: log.close,
  }
}

/** Verifies the ID token of an answer by the keys that the recording has shown by then. */
async function withSignature(exchange: Exchange, { bank }: RuleEngine): Promise<void> {
  if (!bank.jwks) return
  const location = header(exchange, 'location')
  const idToken =
    exchange.endpoint === 'token'
      ? member(exchange.response?.json, 'id_token')
      : location?.includes('id_token=')
        ? parseRedirect(location)?.idToken
        : undefined
  if (typeof idToken !== 'string' || idToken.startsWith('<')) return
  const said = await signatureOf(idToken, bank.jwks)
  // The keys may have changed since they were read.
  if (said !== 'no such key') exchange.signature = said
}

/** Counts what comes, and keeps what shows something. */
function createTally(engine: RuleEngine, log: ReturnType<typeof openExchangeLog>) {
  const evidence = createEvidence()
  const latency = createLatency()
  const names = new Map<string, number>()
  const states = engine.states()
  const byId = new Map(states.map((state) => [state.id, state]))
  let pending = states
  let first: string | undefined
  let last: string | undefined
  let operations = 0

  /** Is it the first that a rule could judge, or among those that broke one? */
  const shows = ({ id }: Exchange, broken: string[]): boolean => {
    const before = pending.length
    pending = pending.filter((state) => state.first === undefined)
    if (pending.length < before) return true
    return broken.some((rule) => byId.get(rule)?.violations.at(-1)?.exchange === id)
  }

  return {
    evidence,
    latency,
    exchanges: 0,
    get operations() {
      return operations
    },
    get span() {
      return first === undefined || last === undefined ? undefined : { from: first, to: last }
    },
    others(): ReportedRecording['elsewhere'] {
      const sorted = [...names].sort(([, one], [, other]) => other - one)
      return sorted.slice(0, NAMED).map(([name, n]) => ({ name, exchanges: n }))
    },
    elsewhere({ method, url, requestHeaders: headers }: Recorded, isOfTarget: boolean) {
      const { host } = new URL(url)
      const what = isOfTarget ? endpointName('elsewhere', { method, url, headers }) : 'other hosts'
      const name = isOfTarget ? `${what} at ${host}` : what
      if (names.has(name) || names.size < TOLD_APART) names.set(name, (names.get(name) ?? 0) + 1)
    },
    judged({ exchange }: Judgeable, broken: string[]) {
      operations += 1
      const { startedAt } = exchange
      if (first === undefined || startedAt < first) first = startedAt
      if (last === undefined || startedAt > last) last = startedAt
      latency.note(exchange)
      if (!shows(exchange, broken)) return
      evidence.note(exchange)
      log.append(exchange)
    },
  }
}

/** What the rules say; of what could not be judged, what the recording lacks for it. */
function resultsOf(
  engine: RuleEngine,
  { catalogue, suites }: JudgementParts,
  lacks: LacksByRule,
): Map<string, Result> {
  const states = engine.states()
  const results = new Map<string, Result>()
  for (const result of ruleResults(states, catalogue, new Map(), {})) {
    const lacking = [...(lacks.get(result.id)?.keys() ?? [])]
    const isOpen = result.outcome === 'blocked' || result.outcome === 'not-applicable'
    results.set(result.id, isOpen ? unjudgeable(result, lacking) : result)
  }
  const ofChecks = suites.checks.map(({ id, options }): [string, readonly string[]] => [
    id,
    options.follows ?? [],
  ])
  settleBlocked(results, new Map([...ofChecks, ...states.map(followed)]))
  return results
}

const followed = ({ id, follows = [] }: { id: string; follows?: readonly string[] }) =>
  [id, follows] as [string, readonly string[]]

/** Nobody's fault: the recording lacks something, or nothing of the kind is in it. */
function unjudgeable(result: Result, lacking: Lack[]): Result {
  const { because, message } = result
  if (lacking.length > 0) {
    const what = lacking.join(', ')
    const why = `not judgeable here: needs ${what}, which the recording does not tell`
    return { ...result, outcome: 'blocked', message: why, because: { kind: 'recording', what } }
  }
  if (because?.kind !== 'data' && because?.kind !== 'freedom') return result
  return { ...result, message, because: { kind: 'recording', what: because.what } }
}

function reportOf(
  { catalogue, described, version, deviations }: JudgementParts,
  found: {
    startedAt: Date
    results: Map<string, Result>
    engine: RuleEngine
    tally: ReturnType<typeof createTally>
    lacks: LacksByRule
    redact(text: string): string
  },
  { files = [], interrupted = false, notes = [] }: JudgementEnd,
): Report {
  const { startedAt, results, engine, tally, lacks, redact } = found
  const report = composeReport({
    ...{ version, catalogue, results, deviations, redact, startedAt },
    target: described,
    scope: { profile: 'full', only: [...results.keys()] },
    finishedAt: new Date(now()),
    ...{ evidence: tally.evidence, latency: tally.latency.summary() },
    observations: engine.observations(),
    requests: tally.operations,
    partial: interrupted
      ? 'interrupted: a part of the recording was judged'
      : 'recorded traffic: what nobody asked for was not judged',
  })
  const recording: ReportedRecording = {
    files: files.map(({ path, format = 'nothing', exchanges, unsent, unreadable }) => ({
      ...{ file: redact(path), format, exchanges, unsent, unreadable },
    })),
    exchanges: tally.exchanges,
    operations: tally.operations,
    ...(tally.span && { span: tally.span }),
    elsewhere: tally.others().map(({ name, exchanges }) => ({ name: redact(name), exchanges })),
    musts: mustsOf(catalogue, results),
    lacks: lackCounts(lacks),
  }
  const unread = files.flatMap(({ problems }) =>
    problems.map(({ where, why }) => redact(`${where} ${why}`)),
  )
  const ended = verdictOf(report, recording, interrupted)
  const problems = [...ended.problems, ...unread, ...notes.map(redact)]
  return { ...report, ...ended, recording, problems }
}

/** Never conformant: what nobody asked for was not seen. What did not show itself may be broken all the same. */
function verdictOf(
  { verdict, exitCode, musts, problems }: Report,
  { operations }: ReportedRecording,
  interrupted: boolean,
): Pick<Report, 'verdict' | 'exitCode' | 'problems'> {
  const stale = problems.filter((problem) => !problem.endsWith(GONE))
  const isBroken = verdict === 'error' || musts.failed > 0 || stale.length > 0
  const said = isBroken ? verdict : 'incomplete'
  const code = isBroken ? exitCode : operations === 0 ? 4 : 0
  return { verdict: said, exitCode: interrupted ? 130 : code, problems: stale }
}

/** How many of the musts that anything tests the recording exercised, and how many of them are broken. */
function mustsOf(
  catalogue: Catalogue,
  results: ReadonlyMap<string, Result>,
): ReportedRecording['musts'] {
  const all = [...catalogue.requirements.values()].filter(
    ({ level, notTested }) => level === 'must' && notTested === undefined,
  )
  const has = (ids: readonly string[], outcomes: string[]) =>
    ids.some((id) => outcomes.includes(results.get(id)?.outcome ?? ''))
  return {
    of: all.length,
    exercised: all.filter(({ checks }) => has(checks, ['pass', 'fail', 'observed', 'warn'])).length,
    broken: all.filter(({ checks }) => has(checks, ['fail'])).length,
  }
}

/** What lacks, and how many rules met that. */
function lackCounts(lacks: LacksByRule): ReportedRecording['lacks'] {
  const rules = new Map<string, number>()
  for (const counts of lacks.values()) {
    for (const what of counts.keys()) rules.set(what, (rules.get(what) ?? 0) + 1)
  }
  const sorted = [...rules].sort(([, one], [, other]) => other - one)
  return sorted.map(([what, n]) => ({ what, rules: n }))
}
