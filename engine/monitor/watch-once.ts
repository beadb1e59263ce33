import { join } from 'node:path'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { ClientStore } from '../client-session/client-store.ts'
import type { Target } from '../configuration/resolve.ts'
import { placesOf } from '../doctor/places.ts'
import { serverChain } from '../doctor/server-chain.ts'
import { createRuleEngine } from '../judge/rule-engine.ts'
import { now } from '../record/clock.ts'
import { isObject } from '../record/json.ts'
import { mustsOf, recordingVerdict, resultsOfRules } from '../recording/rules-report.ts'
import { createEvidence } from '../report/evidence-index.ts'
import type { Report, ReportedMonitor, ReportedRecording } from '../report/report.ts'
import { composeReport, writeReport } from '../run/compose.ts'
import type { Deviation } from '../run/deviations.ts'
import { createLatency } from '../run/latency.ts'
import type { Suites } from '../run/suites.ts'
import type { Exchange } from '../wire/exchange.ts'
import { openExchangeLog } from '../wire/exchange-log.ts'
import { createRedactor } from '../wire/redaction.ts'
import { certificateEnds } from '../wire/transport-certificates.ts'
import type { KeptApprovals } from './kept-approvals.ts'
import { isOfData, monitorRound, type RoundSeen } from './round.ts'
import { type Change, type Ending, isAway, type MonitorState, stateAfter } from './state.ts'

export interface WatchParts {
  target: Target
  /** What its report says about the target. */
  described: Report['target']
  suites: Pick<Suites, 'rules' | 'schemas' | 'checks'>
  catalogue: Catalogue
  deviations?: Deviation[]
  kept: KeptApprovals
  clients: Pick<ClientStore, 'find'>
  /** Folder for the reports of the last round. */
  out: string
  version: string
  /** Milliseconds between two readings of data. */
  dataEvery: number
  signal?: AbortSignal
}

export interface Watched {
  report: Report
  state: MonitorState
  /** Redacted. */
  changes: Change[]
  unwatched: string[]
  /** True if data were requested. */
  data: boolean
}

/** One round, judged only by the rules and written in the form of `assay judge`; it never makes a bank conformant. */
export async function watchOnce(parts: WatchParts, before: MonitorState): Promise<Watched> {
  const { target, suites, out, kept, clients, signal, dataEvery } = parts
  const startedAt = new Date(now())
  const { literals = {} } = target.document
  const engine = createRuleEngine(suites.schemas, suites.rules, literals, target)
  const secrets = [...target.secrets, ...kept.all().flatMap(({ tokens }) => secretsIn(tokens))]
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), createRedactor(secrets))
  const evidence = createEvidence()
  const latency = createLatency()
  let exchanges = 0
  // Requests data again at once while they are away, to see when the outage ends.
  const data =
    before.dataAt === undefined ||
    now() - Date.parse(before.dataAt) >= dataEvery ||
    isAway(before).some(isOfData)
  try {
    const round = await monitorRound({
      ...{ target, kept, engine, data },
      registered: (name) => clients.find(name),
      onExchange(exchange: Exchange) {
        exchanges += 1
        evidence.note(exchange)
        latency.note(exchange)
        log.append(exchange)
      },
      ...(signal && { signal }),
    })
    const certificates = await endings(target, round)
    const results = resultsOfRules(engine, parts, new Map())
    const { redact } = log
    const report = composeReport({
      ...{ version: parts.version, catalogue: parts.catalogue, results, redact, startedAt },
      ...{ target: parts.described, deviations: parts.deviations, evidence },
      scope: { profile: 'full', only: [...results.keys()] },
      finishedAt: new Date(now()),
      latency: latency.summary(),
      observations: engine.observations(),
      requests: round.requests,
      partial: 'a round of a monitor: what it did not ask for was not judged',
    })
    const { state, changes } = stateAfter(before, {
      parts: round.parts.map((part) => ({
        ...part,
        ...(part.why !== undefined && { why: redact(part.why) }),
      })),
      ...(round.keys && { keys: await namesOf(round.keys) }),
      rules: report.checks,
      certificates,
      at: startedAt.getTime(),
      data: data && kept.all().length > 0,
    })
    const whole = withRound(report, { round, exchanges, state, certificates, parts, results })
    writeReport(out, whole)
    return { report: whole, state, changes, unwatched: round.unwatched, data: round.data }
  } finally {
    log.close()
  }
}

/** The secret values of a token set. */
const secretsIn = ({ accessToken, refreshToken }: { accessToken: string; refreshToken?: string }) =>
  [accessToken, refreshToken].filter((each) => each !== undefined)

/** Expiry of certificates: of each requested host, and of our own clients. */
async function endings(target: Target, { jwksAddress }: RoundSeen): Promise<Ending[]> {
  const origins = new Set(placesOf(target).map(({ origin }) => origin))
  if (jwksAddress !== undefined) origins.add(new URL(jwksAddress).origin)
  const patience = Math.min(target.timeout, LONGEST)
  const hosts = await Promise.all(
    [...origins].map(async (origin): Promise<Ending[]> => {
      const chain = await serverChain(origin, target, patience)
      return chain ? [{ what: new URL(origin).host, notAfter: chain.notAfter }] : []
    }),
  )
  const own = certificateEnds(target.clients).map(({ client, notAfter }) => ({
    what: `our client “${client}”`,
    notAfter,
  }))
  return [...hosts.flat(), ...own]
}

/** Maximum milliseconds for a handshake without a request. */
const LONGEST = 5000

async function namesOf(keys: readonly unknown[]): Promise<string[]> {
  const names = keys.map(async (key) => {
    if (!isObject(key)) return 'no key'
    return calculateJwkThumbprint(key as JWK).catch(() => `kid ${String(key.kid)}`)
  })
  return (await Promise.all(names)).sort()
}

/** The report with what a monitor adds: the size of the round, what is away, what expires. */
function withRound(
  report: Report,
  found: {
    round: RoundSeen
    exchanges: number
    state: MonitorState
    certificates: Ending[]
    parts: WatchParts
    results: ReturnType<typeof resultsOfRules>
  },
): Report {
  const { round, exchanges, state, certificates, parts, results } = found
  const operations = exchanges
  const recording: ReportedRecording = {
    files: [
      { file: 'a round of assay monitor', format: 'monitor', exchanges, unsent: 0, unreadable: 0 },
    ],
    ...{ exchanges, operations, elsewhere: [], lacks: [] },
    musts: mustsOf(parts.catalogue, results),
  }
  const monitor: ReportedMonitor = {
    since: state.since,
    parts: Object.entries(state.parts).map(([part, known]) => {
      const seen = round.parts.find((each) => each.part === part)
      return { part, ...(seen && { is: seen.is }), ...known }
    }),
    certificates,
    unwatched: round.unwatched,
    data: round.data,
  }
  const ended = recordingVerdict(report, recording, parts.signal?.aborted === true)
  const isServed = round.parts.some(({ is }) => is !== 'away')
  const exitCode =
    ended.exitCode === 1 ? 1 : isServed && isAway(state).length === 0 ? ended.exitCode : 3
  return { ...report, ...ended, exitCode, recording, monitor }
}
