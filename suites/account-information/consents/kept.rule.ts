import { brief, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { comparable, EXPIRY, showsItsEnd, TERMS } from '../common/consents/consent-comparisons.ts'
import { statusOf } from '../common/consents/consent-requests.ts'
import { ACCOUNT_ACCESS } from '../common/endpoints.ts'

/** Terms of consents over a whole run. Requirements: specs/account-information/consents.yaml */

/** What the creation asked for, and what the first answer with each member showed. */
interface Terms {
  asked: unknown
  shown: Map<string, unknown>
}

/**
 * Every query 2xx of a consent whose creation was seen, while Status is AwaitingAuthorisation or Authorised: how an end is
 * shown is open. Fails: Permissions, a requested start or end of the period, or a requested ExpirationDateTime differs
 * from the first answer that showed it. ExpirationDateTime counts while it is to come, and where it did not move to an
 * earlier time: an operator may move the dates of a consent, so that it expires.
 */
rule(
  'CONS-37/kept',
  'The terms of a consent are shown as before, also some time after its approval',
  {
    endpoints: ACCOUNT_ACCESS,
    unseen: 'no consent was queried after it was created',
    follows: [
      ...['CONS-22/asked-consent', 'CONS-22/as-created', 'CONS-22/beside-newer'],
      ...[
        'CONS-31/period-as-requested',
        'CONS-22/while-waiting',
        'CONS-22/after-approval',
        'CONS-22/after-reconfirmation',
      ],
      ...[
        'AUTHZ-17/unchanged',
        'AUTHZ-17/data',
        'CLC-23/terms',
        'CLC-23/second-client',
        'CLC-23/denied',
      ],
      ...['CLC-23/expired', 'CONS-03/never-again'],
    ],
  },
  (exchange, { earlier, clockTolerance }) => {
    if (!ACCOUNT_ACCESS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    if (exchange.about.deviation !== undefined) return undefined
    const data = member(exchange.response?.json, 'Data')
    const id = String(member(data, 'ConsentId'))
    const body = exchange.request.body
    if (exchange.endpoint.startsWith('create-') && body !== undefined) {
      earlier.set(id, { asked: member(JSON.parse(body), 'Data'), shown: new Map() } satisfies Terms)
    }
    const terms = earlier.get(id) as Terms | undefined
    if (!terms) return undefined
    if (!['AwaitingAuthorisation', 'Authorised'].includes(String(statusOf(exchange)))) return []
    const expires = Number(comparable(EXPIRY, member(data, EXPIRY)) ?? Infinity)
    const before = Number(comparable(EXPIRY, terms.shown.get(EXPIRY)) ?? expires)
    const isMoved = showsItsEnd(exchange, clockTolerance) || expires < before
    return [...TERMS, EXPIRY].flatMap((name) => {
      if (name === EXPIRY && isMoved) return []
      return changeOf(name, member(data, name), terms)
    })
  },
)

function changeOf(name: string, now: unknown, { asked, shown }: Terms): Finding[] {
  // A date that was not requested is up to the bank.
  if (member(asked, name) === undefined) return []
  const before = shown.get(name)
  if (before === undefined) {
    if (comparable(name, now) !== undefined) shown.set(name, now)
    return []
  }
  const isOdd = now !== undefined && comparable(name, now) === undefined
  if (isOdd || comparable(name, now) === comparable(name, before)) return []
  const message = `${name} of the consent has changed`
  const actual = now === undefined ? 'no such member' : brief(now)
  return [{ message, expected: brief(before), actual, place: `/Data/${name}` }]
}
