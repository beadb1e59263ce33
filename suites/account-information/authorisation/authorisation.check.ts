import { type Context, check } from '../../../engine/suite-api/check.ts'
import { redirectsTo } from '../../../engine/suite-api/client.ts'
import type { NamedConsent } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireValue, type Visit, visitEnd } from '../../../engine/suite-api/flow.ts'
import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import { blockBy } from '../../../engine/suite-api/outcomes.ts'
import { member, refused } from '../../../engine/suite-api/responses.ts'
import {
  debitsInPeriod,
  everything,
  reconfirmed,
  SPECIAL_STATE,
  secondCustomer,
  WITH_NONCES,
  WITH_STATES,
} from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectSameTerms, TERMS } from '../common/consents/consent-comparisons.ts'
import { consentPath } from '../common/consents/consent-requests.ts'
import { OF_AN_OUTAGE, OF_THE_CLIENT } from '../common/oauth-errors.ts'
import { DENIED, denied, deniedOnceMore } from '../common/visits/denial.ts'
import {
  AGAIN,
  expectNoCode,
  inBoth,
  nobodyConfirmsAgain,
  nobodyLogsIn,
  relyOnNoCode,
  wrongCredentials,
  wrongVisit,
} from '../common/visits/visits.ts'

/** GET /authorize: approval, denial, re-confirmation. Requirements: specs/account-information/authorisation.yaml */

const NEGATIVE = { uses: [everything], refusals: 1 }

/**
 * The first approval. Fails: no code arrives. Where the code stands
 * and what else is delivered is judged by AUTHZ-03 and later.
 */
