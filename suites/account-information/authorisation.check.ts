import { randomUUID } from 'node:crypto'
import { redirectsTo } from '../../engine/client/redirect.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { tokensOf } from '../../engine/journey/session.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import type { Visit } from '../../engine/journey/visit.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { Blocked, lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { member } from '../../engine/judge/rows.ts'
import { claimsOf } from '../../engine/wire/jws.ts'
import {
  codeOfAnotherClient,
  debitsInPeriod,
  everything,
  reconfirmed,
  SPECIAL_STATE,
  secondClient,
} from '../consents.ts'
import { outOfDate, revoked } from '../endings.ts'
import {
  elsewhere,
  exchangeCode,
  expectAnswered,
  expectCode,
  expectNoAccounts,
  expectNoCode,
  inBoth,
  newConsent,
  wrongVisit,
} from './visits.ts'

/** GET /authorize. Requirements: specs/account-information/authorisation.yaml */

const NEGATIVE = { uses: ['everything'], refusals: 1 }
const CONSENT = '/account-access-consents'

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
  'AUTHZ-04/on-denial',
  'state comes back unchanged when the customer denies consent',
  NEGATIVE,
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
  'AUTHZ-06/missing',
  'A request without a request object is refused',
  NEGATIVE,
  async (context) => {
    const caller = await context.caller()
    const consentId = await newConsent(caller)
    const value = { value: consentId, essential: true }
    const claims = { id_token: { [context.target.intentClaim]: value } }
    const query = {
      request: undefined,
      nonce: randomUUID(),
      claims: JSON.stringify(claims),
    }
    const purpose = 'a request without request object'
    expectNoCode(await wrongVisit(context, { purpose, consentId, deviation: { query } }))
  },
)

check(
  'AUTHZ-07/missing',
  'A request without response_type is refused',
  NEGATIVE,
  async (context) => {
    const deviation = inBoth({ response_type: undefined })
    expectNoCode(await wrongVisit(context, { purpose: 'no response_type', deviation }))
  },
)

const toUnregistered = once((context) => {
  const deviation = inBoth({ redirect_uri: elsewhere() })
  return wrongVisit(context, { purpose: 'a redirect URI that is not registered', deviation })
})

const toSimilar = once(async (context) => {
  const { tpp } = await context.caller()
  const [registered = tpp.client.redirectUris[0]] = tpp.registered?.redirect_uris ?? []
  const deviation = inBoth({ redirect_uri: `${registered}/more` })
  return wrongVisit(context, { purpose: 'a redirect URI like a registered one', deviation })
})

/** Did the answer go to the redirect URI that was asked for and is not registered? */
function wentThere(visit: Visit): boolean {
  if (visit.kind === 'stopped') return false
  const asked = new URL(visit.request.url).searchParams.get('redirect_uri') ?? ''
  return redirectsTo(visit.redirect, asked)
}

function expectNoCodeThere(visit: Visit): void {
  if (wentThere(visit)) expectNoCode(visit)
  else expectAnswered(visit)
}

check(
  'AUTHZ-08/unregistered',
  'A redirect URI on another host than the registered ones receives no code',
  NEGATIVE,
  async (context) => expectNoCodeThere(await toUnregistered(context)),
)

check(
  'AUTHZ-08/similar',
  'A redirect URI that begins like a registered one receives no code',
  NEGATIVE,
  async (context) => expectNoCodeThere(await toSimilar(context)),
)

check(
  'AUTHZ-08/missing',
  'A request without redirect_uri is refused',
  NEGATIVE,
  async (context) => {
    const deviation = inBoth({ redirect_uri: undefined })
    expectNoCode(await wrongVisit(context, { purpose: 'no redirect_uri', deviation }))
  },
)

check(
  'AUTHZ-29/no-redirect',
  'A redirect URI that is not registered receives no error either',
  { ...NEGATIVE, refusals: 2 },
  async (context) => {
    const visits = [
      ['AUTHZ-08/unregistered', await toUnregistered(context)],
      ['AUTHZ-08/similar', await toSimilar(context)],
    ] as const
    for (const [id, visit] of visits) {
      if (wentThere(visit) && visit.kind === 'granted') {
        throw new Blocked({ kind: 'check', id }, 'a code arrived there', visit.last)
      }
      expectThat(!wentThere(visit), {
        message: 'the bank redirects to an address that nobody registered',
        expected: 'a page of the bank',
        actual: visit.kind === 'stopped' ? visit.why : `a redirect to ${visit.redirect.address}`,
        exchange: visit.last,
      })
      expectAnswered(visit)
    }
  },
)

