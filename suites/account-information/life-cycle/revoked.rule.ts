import { brief, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'

/** What queries show of a consent that has ended. Requirements: specs/account-information/life-cycle.yaml */

/**
 * Every later query 2xx of a consent that a query showed as Revoked. Fails: it is Authorised, or waits to be, again, for
 * longer after that than an end takes to reach all of a bank.
 */
rule(
  'CLC-10/stays-revoked',
  'A consent that was shown as Revoked is not shown as Authorised, or waiting, later',
  {
    endpoints: ['query-account-access-consent'],
    unseen: 'no consent that was shown as Revoked was queried again',
    // What undoes a revocation is asked by these.
    follows: ['TOK-31/revoked', 'AUTHZ-15/revoked'],
  },
  (exchange, { earlier, settlingTime }) => {
    if (exchange.endpoint !== 'query-account-access-consent' || !succeeded(exchange))
      return undefined
    const { json } = exchange.response ?? {}
    const [id, status] = ['ConsentId', 'Status'].map((name) => member(json, 'Data', name))
    if (typeof id !== 'string') return undefined
    const at = Date.parse(exchange.startedAt)
    const before = earlier.get(id) as { id: string; at: number } | undefined
    if (!before && status === 'Revoked') earlier.set(id, { id: exchange.id, at })
    if (!before) return undefined
    // Which other values there are is not shown.
    if (status !== 'Authorised' && status !== 'AwaitingAuthorisation') return []
    // Another part of the bank may not have heard of it yet.
    if (at < before.at + settlingTime) return undefined
    const message = `Status is ${brief(status)}, and an earlier query (${before.id}) showed Revoked`
    return [{ message, expected: 'Revoked', actual: brief(status), place: '/Data/Status' }]
  },
)
