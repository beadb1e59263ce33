import {
  brief,
  type Endpoint,
  type Exchange,
  member,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { DATA } from '../common/endpoints.ts'

/** Queries of consents that have ended. Requirements: specs/account-information/life-cycle.yaml */

const QUERY: Endpoint = 'query-account-access-consent'

/** The consent that a successful query shows, and its Status; undefined for any other exchange. */
function queriedIn(exchange: Exchange): { id: string; status: unknown } | undefined {
  if (exchange.endpoint !== QUERY || !succeeded(exchange)) return undefined
  const { json } = exchange.response ?? {}
  const [id, status] = ['ConsentId', 'Status'].map((name) => member(json, 'Data', name))
  return typeof id === 'string' ? { id, status } : undefined
}

/**
 * Every later query 2xx of a consent that a query showed as Revoked. Fails:
 * after the settling time, it is Authorised or AwaitingAuthorisation again.
 */
rule(
  'CLC-10/stays-revoked',
  'A consent that was shown as Revoked is not shown as Authorised or AwaitingAuthorisation later',
  {
    endpoints: [QUERY],
    unseen: 'no consent that was shown as Revoked was queried again',
    // These checks try to undo a revocation.
    follows: ['TOK-31/revoked', 'AUTHZ-15/revoked'],
  },
  (exchange, { earlier, settlingTime }) => {
    const query = queriedIn(exchange)
    if (!query) return undefined
    const { id, status } = query
    const at = Date.parse(exchange.startedAt)
    const before = earlier.get(id) as { id: string; at: number } | undefined
    if (!before && status === 'Revoked') earlier.set(id, { id: exchange.id, at })
    if (!before) return undefined
    // The documents do not list other values.
    if (status !== 'Authorised' && status !== 'AwaitingAuthorisation') return []
    // Until then, another part of the bank may not know of the revocation yet.
    if (at < before.at + settlingTime) return undefined
    const message = `Status is ${brief(status)}, and an earlier query (${before.id}) showed Revoked`
    return [{ message, expected: 'Revoked', actual: brief(status), place: '/Data/Status' }]
  },
)

/**
 * Every data request under a consent that was queried before. Fails: the last
 * query showed Revoked, and after the settling time data is still given.
 */
rule(
  'CLC-11/shown-revoked',
  'While its query shows Revoked, a consent gives no data',
  {
    endpoints: [QUERY, ...DATA],
    unseen: 'no consent was queried before its data were asked for',
    follows: [
      'CLC-04/revoked',
      'CLC-11/data-refused',
      'CLC-11/re-confirmed',
      'CLC-11/second-client',
      'CLC-10/stays-revoked',
    ],
  },
  (exchange, { earlier, settlingTime }) => {
    const { endpoint, about } = exchange
    const at = Date.parse(exchange.startedAt)
    const query = queriedIn(exchange)
    if (query) {
      const { id, status } = query
      const before = earlier.get(id) as Shown | undefined
      if (before?.status !== status) earlier.set(id, { id: exchange.id, at, status })
      return undefined
    }
    const shown = earlier.get(about.consent?.id ?? '') as Shown | undefined
    if (!DATA.includes(endpoint) || about.deviation !== undefined || !shown) return undefined
    if (!succeeded(exchange) || shown.status !== 'Revoked') return []
    // Until then, another part of the bank may not know of the revocation yet.
    if (at < shown.at + settlingTime) return undefined
    const message = `data are given, and the query before (${shown.id}) showed Revoked`
    return [{ message, expected: 'a refusal', actual: String(exchange.response?.status) }]
  },
)

/** The first of consecutive queries that showed this Status. */
interface Shown {
  id: string
  at: number
  status: unknown
}