check(
  'AUTHZ-09/beyond',
  'A scope that is not registered for the client is not granted',
  NEGATIVE,
  async (context) => {
    const caller = await context.caller()
    const { registered, client } = caller.tpp
    if (registered?.scope === undefined) lacking('the scopes that are registered for the client')
    const { scopes_supported: supported } = (await context.steps.discovery()).value ?? {}
    const known = ['openid', ...registered.scope.split(' ')]
    const offered = Array.isArray(supported) ? supported : []
    const beyond = offered.find((one) => !known.includes(one)) ?? 'payments'
    const deviation = inBoth({ scope: `openid ${client.scopes.accounts} ${beyond}` })
    const visit = await wrongVisit(context, { purpose: `the scope ${beyond} as well`, deviation })
    if (visit.kind !== 'granted') return expectAnswered(visit)
    const answer = await exchangeCode(caller, visit, 'a code for a scope that is not registered', [
      'TOK-36/within-registration',
    ])
    const scope = tokensOf(answer)?.scope ?? ''
    expectThat(!scope.split(' ').includes(beyond), {
      message: `the scope ${beyond} was granted`,
      expected: `no scope but ${registered.scope}`,
      actual: scope,
      exchange: answer,
    })
  },
)

check('AUTHZ-09/missing', 'A request without scope is refused', NEGATIVE, async (context) => {
  const deviation = inBoth({ scope: undefined })
  expectNoCode(await wrongVisit(context, { purpose: 'no scope', deviation }))
})

check('AUTHZ-10/missing', 'A request without client_id is refused', NEGATIVE, async (context) => {
  const deviation = inBoth({ client_id: undefined })
  expectNoCode(await wrongVisit(context, { purpose: 'no client_id', deviation }))
})

check(
  'AUTHZ-10/unknown',
  'A request of a client that is not registered is refused',
  NEGATIVE,
  async (context) => {
    const id = randomUUID()
    const claims = { client_id: id, iss: id }
    const deviation = { query: { client_id: id }, requestObject: { claims } }
    expectNoCode(await wrongVisit(context, { purpose: 'an unknown client_id', deviation }))
  },
)

check(
  'AUTHZ-11/unsigned',
  'A request object that is not signed is refused',
  NEGATIVE,
  async (context) => {
    const deviation = { requestObject: { alg: 'none' } }
    expectNoCode(await wrongVisit(context, { purpose: 'an unsigned request object', deviation }))
  },
)

check(
  'AUTHZ-11/rs256',
  'A request object that is signed with RS256 is refused',
  NEGATIVE,
  async (context) => {
    const deviation = { requestObject: { alg: 'RS256' } }
    expectNoCode(await wrongVisit(context, { purpose: 'a request object in RS256', deviation }))
  },
)

check(
  'AUTHZ-11/tampered',
  'A request object that was changed after signing is refused',
  NEGATIVE,
  async (context) => {
    const deviation = { requestObject: { tampered: 'payload' } } as const
    expectNoCode(await wrongVisit(context, { purpose: 'a changed request object', deviation }))
  },
)

check(
  'AUTHZ-11/other-client',
  'A request object that another client signed is refused',
  NEGATIVE,
  async (context) => {
    const { kid } = context.tpp('second').client.signing
    const deviation = { requestObject: { key: 'other-client', header: { kid } } } as const
    const purpose = 'a request object of another client'
    expectNoCode(await wrongVisit(context, { purpose, deviation }))
  },
)

