import { brief, type Exchange, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { changedSince, showsItsEnd } from '../common/consents/consent-comparisons.ts'
import { NINE_PERMISSIONS, statusOf } from '../common/consents/consent-requests.ts'
import {
  createdThen,
  datesAsRequested,
  datesShown,
  neverAgain,
  requestedData,
} from '../common/consents/created-consents.ts'
import { ACCOUNT_ACCESS, CONSENTS, DATA } from '../common/endpoints.ts'
import { secondsOf } from '../common/instants.ts'

/** Account access consents. Requirements: specs/account-information/consents.yaml */

const CREATE = 'create-account-access-consent'
const QUERY = 'query-account-access-consent'
const PERIOD = ['TransactionFromDateTime', 'TransactionToDateTime']

rule(
  'CONS-05/recorded',
  'Which values of Status occur',
  { endpoints: CONSENTS, unseen: 'no answer had Status' },
  ({ endpoint, response }, { observe }) => {
    const status = member(response?.json, 'Data', 'Status')
    if (!CONSENTS.includes(endpoint) || typeof status !== 'string') return undefined
    const kind = endpoint.includes('funds') ? 'funds confirmation' : 'account access'
    observe(`Status of a consent for ${kind}`, status)
    return []
  },
)

/** Every creation 2xx: no earlier creation of the run gave its ConsentId, even if that consent is deleted. */
rule(
  'CONS-03/never-again',
  'No ConsentId is issued a second time in a run, not even that of a deleted consent',
  { endpoints: [CREATE], follows: ['CONS-03/unique', 'CONS-03/at-once'] },
  (exchange, { earlier }) => neverAgain(exchange, CREATE, earlier),
)

rule(
  'CONS-06/at-creation',
  'CreationDateTime is the time of the creation',
  { endpoints: [CREATE], unseen: 'no answer had CreationDateTime' },
  (exchange, tools) => createdThen(exchange, CREATE, tools.clockTolerance),
)

/** Every consent 2xx of one ConsentId: CreationDateTime is that of the first answer, within one second. */
rule(
  'CONS-06/kept',
  'CreationDateTime of a consent is the same in every answer',
  {
    endpoints: [CREATE, QUERY],
    unseen: 'no consent was shown twice with CreationDateTime',
    follows: [
      'CONS-03/never-again',
      'CONS-22/while-waiting',
      'CONS-22/after-approval',
      'CONS-22/after-revocation',
      'CONS-22/after-denial',
      'CONS-22/after-reconfirmation',
      'CONS-22/after-expiry',
      'CONS-22/after-ninety-days',
    ],
  },
  (exchange, { earlier }) => {
    const shown = dated(exchange, 'CreationDateTime')
    if (!shown) return undefined
    const first = earlier.get(shown.id) as typeof shown | undefined
    if (!first) {
      earlier.set(shown.id, shown)
      return undefined
    }
    if (Math.abs(shown.at - first.at) <= 1) return []
    return [
      {
        message: 'CreationDateTime differs from that of an earlier answer',
        expected: first.value,
        actual: shown.value,
        place: '/Data/CreationDateTime',
      },
    ]
  },
)

/**
 * Every consent 2xx of one ConsentId, requested after an earlier answer had arrived:
 * StatusUpdateDateTime is no earlier than there (in whole seconds, with a tolerance of one).
 * Until the settling time has passed since the later one was first shown, an answer may be of
 * a moment before it, unless both show the consent as Revoked, and it is no later than what
 * was shown before that.
 */
rule(
  'CONS-29/never-back',
  'StatusUpdateDateTime of a consent does not go back',
  {
    endpoints: [CREATE, QUERY],
    unseen: 'no consent was shown twice with StatusUpdateDateTime',
    follows: ['CONS-03/never-again', 'CONS-29/after-approval', 'CLC-12/status-update-moves'],
  },
  (exchange, { earlier, settlingTime }) => {
    const shown = dated(exchange, 'StatusUpdateDateTime')
    if (!shown) return undefined
    const before = earlier.get(shown.id) as
      | (typeof shown & { until: number; settled: number; whileValid?: number; isRevoked: boolean })
      | undefined
    const sent = Date.parse(exchange.startedAt)
    const until = sent + exchange.durationMs
    const isRevoked = member(exchange.response?.json, 'Data', 'Status') === 'Revoked'
    if (!before || shown.at >= before.at) {
      const settled = shown.at === before?.at ? before.settled : until + settlingTime
      const whileValid = isRevoked ? before?.whileValid : shown.at
      earlier.set(shown.id, { ...shown, until, settled, whileValid, isRevoked })
    }
    if (!before || sent < before.until) return undefined
    if (shown.at >= before.at - 1) return []
    const isOld = isRevoked && before.isRevoked && shown.at <= (before.whileValid ?? -Infinity)
    if (sent < before.settled && !isOld) return undefined
    return [
      {
        message: 'StatusUpdateDateTime is earlier than in an earlier answer',
        expected: `${before.value} or later`,
        actual: shown.value,
        place: '/Data/StatusUpdateDateTime',
      },
    ]
  },
)

/** A date-time of the consent that an answer shows, in whole seconds; undefined where it shows none. */
function dated(exchange: Exchange, name: string) {
  if (!ACCOUNT_ACCESS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
  const data = member(exchange.response?.json, 'Data')
  const [id, value] = [member(data, 'ConsentId'), member(data, name)]
  const at = secondsOf(value)
  if (typeof id !== 'string' || at === undefined) return undefined
  return { id, at, value: String(value) }
}

/**
 * Every consent 2xx (both kinds) with both date-times: StatusUpdateDateTime
 * is not before CreationDateTime (compared in whole seconds, with a
 * tolerance of one: the servers of a bank may have different clocks).
 */
rule(
  'CONS-29/not-before-creation',
  'A consent was not updated before it was created',
  { endpoints: CONSENTS, unseen: 'no answer had both date-times' },
  (exchange) => {
    if (!CONSENTS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    const data = member(exchange.response?.json, 'Data')
    const updated = secondsOf(member(data, 'StatusUpdateDateTime'))
    const created = secondsOf(member(data, 'CreationDateTime'))
    if (updated === undefined || created === undefined) return undefined
    if (updated >= created - 1) return []
    return [
      {
        message: 'StatusUpdateDateTime is before CreationDateTime',
        expected: `${brief(member(data, 'CreationDateTime'))} or later`,
        actual: brief(member(data, 'StatusUpdateDateTime')),
        place: '/Data/StatusUpdateDateTime',
      },
    ]
  },
)

/**
 * Every consent 2xx (both kinds): StatusUpdateDateTime is no later than the answer (whole seconds). A wrong time after
 * a change of Status is judged by the checks of that change, a creation in the future by the rules for creation.
 */
rule(
  'CONS-29/not-in-future',
  'A consent was not updated later than the answer that shows it',
  {
    endpoints: CONSENTS,
    unseen: 'no answer had StatusUpdateDateTime',
    follows: [
      ...['CONS-06/at-creation', 'FCC-22/at-creation'],
      ...['CONS-29/after-approval', 'CONS-29/after-denial'],
      ...['CLC-12/status-update-moves', 'CLC-12/second-client'],
    ],
  },
  (exchange, { clockTolerance }) => {
    if (!CONSENTS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    const value = member(exchange.response?.json, 'Data', 'StatusUpdateDateTime')
    const updated = secondsOf(value)
    if (updated === undefined) return undefined
    const end = Date.parse(exchange.startedAt) + exchange.durationMs
    const latest = Math.ceil(end / 1000) + clockTolerance
    if (updated <= latest) return []
    return [
      {
        message: 'StatusUpdateDateTime is in the future',
        expected: `not later than ${new Date(latest * 1000).toISOString()}`,
        actual: brief(value),
        place: '/Data/StatusUpdateDateTime',
      },
    ]
  },
)

/**
 * Every create 2xx that returns Permissions: as sets, request body
 * = response body. Not judged: requests whose Permissions is no
 * array of strings, or has a value outside the nine (see CONS-10),
 * and Basic where both have the Detail of the same resource (AMB-44).
 */
rule(
  'CONS-08/as-requested',
  'A created consent has the permissions that were asked for, none added, none dropped',
  { endpoints: [CREATE], unseen: 'no answer had Permissions' },
  (exchange) => {
    const asked = member(requestedData(exchange, CREATE), 'Permissions')
    const given = member(exchange.response?.json, 'Data', 'Permissions')
    if (!Array.isArray(asked) || !Array.isArray(given) || asked.length === 0) return undefined
    // A permission outside the list is judged by CONS-10.
    if (!asked.every((one) => NINE_PERMISSIONS.includes(one))) return undefined
    const isJudged = (one: unknown) => !isBesideDetail(one, asked, given)
    const added = given.filter((one) => !asked.includes(one) && isJudged(one))
    const dropped = asked.filter((one) => !given.includes(one) && isJudged(one))
    if (added.length + dropped.length === 0) return []
    const message = [
      ...(dropped.length > 0 ? [`dropped ${dropped.join(', ')}`] : []),
      ...(added.length > 0 ? [`added ${added.map((one) => brief(one)).join(', ')}`] : []),
    ].join('; ')
    return [{ message, expected: brief(asked), actual: brief(given), place: '/Data/Permissions' }]
  },
)

/** Is it a basic permission, and does each list have the detail permission of the same resource? */
function isBesideDetail(permission: unknown, ...lists: unknown[][]): boolean {
  const name = String(permission)
  const detail = name.replace('Basic', 'Detail')
  return name !== detail && lists.every((list) => list.includes(detail))
}

rule(
  'CONS-31/expiration-as-requested',
  'A created consent has the ExpirationDateTime that was asked for',
  { endpoints: [CREATE], unseen: 'no answer had ExpirationDateTime' },
  (exchange) => datesAsRequested(exchange, CREATE, ['ExpirationDateTime']),
)

rule(
  'CONS-31/period-as-requested',
  'A created consent has the transaction period that was asked for',
  { endpoints: [CREATE], unseen: 'no answer had the transaction period' },
  (exchange) => datesAsRequested(exchange, CREATE, PERIOD),
)

/**
 * Every create 2xx whose request has ExpirationDateTime, TransactionFromDateTime
 * or TransactionToDateTime has the same members in its response.
 */
rule(
  'CONS-30/dates',
  'A created consent shows the dates that were asked for',
  { endpoints: [CREATE] },
  (exchange) => datesShown(exchange, CREATE, ['ExpirationDateTime', ...PERIOD]),
)

rule(
  'CONS-22/asked-consent',
  'The query of a consent answers that consent and no other',
  { endpoints: [QUERY] },
  (exchange) => askedConsent(exchange),
)

/**
 * Every query 2xx of a consent whose creation was seen and whose Status is still that of its
 * creation: Permissions as a set, the requested dates and CreationDateTime are those of the creation.
 * Not judged once the shown ExpirationDateTime has passed. What an approval, a re-confirmation or a
 * revocation may change is judged by separate checks.
 */
rule(
  'CONS-22/while-waiting',
  'As long as the status of a consent is that of its creation, every query shows it as it was created',
  { endpoints: [CREATE, QUERY], follows: ['CONS-22/as-created', 'CONS-22/beside-newer'] },
  (exchange, { earlier, clockTolerance }) => {
    if (!succeeded(exchange) || exchange.about.deviation !== undefined) return undefined
    const data = member(exchange.response?.json, 'Data')
    const id = String(member(data, 'ConsentId'))
    if (exchange.endpoint === CREATE) {
      earlier.set(id, exchange)
      return undefined
    }
    const creation = exchange.endpoint === QUERY ? (earlier.get(id) as Exchange) : undefined
    if (!creation || statusOf(creation) !== statusOf(exchange)) return undefined
    if (showsItsEnd(exchange, clockTolerance)) return undefined
    const finding = changedSince({ creation, query: exchange })
    return finding ? [finding] : []
  },
)

function askedConsent(exchange: Exchange): Finding[] | undefined {
  const { subject, deviation } = exchange.about
  if (!ACCOUNT_ACCESS.includes(exchange.endpoint) || exchange.endpoint !== QUERY) return undefined
  if (!succeeded(exchange) || deviation !== undefined || subject === undefined) return undefined
  const id = member(exchange.response?.json, 'Data', 'ConsentId')
  // A missing ConsentId is judged by CONS-02.
  if (typeof id !== 'string' || id === '') return undefined
  if (id === subject) return []
  return [
    {
      message: 'another consent than the one that was asked for',
      expected: subject,
      actual: id,
      place: '/Data/ConsentId',
    },
  ]
}

/**
 * Every query of an account access consent that a query has shown as Authorised before. Fails: it shows AwaitingAuthorisation,
 * longer after that than the settling time, and data came under the consent since.
 */
rule(
  'CONS-36/not-awaiting-again',
  'A consent that was shown as Authorised and gives data is not awaiting authorisation again',
  {
    endpoints: [QUERY],
    also: DATA,
    unseen: 'no consent was shown as Authorised',
    follows: ['CONS-22/asked-consent'],
  },
  (exchange, { earlier, settlingTime }) => {
    if (!succeeded(exchange)) return undefined
    const sent = Date.parse(exchange.startedAt)
    const id = exchange.about.consent?.id ?? exchange.about.subject ?? ''
    const seen = earlier.get(id) as { authorised: number; data: boolean } | undefined
    if (exchange.endpoint !== QUERY) {
      if (seen && exchange.about.deviation === undefined) earlier.set(id, { ...seen, data: true })
      return undefined
    }
    const status = statusOf(exchange)
    if (status === 'Authorised') earlier.set(id, { authorised: sent, data: false })
    if (!seen) return undefined
    const isBack = status === 'AwaitingAuthorisation' && seen.data
    if (!isBack || sent < seen.authorised + settlingTime) return []
    const message = 'the consent awaits authorisation again, and gives data'
    const place = '/Data/Status'
    return [{ message, expected: 'Authorised', actual: 'AwaitingAuthorisation', place }]
  },
)
