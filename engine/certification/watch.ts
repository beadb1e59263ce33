import type { Catalogue } from '../catalogue/catalogue.ts'
import { ruleResults } from '../judge/results.ts'
import type { Report } from '../report/report.ts'
import type { Exchange } from '../wire/exchange.ts'
import { type BankSighting, exchangeOf } from './bank-host.ts'
import { conductEngine, type TppSuites } from './suite.ts'
import { openTppReport } from './tpp-report.ts'

/** A request that reached the bank, as it is shown to whoever watches. Nothing in it is secret. */
export type WatchedLine = NonNullable<ReturnType<ReturnType<typeof openWatch>['see']>>

/** Judges every request that reaches a bank, as it comes. */
export function openWatch(parts: {
  suites: TppSuites
  catalogue: Catalogue
  /** Folder of the reports. */
  out: string
  version: string
  secrets: string[]
}) {
  const { suites, catalogue, out, version, secrets } = parts
  const report = openTppReport(out, secrets)
  const { redact } = report
  const engine = conductEngine(suites)

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
    /** Judges what the bank saw; undefined for what is no request of the TPP. */
    see(sighting: BankSighting) {
      // Whether the customer is there, nobody tells a bank that is only watched.
      const during = { scenario: 'watch', goal: 'watch', present: true }
      const exchange = exchangeOf(sighting, `x${engine.judged.length + 1}`, during)
      const ids = engine.judge(exchange)
      report.note(exchange)
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
        /** Status of the answer, or why there was none. */
        answer: String(exchange.response?.status ?? exchange.failure?.code ?? 'no answer'),
        /** Why the bank refused. */
        refusal: sighting.refusal && redact(sighting.refusal.detail),
        /** What the request breaks. */
        broken: brokenBy(exchange, ids),
      }
    },
    /** Writes report.json and closes exchanges.jsonl. */
    finish(): Report {
      const states = engine.states().filter(({ judged }) => judged > 0)
      const judged = ruleResults(states, catalogue, new Map(), {})
      const results = new Map(judged.map((result) => [result.id, result]))
      return report.finish({
        ...{ version, catalogue, results, only: [...results.keys()] },
        target: { name: 'watched', configurationDigest: '' },
        requests: engine.judged.length,
        partial: 'a watch judges what was sent, and plays no scenario',
      })
    },
  }
}