check(
  'AUTHZ-12/redirect-uri',
  'A redirect URI of the query that contradicts the request object gets no code',
  NEGATIVE,
  async (context) => {
    const { tpp } = await context.caller()
    const [signed, other] = tpp.registered?.redirect_uris ?? []
    if (other === undefined) lacking('two registered redirect URIs')
    const visit = await wrongVisit(context, {
      purpose: 'another redirect URI in the query than in the request object',
      redirectUri: signed,
      deviation: { query: { redirect_uri: other } },
    })
    if (visit.kind === 'granted' && redirectsTo(visit.redirect, other)) expectNoCode(visit)
    expectAnswered(visit)
  },
)

check(
  'AUTHZ-13/missing',
  'A request that names no consent gives no access',
  NEGATIVE,
  async (context) => {
    const purpose = 'a request that names no consent'
    const acr = { essential: true, values: ['urn:openbanking:psd2:sca'] }
    const deviation = { requestObject: { claims: { claims: { id_token: { acr } } } } }
    const visit = await wrongVisit(context, { purpose, deviation })
    await expectNoAccounts(await context.caller(), visit, purpose)
  },
)

check(
  'AUTHZ-13/unknown',
  'A request that names a consent which does not exist gives no access',
  NEGATIVE,
  async (context) => {
    const purpose = 'a consent that does not exist'
    const visit = await wrongVisit(context, { purpose, consentId: randomUUID() })
    await expectNoAccounts(await context.caller(), visit, purpose)
  },
)

check(
  'AUTHZ-14/other-client',
  'A client cannot have the consent of another client authorised',
  { uses: ['second client'], refusals: 1 },
  async (context) => {
    await context.approved(secondClient)
    const first = await context.caller()
    const consentId = await newConsent(first)
    relyOn('CONS-22/answers-200', await first.get(`${CONSENT}/${consentId}`))
    const purpose = 'a consent that another client created'
    expectNoCode(await context.visit({ client: 'second', consentId, purpose }))
  },
)

check(
  'AUTHZ-15/deleted',
  'A consent that was deleted cannot be authorised any more',
  NEGATIVE,
  async (context) => {
    const first = await context.caller()
    const consentId = await newConsent(first)
    relyOn('CLC-01/awaiting', await first.delete(`${CONSENT}/${consentId}`))
    expectNoCode(await wrongVisit(context, { purpose: 'a deleted consent', consentId }))
  },
)

