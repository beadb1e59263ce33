import type { Catalogue } from '../catalogue/catalogue.ts'
import { ruleResults } from '../judge/results.ts'
import type { RuleState } from '../judge/rule-engine.ts'
import { createShowing } from '../recording/showing.ts'
import type { Report } from '../report/report.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Redactor } from '../wire/redaction.ts'
import { type BankSighting, exchangeOf } from './bank-host.ts'
import type { Doubts } from './doubts.ts'
import { conductEngine, type TppSuites } from './suite.ts'
import { openTppReport } from './tpp-report.ts'

/** A request of a client that is only watched: it is unknown what the client was asked to do. */
export const WATCHED = { scenario: 'watch', goal: 'watch', present: true }

/** A request that reached the bank, as shown to an observer. It contains no secret. */
export interface WatchedLine {
  id: string
  at: string
  method: string
  path: string
  /** Status of the answer, or why there was none. */
  answer: string
  /** Why the bank refused. */
  refusal?: string
  broken: BrokenLine[]
}

/** A rule that a request, or its answer, breaks. */
export interface BrokenLine {
  /** The party that breaks it, where both parties are judged. */
  by?: 'bank' | 'TPP'
  id: string
  level: string
  text: string
  expected: string
  actual: string
}

/** The rules that an exchange breaks, as shown in a line. */
export function brokenLines(
  states: readonly RuleState[],
  ids: readonly string[],
  exchange: string,
  { catalogue, redact }: { catalogue: Catalogue; redact(text: string): string },
): BrokenLine[] {
  return states
    .filter(({ id }) => ids.includes(id))
    .map(({ id, violations }) => {
      const { level = '', text = '' } = catalogue.owners.get(id) ?? {}
      const { expected = '', actual = '' } =
        violations.find((each) => each.exchange === exchange)?.finding ?? {}
      return { id, level, text, expected: redact(expected), actual: redact(actual) }
    })
}

/** Judges every request that reaches a bank as it arrives. */
export function openWatch(parts: {
  suites: TppSuites
  catalogue: Catalogue
  /** Folder of the reports. */
  out: string
  version: string
  redactor: Redactor
  /** Name of the client, for the report. */
  name?: string
  /** Set if some facts that rules read are unknown. */
  doubts?: Doubts
  /** Number of exchanges that rules look back at; default: all. */
  most?: number
  /** The requests come from a recording: of very many, only those that are evidence are written down. */
  isRecorded?: boolean
}) {
  const { suites, catalogue, out, version, redactor, name = 'watched', doubts, most } = parts
  const { isRecorded = false } = parts
  const report = openTppReport(out, redactor)
  const { redact } = report
  const engine = conductEngine(suites, { doubts, most })
  const shows = createShowing(engine.states())
  let requests = 0

  /** Judges a request, or the view of it that rules may read; returns the line to show. */
  const take = (exchange: Exchange, refusal?: string, view = exchange): WatchedLine => {
    requests += 1
    const ids = engine.judge(view)
    report.note(exchange, !isRecorded || shows(exchange.id, ids))
    const { id, startedAt: at, request, response, failure } = exchange
    const { pathname, search, origin } = new URL(request.url)
    const isHandshake = request.method === 'CONNECT'
    return {
      ...{ id, at },
      method: isHandshake ? 'TLS' : request.method,
      path: redact(isHandshake ? origin : `${pathname}${search}`).slice(0, 300),
      answer: String(response?.status ?? failure?.code ?? 'no answer'),
      refusal: refusal && redact(refusal),
      broken: brokenLines(engine.states(), ids, id, { catalogue, redact }),
    }
  }

  return {
    redact,
    take,
    /** Judges what the bank saw; undefined for what is not a request of the TPP. */
    see(sighting: BankSighting): WatchedLine | undefined {
      // A bank that is only watched does not know whether the customer is present.
      const exchange = exchangeOf(sighting, `x${requests + 1}`, WATCHED)
      const line = take(exchange, sighting.refusal?.detail)
      const { endpoint, request } = exchange
      const isOthers = endpoint === 'elsewhere' && request.method !== 'CONNECT'
      return isOthers && sighting.role !== 'api' ? undefined : line
    },
    /** Writes report.json and closes exchanges.jsonl. */
    finish(): Report {
      const states = engine.states().filter(({ judged }) => judged > 0)
      const judged = ruleResults(states, catalogue, new Map(), {})
      const results = new Map(judged.map((result) => [result.id, result]))
      return report.finish({
        ...{ version, catalogue, results, only: [...results.keys()] },
        target: { name, configurationDigest: '' },
        requests,
        partial: `${isRecorded ? 'a recording' : 'a watch'} shows what was sent, and no scenario was played`,
      })
    },
  }
}
