import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Result } from '../judge/results.ts'
import type { RuleEngine } from '../judge/rule-engine.ts'
import { createTransitions } from '../model/transitions.ts'
import { now } from '../record/clock.ts'
import { endpointName } from '../report/endpoint-names.ts'
import { createEvidence } from '../report/evidence-index.ts'
import type { Report, ReportedRecording } from '../report/report.ts'
import { composeReport, writeReport } from '../run/compose.ts'
import type { Deviation } from '../run/deviations.ts'
import { createLatency } from '../run/latency.ts'
import type { Suites } from '../run/suites.ts'
import type { Exchange } from '../wire/exchange.ts'
import { openExchangeLog } from '../wire/exchange-log.ts'
import { createRedactor, type Redactor } from '../wire/redaction.ts'
import type { RecordingFile } from './read-files.ts'
import type { Recorded } from './recorded.ts'
import { createRecordedJudging, type Judged } from './recorded-judging.ts'
import type { LacksByRule } from './recording-rules.ts'
import type { RecordingTarget } from './recording-target.ts'
import { lackCounts, mustsOf, recordingVerdict, resultsOfRules } from './rules-report.ts'
import { createShowing } from './showing.ts'

/** Maximum number of other addresses that are listed. */
const NAMED = 20

/** Maximum number of other addresses that are counted separately. */
const TOLD_APART = 5000

export interface JudgementParts {
  target: RecordingTarget
  /** The target as the report names it. */
  described: Report['target']
  suites: Pick<Suites, 'rules' | 'schemas' | 'checks'>
  catalogue: Catalogue
  deviations?: Deviation[]
  /** Folder of the reports. */
  out: string
  version: string
  /** Redactor that knows the secrets of the exchanges. Default: a new one. */
  redactor?: Redactor
}

/** How a judgement ends. */
export interface JudgementEnd {
  /** Files that contained the exchanges. */
  files?: RecordingFile[]
  interrupted?: boolean
  /** Events outside what was judged, one line each. */
  notes?: string[]
}

/** Applies every rule to exchanges of other parties, one exchange at a time, with a report at the end. */
export type Judgement = ReturnType<typeof openJudgement>

/**
 * Judges exchanges of other parties by every rule, in the order in which they are taken, and writes those that are
 * evidence to exchanges.jsonl.
 */
export function openJudgement(parts: JudgementParts) {
  const { target, suites, out } = parts
  const startedAt = new Date(now())
  const judging = createRecordedJudging(target, suites)
  const { engine, operations, lacksByRule: lacks } = judging
  const redactor = parts.redactor ?? createRedactor(target.secrets)
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), redactor)
  const tally = createTally(engine, log)
  return {
    /** The address of a path, where only the path is known. */
    resolve: operations.resolve,
    /** Number of exchanges so far. */
    get exchanges() {
      return tally.exchanges
    },
    /** The text without secrets. */
    redact: log.redact,
    /** The violations of each rule so far. */
    states: engine.states,
    /** Judges the next exchange. Must not be called again before the promise settles. */
    async take(recorded: Recorded, id: string): Promise<Judged> {
      tally.exchanges += 1
      const judged = await judging.judge(recorded, id)
      if (judged.counts) tally.judged(judged.exchange, judged.broken)
      else tally.elsewhere(recorded, operations.isOfTarget(recorded.url))
      return judged
    },
    /** Writes report.json. */
    finish(end: JudgementEnd = {}): Report {
      const results = resultsOfRules(engine, parts, lacks)
      const found = { startedAt, results, engine, tally, lacks, redact: log.redact }
      const report = reportOf(parts, found, end)
      writeReport(out, report)
      return report
    },
    close: log.close,
  }
}

/** Counts exchanges, and keeps those that are evidence. */
function createTally(engine: RuleEngine, log: ReturnType<typeof openExchangeLog>) {
  const evidence = createEvidence()
  const latency = createLatency()
  const transitions = createTransitions()
  const names = new Map<string, number>()
  const shows = createShowing(engine.states())
  let first: string | undefined
  let last: string | undefined
  let operations = 0

  return {
    evidence,
    latency,
    states: transitions.result,
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
    judged(exchange: Exchange, broken: string[]) {
      operations += 1
      const { startedAt } = exchange
      if (first === undefined || startedAt < first) first = startedAt
      if (last === undefined || startedAt > last) last = startedAt
      latency.note(exchange)
      transitions.note(exchange)
      if (!shows(exchange.id, broken)) return
      evidence.note(exchange)
      log.append(exchange)
    },
  }
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
    states: tally.states(),
    observations: engine.observations(),
    requests: tally.operations,
    partial: interrupted
      ? 'interrupted: a part of the recording was judged'
      : 'recorded traffic: requests that nobody sent were not judged',
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
  const ended = recordingVerdict(report, recording, interrupted)
  const problems = [...ended.problems, ...unread, ...notes.map(redact)]
  return { ...report, ...ended, recording, problems }
}
