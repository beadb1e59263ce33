import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Result } from '../judge/results.ts'
import type { RuleEngine } from '../judge/rule-engine.ts'
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
import { createRedactor } from '../wire/redaction.ts'
import { merged } from './merge.ts'
import { inOrder } from './order.ts'
import { exchangesIn, type RecordingFile } from './read-files.ts'
import type { Recorded } from './recorded.ts'
import { createRecordedJudging } from './recorded-judging.ts'
import type { LacksByRule } from './recording-rules.ts'
import type { RecordingTarget } from './recording-target.ts'
import { lackCounts, mustsOf, recordingVerdict, resultsOfRules } from './rules-report.ts'

/** Other addresses that are named; the rest is counted. */
const NAMED = 20

/** Other addresses that are told apart at all. */
const TOLD_APART = 5000

export interface RecordingParts {
  files: RecordingFile[]
  target: RecordingTarget
  /** What of the target its report names. */
  described: Report['target']
  suites: Pick<Suites, 'rules' | 'schemas' | 'checks'>
  catalogue: Catalogue
  deviations?: Deviation[]
  /** Folder of the reports. */
  out: string
  version: string
  /** Ends the reading; what was read by then is judged. */
  signal?: AbortSignal
  onProgress?(exchanges: number): void
}

/**
 * Judges exchanges that others recorded by every rule, as they stream in, and writes report.json and exchanges.jsonl: of
 * the latter those exchanges that show something.
 *
 * @throws InputError where a file holds nothing that is known
 */
export async function judgeRecording(parts: RecordingParts): Promise<Report> {
  const { target, suites, out, files, signal } = parts
  const startedAt = new Date(now())
  const judging = createRecordedJudging(target, suites)
  const { engine, operations, lacksByRule: lacks } = judging
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), createRedactor(target.secrets))
  const tally = createTally(engine, log)
  try {
    for await (const recorded of sourceOf(files, operations.resolve)) {
      if (signal?.aborted) break
      tally.exchanges += 1
      if (tally.exchanges % 1000 === 0) parts.onProgress?.(tally.exchanges)
      const found = await judging.judge(recorded, idOf(recorded, tally.exchanges, files))
      if (found) tally.judged(found.exchange, found.broken)
      else tally.elsewhere(recorded, operations.isOfTarget(recorded.url))
    }
    const results = resultsOfRules(engine, parts, lacks)
    const { redact } = log
    const report = reportOf(parts, { startedAt, results, engine, tally, lacks, redact })
    writeReport(out, report)
    return report
  } finally {
    log.close()
  }
}

/** Runs of our own come in their order, which is that of their judging; what others recorded in that of its sending. */
async function* sourceOf(
  files: RecordingFile[],
  resolve: (path: string) => string | undefined,
): AsyncGenerator<Recorded> {
  const others: AsyncGenerator<Recorded>[] = []
  for (const file of files) {
    const all = exchangesIn(file, resolve)
    const { value, done } = await all.next()
    if (done) continue
    const rest = startingWith(value, all)
    if (value.own) yield* rest
    else others.push(inOrder(rest))
  }
  yield* merged(others)
}

async function* startingWith(
  first: Recorded,
  rest: AsyncGenerator<Recorded>,
): AsyncGenerator<Recorded> {
  yield first
  yield* rest
}

/** Of a run of our own its ids, of which others of its exchanges speak; of a second run others. */
function idOf({ own, where }: Recorded, count: number, files: RecordingFile[]): string {
  if (!own) return `x${count}`
  const [name] = where.split(' ', 1)
  const index = files.findIndex(({ path }) => path.endsWith(name ?? ''))
  return files.length === 1 ? own.id : `${own.id}.${index + 1}`
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
    judged(exchange: Exchange, broken: string[]) {
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

function reportOf(
  { catalogue, described, files, version, deviations, signal }: RecordingParts,
  found: {
    startedAt: Date
    results: Map<string, Result>
    engine: RuleEngine
    tally: ReturnType<typeof createTally>
    lacks: LacksByRule
    redact(text: string): string
  },
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
    partial: signal?.aborted
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
  const ended = recordingVerdict(report, recording, signal?.aborted === true)
  return { ...report, ...ended, recording, problems: [...ended.problems, ...unread] }
}
