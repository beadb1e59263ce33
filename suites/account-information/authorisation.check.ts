import { redirectsTo } from '../../engine/client/redirect.ts'
import { check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import type { Visit } from '../../engine/journey/visit.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { Blocked } from '../../engine/judge/outcome.ts'
import { member } from '../../engine/judge/rows.ts'
import { claimsOf } from '../../engine/wire/jws.ts'
import { debitsInPeriod, everything, reconfirmed, SPECIAL_STATE } from '../consents.ts'
import { expectSameTerms, PERIOD } from './common/consent-comparisons.ts'
import { consentPath } from './common/consent-requests.ts'
import {
  expectNoCode,
  newConsent,
  nobodyLogsIn,
  relyOnNoCode,
  wrongCredentials,
  wrongVisit,
} from './common/visits.ts'

/** GET /authorize: approval, denial, re-confirmation. Requirements: specs/account-information/authorisation.yaml */

const NEGATIVE = { uses: ['everything'], refusals: 1 }
const DENIAL = 'to be denied'
const DENIED = { uses: ['everything'], denial: DENIAL }

check(
  'AUTHZ-01/approved',
  'An authorisation request that the customer approves ends at the redirect URI with a code',
  { uses: ['everything'] },
  async ({ steps }) => {
    const { visit, why, exchange, value } = await steps.visit(everything)
    expectThat(value !== undefined, {
      message: why,
      expected: 'a code at the redirect URI',
      actual: visit?.kind ?? 'no visit',
      exchange,
    })
  },
)

check(
  'AUTHZ-04/on-error',
  'state comes back unchanged when the customer denies consent',
  DENIED,
  async (context) => {
    const { visit } = await denied(context)
    if (visit.kind === 'stopped' || !redirectsTo(visit.redirect, visit.request.redirectUri)) {
      throw new Blocked({ kind: 'check', id: 'AUTHZ-21/denied' }, 'nothing came back')
    }
    const { state = 'absent' } = visit.redirect
    expectThat(state === SPECIAL_STATE, {
      message: 'state came back otherwise',
      expected: SPECIAL_STATE,
      actual: state,
      exchange: visit.last,
    })
  },
)

check(
  'AUTHZ-05/without-state',
  'A request without state is granted',
  { uses: ['everything', 'debits in a period'] },
  async ({ approved, steps }) => {
    await approved(everything)
    const { why, exchange, value } = await steps.visit(debitsInPeriod)
    const actual = value ? 'a code' : why
    expectThat(value !== undefined, { message: why, expected: 'a code', actual, exchange })
  },
)

check(
  'AUTHZ-16/same-intent',
  'A consent can be re-confirmed with its ConsentId, and then gives data',
  { uses: ['everything', 're-confirmed'] },
  async ({ approved, steps }) => {
    const before = await approved(everything)
    relyOn(OWNERS.accounts, await before.get('/accounts'))
    const { value, why, exchange } = await steps.visit(reconfirmed)
    expectThat(value !== undefined, { message: why, expected: 'a code', actual: why, exchange })
    const tokens = await steps.exchange(reconfirmed)
    if (tokens.exchange) expect(tokens.exchange).toGiveAToken()
    const again = await approved(reconfirmed)
    expect(await again.get('/accounts')).toSucceed()
  },
)

check(
  'AUTHZ-17/unchanged',
  'Re-confirmation leaves permissions and transaction period as they were',
  { uses: ['everything', 're-confirmed'] },
  async ({ approved, steps }) => {
    const { before } = await steps.visit(reconfirmed)
    const { consentId, get } = await approved(reconfirmed)
    if (!before) throw new TypeError('a re-confirmation begins with a query')
    expectSameTerms(before, await get(consentPath(consentId)), ['Permissions', ...PERIOD])
  },
)

/** The one denial of a run, with a consent of its own. */
const denied = once(async (context): Promise<{ visit: Visit; consentId: string }> => {
  const consentId = await newConsent(await context.caller())
  const visit = await wrongVisit(context, {
    purpose: DENIAL,
    decision: 'deny',
    consentId,
    state: SPECIAL_STATE,
  })
  return { visit, consentId: visit.request.consentId }
})

check(
  'AUTHZ-21/denied',
  'A customer who denies consent is sent to the redirect URI with an error and without a code',
  DENIED,
  async (context) => {
    const { visit } = await denied(context)
    expectNoCode(visit)
    const back = visit.kind === 'refused' && redirectsTo(visit.redirect, visit.request.redirectUri)
    expectThat(back, {
      message: 'the customer was not sent back to the redirect URI',
      expected: `a redirect to ${visit.request.redirectUri}`,
      actual: visit.kind === 'stopped' ? visit.why : `a redirect to ${visit.redirect.address}`,
      exchange: visit.last,
    })
    const { error, idToken } = visit.redirect
    expectThat(Boolean(error) && idToken === undefined, {
      message: idToken === undefined ? 'the redirect has no error' : 'an ID token came',
      expected: 'an error and no ID token',
      actual: `${error ? 'an error' : 'no error'}, ${idToken === undefined ? 'no' : 'an'} ID token`,
      exchange: visit.last,
    })
  },
)

check(
  'AUTHZ-22/before-login',
  'No code is issued before the customer has authenticated',
  { ...NEGATIVE, refusals: ['nobody logs in'] },
  async (context) => {
    expectNoCode(await nobodyLogsIn(context))
  },
)

check(
  'AUTHZ-22/wrong-credentials',
  'No code is issued to somebody who does not know the customer’s credentials',
  { ...NEGATIVE, refusals: ['nobody logs in', 'a customer with wrong credentials'] },
  async (context) => {
    const credentials = wrongCredentials(context)
    relyOnNoCode('AUTHZ-22/before-login', await nobodyLogsIn(context))
    const options = { purpose: 'a customer with wrong credentials', credentials }
    expectNoCode(await wrongVisit(context, options))
  },
)

check(
  'AUTHZ-26/recorded',
  'Status of a consent after the customer approved it',
  { uses: ['everything'] },
  async ({ approved, observe }) => {
    const { consentId, get } = await approved(everything)
    const answer = await get(consentPath(consentId))
    const status = member(answer.response?.json, 'Data', 'Status')
    observe('Status after approval', status ?? 'absent', answer)
  },
)

check(
  'AUTHZ-27/recorded',
  'Status of a consent after the customer denied it, and the error that came back',
  DENIED,
  async (context) => {
    const { visit, consentId } = await denied(context)
    const answer = await (await context.caller()).get(consentPath(consentId))
    const status = member(answer.response?.json, 'Data', 'Status')
    context.observe('Status after denial', status ?? 'absent', answer)
    if (visit.kind === 'stopped') return
    const { error, mode } = visit.redirect
    context.observe('error after denial', error ?? 'absent', visit.last)
    context.observe('where the error after denial stands', mode ?? 'nowhere', visit.last)
  },
)

check(
  'AUTHZ-31/recorded',
  'Which optional claims the ID token of the authorisation response has',
  { uses: ['everything'] },
  async ({ approved, target, observe }) => {
    const { visit, consentId } = await approved(everything)
    const claims = claimsOf(visit.redirect.idToken ?? '') ?? {}
    for (const name of ['acr', 'auth_time', 's_hash']) {
      observe(`${name} in the ID token`, name in claims ? 'present' : 'absent', visit.last)
    }
    const { [target.intentClaim]: intent } = claims
    const seen =
      intent === undefined ? 'absent' : intent === consentId ? 'the ConsentId' : 'another'
    observe('intent ID in the ID token', seen, visit.last)
  },
)
