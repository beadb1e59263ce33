import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { ruleResults } from '../judge/results.ts'
import { createRuleEngine } from '../judge/rule-engine.ts'
import { createEvidence } from '../report/evidence-index.ts'
import type { Report } from '../report/report.ts'
import { composeReport } from '../run/compose.ts'
import { createLatency } from '../run/latency.ts'
import type { Exchange } from '../wire/exchange.ts'
import { openExchangeLog } from '../wire/exchange-log.ts'
import { createRedactor } from '../wire/redaction.ts'
import { type BankSighting, exchangeOf } from './bank-host.ts'
import type { TppSuites } from './suite.ts'
import { ofTpp } from './tpp-report.ts'

/** A request that reached the bank, as it is shown to whoever watches. Nothing in it is secret. */
export interface WatchedLine {
  id: string
  /** UTC. */
  at: string
  method: string
  path: string
  /** Status of the answer, or why there was none. */
  answer: string
  /** Why the bank refused. */
  refusal?: string
  /** What the request breaks. */
  broken: { id: string; level: string; text: string; expected: string; actual: string }[]
}

export interface Watch {
  /** Judges what the bank saw; undefined for what is no request of the TPP. */
  see(sighting: BankSighting): WatchedLine | undefined
  /** Writes report.json and closes exchanges.jsonl. */
  finish(): Report
}

/** Judges every request that reaches a bank, as it comes. */
export function openWatch(parts: {
  suites: TppSuites
  catalogue: Catalogue
  /** Folder of the reports. */
  out: string
  version: string
  secrets: string[]
}): Watch {
  const { suites, catalogue, out, version, secrets } = parts
  const startedAt = new Date()
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), createRedactor(secrets))
  const { redact } = log
  const latency = createLatency()
  const evidence = createEvidence()
  const earlier: Exchange[] = []
  const rules = suites.rules.map((rule) => ({
    ...rule,
    judge: (exchange: Exchange) => rule.judge(exchange, earlier),
  }))
  const engine = createRuleEngine([], rules, {})

  const brokenBy = (exchange: Exchange, ids: string[]) =>
    engine
      .states()
      .filter(({ id }) => ids.includes(id))
      .map(({ id, violations }) => {
        const { level = '', text = '' } = catalogue.owners.get(id) ?? {}
        const { expected = '', actual = '' } =
          violations.find((each) => each.exchange === exchange.id)?.finding ?? {}
        return { id, level, text, expected: redact(expected), actual: redact(actual) }
      })

  return {
    see(sighting) {
      // Whether the customer is there, nobody tells a bank that is only watched.
      const during = { scenario: 'watch', goal: 'watch', present: true }
      const exchange = exchangeOf(sighting, `x${earlier.length + 1}`, during)
      const ids = engine.judge(exchange)
      earlier.push(exchange)
      latency.note(exchange)
      evidence.note(exchange)
      log.append(exchange)
      const { method, url } = exchange.request
      if (exchange.endpoint === 'elsewhere' && method !== 'CONNECT' && sighting.role !== 'api') {
        return undefined
      }
      const { pathname, search, origin } = new URL(url)
      return {
        id: exchange.id,
        at: exchange.startedAt,
        method: method === 'CONNECT' ? 'TLS' : method,
        path: redact(method === 'CONNECT' ? origin : `${pathname}${search}`).slice(0, 300),
        answer: String(exchange.response?.status ?? exchange.failure?.code ?? 'no answer'),
        ...(sighting.refusal && { refusal: redact(sighting.refusal.detail) }),
        broken: brokenBy(exchange, ids),
      }
    },
    finish() {
      const states = engine.states().filter(({ judged }) => judged > 0)
      const results = new Map(
        ruleResults(states, catalogue, new Map(), {}).map((result) => [result.id, result]),
      )
      const composed = composeReport({
        version,
        target: { name: 'watched', configurationDigest: '' },
        scope: { profile: 'full', only: [...results.keys()] },
        startedAt,
        finishedAt: new Date(),
        catalogue,
        results,
        requests: earlier.length,
        latency: latency.summary(),
        evidence,
        partial: 'a watch judges what was sent, and plays no scenario',
        redact,
      })
      const report = ofTpp(composed)
      writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
      log.close()
      return report
    },
  }
}