check(
  'AUTHZ-01/approved',
  'An authorisation request that the customer approves ends at the redirect URI with a code',
  { uses: [everything] },
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

/**
 * On the visit of AUTHZ-21/denied. Fails: state missing or different. Blocked by AUTHZ-21/denied
 * when nothing came back to the redirect URI.
 */
check(
  'AUTHZ-04/on-error',
  'state comes back unchanged when the customer denies consent',
  DENIED,
  async (context) => {
    const { visit } = await denied(context)
    if (visit.kind === 'stopped' || !redirectsTo(visit.redirect, visit.request.redirectUri)) {
      blockBy('AUTHZ-21/denied', 'nothing came back')
    }
    const { state = 'absent' } = visit.redirect
    expectThat(state === SPECIAL_STATE, {
      message: 'state came back changed',
      expected: SPECIAL_STATE,
      actual: state,
      exchange: visit.last,
    })
  },
)

/** What a firewall takes for an attack: a path that leads up, the beginning of a template. */
const ATTACK = /\.\.\/|\$\{/

/**
 * Did a firewall answer instead of the service, often with status 200, by a page that asks for nothing? The documents do not
 * say which requests reach the service.
 */
function isStopped(visit: Visit): boolean {
  if (visit.kind !== 'stopped' || visit.asks) return false
  const { request, first, last } = visit
  const isPage = first === last && (first?.response?.status ?? 500) < 500
  return isPage && ATTACK.test(request.state ?? '')
}

/** These approvals each send a text of the tables. A request that is not granted is repeated without it. */
async function expectGrantedWith<Used extends NamedConsent>(
  context: Context<Used>,
  consents: readonly Used[],
): Promise<void> {
  for (const consent of consents) {
    if (!context.has(consent)) continue
    // A bank may refuse a combination of permissions that it need not know.
    const { optional } = consent
    const { exchange: creation } = optional ? await context.steps.consent(consent) : {}
    if (creation && refused(creation)) continue
    const step = await context.steps.visit(consent)
    const granted = (step.visit ?? step.value)?.kind === 'granted'
    if (optional && !granted) continue
    requireValue(step)
    if (step.visit && isStopped(step.visit)) {
      context.observe(
        'a state that is refused as an attack',
        step.visit.request.state,
        step.exchange,
      )
      continue
    }
    const actual = step.visit ? visitEnd(step.visit) : ''
    expectThat(granted, { message: step.why, expected: 'a code', actual, exchange: step.exchange })
  }
}

check(
  'AUTHZ-04/taken',
  'A request is granted with any printable characters in its state',
  { uses: [everything], beside: WITH_STATES, late: true },
  async (context) => expectGrantedWith(context, WITH_STATES),
)

check(
  'AUTHZ-20/nonce-taken',
  'A request is granted with any characters in its nonce',
  { uses: [everything], beside: WITH_NONCES, late: true },
  async (context) => expectGrantedWith(context, WITH_NONCES),
)

/**
 * One of the shared approvals asks without state. Fails: it is not granted.
 * It is then repeated with a state, for the checks that share the approval.
 */
check(
  'AUTHZ-05/without-state',
  'A request without state is granted',
  { uses: [everything, debitsInPeriod] },
  async ({ approved, steps }) => {
    await approved(everything)
    const step = await steps.visit(debitsInPeriod)
    // A request that is not granted with a state either is refused for another reason.
    const value = requireValue(step)
    const { why, exchange, visit } = step
    const granted = (visit ?? value).kind === 'granted'
    expectThat(granted, {
      message: why,
      expected: 'a code',
      actual: granted ? 'a code' : why,
      exchange,
    })
  },
)

/**
 * An approved consent is authorised again by the same customer. Fails: no code, or its token does
 * not read /accounts.
 */
check(
  'AUTHZ-16/same-intent',
  'A consent can be re-confirmed with its ConsentId, and then gives data',
  { uses: [everything, reconfirmed] },
  async ({ approved, steps }) => {
    const before = await approved(everything)
    relyOn(OWNERS.accounts, await before.get('/accounts')).toSucceed()
    const { value, why, exchange } = await steps.visit(reconfirmed)
    expectThat(value !== undefined, { message: why, expected: 'a code', actual: why, exchange })
    const tokens = await steps.exchange(reconfirmed)
    if (tokens.exchange) expect(tokens.exchange).toGiveAToken()
    const again = await approved(reconfirmed)
    expect(await again.get('/accounts')).toSucceed()
  },
)

/**
 * Query before and after AUTHZ-16/same-intent; compare Permissions as a set and the
 * period as instants. Fails: one differs. (AccountIds after re-confirmation are
 * judged by ACC-04.) What happens to an expiration that was not requested is open.
 */
check(
  'AUTHZ-17/unchanged',
  'Re-confirmation leaves permissions and transaction period as they were',
  { uses: [everything, reconfirmed] },
  async ({ approved, steps }) => {
    const { before } = await steps.visit(reconfirmed)
    const { consentId, get } = await approved(reconfirmed)
    if (!before) throw new TypeError('a re-confirmation begins with a query')
    expectSameTerms(before, await get(consentPath(consentId)), TERMS, 'its re-confirmation')
  },
)

/**
 * The one denial of a run: the customer logs in and denies. Fails: the visit does
 * not end at the redirect URI, there is no error, or there is a code or an ID token.
 */
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

/**
 * On the visit of AUTHZ-21/denied. Fails: the error is one of OAuth that blames something else. One that tells an outage
 * may be true: then the customer denies once more.
 */
check(
  'AUTHZ-50/denial',
  'The error after a denial does not say that the request, the client or the server is wrong',
  DENIED,
  async (context) => {
    const { visit: first } = await denied(context)
    const visit = OF_AN_OUTAGE.includes(errorOf(first)) ? await deniedOnceMore(context) : first
    const error = errorOf(visit)
    expectThat(!['invalid_request', ...OF_THE_CLIENT, ...OF_AN_OUTAGE].includes(error), {
      message: `the error after a denial is ${error}`,
      expected: 'access_denied',
      actual: error,
      exchange: visit.last,
    })
  },
)

/** The error after a denial, which AUTHZ-21/denied requires. */
function errorOf(visit: Visit): string {
  const { error } = visit.kind === 'refused' ? visit.redirect : {}
  if (!error) blockBy('AUTHZ-21/denied', 'no error came back', visit.last)
  return error
}

/**
 * A correct request in a browser without cookies; redirects are followed, no form is submitted.
 * Fails: a code arrives.
 */
check(
  'AUTHZ-22/before-login',
  'No code is issued before the customer has authenticated',
  { ...NEGATIVE, refusals: ['nobody logs in'] },
  async (context) => {
    expectNoCode(await nobodyLogsIn(context), 'nobody logged in')
  },
)

/**
 * The driver enters the password of another customer, or a made-up one. Not
 * applicable where a person or a program of the bank logs in. Fails: a code arrives.
 */
check(
  'AUTHZ-22/wrong-credentials',
  'No code is issued to somebody who does not know the customer’s credentials',
  { ...NEGATIVE, refusals: ['nobody logs in', 'a customer with wrong credentials'] },
  async (context) => {
    const credentials = wrongCredentials(context, 'of another customer')
    relyOnNoCode('AUTHZ-22/before-login', await nobodyLogsIn(context))
    const options = { purpose: 'a customer with wrong credentials', credentials }
    expectNoCode(await wrongVisit(context, options), 'the login had a wrong password')
  },
)

const SILENT = 'prompt=none where nobody is logged in'

/** OpenID Connect Core 1.0, 3.1.2.1. Fails: a code or an ID token arrives. A login page is no finding. */
check(
  'AUTHZ-22/prompt-none',
  'A request with prompt=none gets no code and no ID token where no customer is logged in',
  { ...NEGATIVE, refusals: ['nobody logs in', SILENT] },
  async (context) => {
    relyOnNoCode('AUTHZ-22/before-login', await nobodyLogsIn(context))
    const options = { purpose: SILENT, decision: 'none', deviation: WITHOUT_PROMPT } as const
    expectNothingGiven(await wrongVisit(context, options))
  },
)

const AGAIN_SILENT = 're-confirmation with prompt=none where nobody is logged in'

/** Late: no sentence says what becomes of a consent whose re-confirmation ends with an error. */
check(
  'AUTHZ-22/again-prompt-none',
  'Re-confirmation with prompt=none gets no code and no ID token where no customer is logged in',
  {
    uses: [everything, reconfirmed],
    refusals: ['nobody logs in', AGAIN, AGAIN_SILENT],
    follows: ['AUTHZ-22/prompt-none'],
    late: true,
  },
  async (context) => {
    relyOnNoCode('AUTHZ-22/before-login', await nobodyLogsIn(context))
    relyOnNoCode('AUTHZ-22/again-before-login', await nobodyConfirmsAgain(context))
    const { consentId } = await context.approved(everything)
    const options = { purpose: AGAIN_SILENT, consentId, decision: 'none' } as const
    expectNothingGiven(await context.visit({ ...options, deviation: WITHOUT_PROMPT }))
  },
)

/** The bank must show no page. */
const WITHOUT_PROMPT = inBoth({ prompt: 'none' })

/** Expects that neither a code nor an ID token came. */
function expectNothingGiven(visit: Visit): void {
  expectNoCode(visit, 'nobody logged in')
  if (visit.kind !== 'refused') return
  expectThat(visit.redirect.idToken === undefined, {
    message: 'an ID token arrived although nobody logged in',
    expected: 'no ID token',
    actual: `an ID token at ${visit.redirect.address}`,
    exchange: visit.last,
  })
}

const AGAIN_WRONG = 're-confirmation with wrong credentials'

check(
  'AUTHZ-22/again-before-login',
  'No code is issued for a consent that was authorised before, unless the customer authenticates again',
  { uses: [everything, reconfirmed], refusals: [AGAIN] },
  async (context) => {
    relyOnNoCode('AUTHZ-22/before-login', await nobodyLogsIn(context))
    expectNoCode(await nobodyConfirmsAgain(context), 'nobody logged in again')
  },
)

/** The driver enters no password, or a made-up one where the browser requires one. */
check(
  'AUTHZ-22/again-wrong-credentials',
  'No code is issued for a consent that was authorised before to somebody with wrong credentials',
  {
    uses: [everything, reconfirmed],
    follows: ['AUTHZ-22/wrong-credentials'],
    refusals: [AGAIN, AGAIN_WRONG],
  },
  async (context) => {
    const credentials = wrongCredentials(context, 'empty')
    await context.approved(reconfirmed)
    const { consentId } = await context.approved(everything)
    relyOnNoCode('AUTHZ-22/before-login', await nobodyLogsIn(context))
    relyOnNoCode('AUTHZ-22/again-before-login', await nobodyConfirmsAgain(context))
    const visit = await context.visit({ purpose: AGAIN_WRONG, consentId, credentials })
    expectNoCode(visit, 'the login had an empty password, or a wrong one')
  },
)

check(
  'AUTHZ-26/recorded',
  'Status of a consent after the customer approved it',
  { uses: [everything] },
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
    const { visit, query } = await denied(context)
    const status = member(query.response?.json, 'Data', 'Status')
    context.observe('Status after denial', status ?? 'absent', query)
    if (visit.kind === 'stopped') return
    const { error, mode } = visit.redirect
    context.observe('error after denial', error ?? 'absent', visit.last)
    context.observe('where the error after denial stands', mode ?? 'nowhere', visit.last)
  },
)

/**
 * Compares sub of two customers’ ID tokens for one client. OIDC Core 2: "locally unique and never reassigned
 * identifier within the Issuer for the End-User". Whether sub identifies the customer or the consent is open.
 */
check(
  'AUTHZ-19/sub-of-another-customer',
  'The ID tokens of two customers do not name the same subject',
  { uses: [everything, secondCustomer], follows: ['AUTHZ-19/claims', 'AUTHZ-22/before-login'] },
  async ({ approved, customer }) => {
    customer('second')
    const mine = await approved(everything)
    const { visit } = await approved(secondCustomer)
    const [one, other] = [mine.visit, visit].map(({ redirect }) => claimsOf(redirect.idToken ?? ''))
    if (typeof one?.sub !== 'string' || typeof other?.sub !== 'string') {
      blockBy('AUTHZ-19/claims', 'an ID token has no sub', visit.last)
    }
    expectThat(one.sub !== other.sub, {
      message: 'both customers have the same sub',
      expected: 'an identifier of each',
      actual: one.sub,
      exchange: visit.last,
    })
  },
)

/**
 * Records which optional claims the ID token of a granted visit
 * has, and whether the intent claim is the ConsentId; never fails.
 */
check(
  'AUTHZ-31/recorded',
  'Which optional claims the ID token of the authorisation response has',
  { uses: [everything] },
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