check(
  'AUTHZ-15/revoked',
  'A consent that the customer revoked cannot be authorised any more',
  { uses: ['basic credits'], spends: 'basic credits', refusals: 1 },
  async (context) => {
    const { approval, after } = await revoked(context)
    if (member(after.query.response?.json, 'Data', 'Status') !== 'Revoked') {
      throw new Blocked({ kind: 'check', id: 'CLC-10/sees-revoked' }, 'it is not Revoked')
    }
    const { consentId } = approval
    expectNoCode(await context.visit({ purpose: 'a revoked consent', consentId }))
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
  'Re-confirmation leaves permissions, expiration and transaction period as they were',
  { uses: ['everything', 're-confirmed'] },
  async ({ approved, steps }) => {
    const { before } = await steps.visit(reconfirmed)
    const { consentId, get } = await approved(reconfirmed)
    if (!before) throw new TypeError('a re-confirmation begins with a query')
    const after = await get(`${CONSENT}/${consentId}`)
    for (const query of [before, after]) relyOn('CONS-22/answers-200', query)
    const expected = termsOf(before.response?.json)
    const actual = termsOf(after.response?.json)
    const message = 'the consent differs after its re-confirmation'
    expectThat(expected === actual, { message, expected, actual, exchange: after })
  },
)

/** Permissions as a set and the three dates as instants, to be compared. */
function termsOf(json: unknown): string {
  const permissions = member(json, 'Data', 'Permissions')
  const dates = ['ExpirationDateTime', 'TransactionFromDateTime', 'TransactionToDateTime']
  return JSON.stringify([
    Array.isArray(permissions) ? [...permissions].sort() : permissions,
    ...dates.map((name) => {
      const date = member(json, 'Data', name)
      return typeof date === 'string' ? Date.parse(date) : null
    }),
  ])
}

/** The one denial of a run, with a consent of its own. */
const denied = once(async (context): Promise<{ visit: Visit; consentId: string }> => {
  const consentId = await newConsent(await context.caller())
  const visit = await wrongVisit(context, {
    purpose: 'to be denied',
    decision: 'deny',
    consentId,
    state: SPECIAL_STATE,
  })
  return { visit, consentId }
})

check(
  'AUTHZ-21/denied',
  'A customer who denies consent is sent to the redirect URI with an error and without a code',
  NEGATIVE,
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
  NEGATIVE,
  async (context) => {
    const options = { purpose: 'nobody logs in', decision: 'none' } as const
    expectNoCode(await wrongVisit(context, options))
  },
)

const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

check(
  'AUTHZ-25/expired',
  'A request object that expired an hour ago is refused',
  NEGATIVE,
  async (context) => {
    const claims = { iat: ago(3900), nbf: ago(3900), exp: ago(3600) }
    const deviation = { requestObject: { claims } }
    expectNoCode(await wrongVisit(context, { purpose: 'an expired request object', deviation }))
  },
)

check(
  'AUTHZ-25/other-audience',
  'A request object that is meant for another server is refused',
  NEGATIVE,
  async (context) => {
    const deviation = { requestObject: { claims: { aud: 'https://other.example' } } }
    const purpose = 'a request object for another server'
    expectNoCode(await wrongVisit(context, { purpose, deviation }))
  },
)

check(
  'AUTHZ-26/recorded',
  'Status of a consent after the customer approved it',
  { uses: ['everything'] },
  async ({ approved, observe }) => {
    const { consentId, get } = await approved(everything)
    const answer = await get(`${CONSENT}/${consentId}`)
    const status = member(answer.response?.json, 'Data', 'Status')
    observe('Status after approval', status ?? 'absent', answer)
  },
)

check(
  'AUTHZ-27/recorded',
  'Status of a consent after the customer denied it, and the error that came back',
  NEGATIVE,
  async (context) => {
    const { visit, consentId } = await denied(context)
    const answer = await (await context.caller()).get(`${CONSENT}/${consentId}`)
    const status = member(answer.response?.json, 'Data', 'Status')
    context.observe('Status after denial', status ?? 'absent', answer)
    if (visit.kind === 'stopped') return
    const { error, mode } = visit.redirect
    context.observe('error after denial', error ?? 'absent', visit.last)
    context.observe('where the error after denial stands', mode ?? 'nowhere', visit.last)
  },
)

check(
  'AUTHZ-28/code',
  'A response type that the client has not registered is refused',
  NEGATIVE,
  async (context: Context) => {
    const { registered } = (await context.caller()).tpp
    const types = registered?.response_types
    if (Array.isArray(types) && types.includes('code')) {
      throw new NotApplicable('the bank registered the response type code as well')
    }
    const deviation = inBoth({ response_type: 'code' })
    expectNoCode(await wrongVisit(context, { purpose: 'the response type code', deviation }))
  },
)

check(
  'AUTHZ-30/other-customer',
  'A consent that one customer has authorised cannot be authorised by another',
  {
    uses: ['everything', 're-confirmed', 'code for another client'],
    spends: 'code for another client',
    refusals: 1,
  },
  async (context) => {
    context.customer('second')
    await context.approved(reconfirmed)
    const { consentId } = await context.approved(codeOfAnotherClient)
    const purpose = 'a consent that another customer has authorised'
    expectNoCode(await context.visit({ customer: 'second', consentId, purpose }))
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

check(
  'AUTHZ-32/after-ninety-days',
  'A consent that was not re-confirmed within ninety days can be re-confirmed, and gives data again',
  { uses: ['everything', 're-confirmed', 'second customer'], spends: 'second customer' },
  async (context) => {
    const { approval } = await outOfDate(context)
    await context.approved(reconfirmed)
    const { consentId, tpp } = approval
    const visit = await context.visit({
      purpose: 'to be re-confirmed after ninety days',
      customer: 'second',
      consentId,
    })
    expectCode(visit)
    const { code, request } = visit
    const redirect_uri = request.redirectUri
    const answer = await tpp.token({ grant_type: 'authorization_code', code, redirect_uri })
    expect(answer).toGiveAToken()
    const bearer = tokensOf(answer)?.accessToken
    expect(await approval.get('/accounts', { bearer })).toSucceed()
  },
)
