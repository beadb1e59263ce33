import { randomUUID } from 'node:crypto'
import { type Context, check } from '../../../engine/suite-api/check.ts'
import { redirectsTo } from '../../../engine/suite-api/client.ts'
import type { ClientName } from '../../../engine/suite-api/consents.ts'
import { expectThat } from '../../../engine/suite-api/expect.ts'
import { tokensOf, type Visit, visitEnd } from '../../../engine/suite-api/flow.ts'
import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import { blockBy, blockForTarget, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { member } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { everything, secondClient } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { askTable, expectNoneBroken, expectTable } from '../../tables.ts'
import { jws } from '../../values/jws.ts'
import { redirectUri } from '../../values/redirect-uri.ts'
import { scope } from '../../values/scope.ts'
import { ACCOUNTS, consentPath, createConsent } from '../common/consents/consent-requests.ts'
import {
  authorisation,
  foreseenUris,
  isWrong,
  urisOf,
  wentThere,
} from '../common/places/redirect-places.ts'
import {
  besideScopes,
  foreseenScopes,
  isBeyond,
  scopeVisits,
} from '../common/places/scope-places.ts'
import { besideAuthorisation } from '../common/places/visit-places.ts'
import { visitOf, withFewerScopes } from '../common/registration/narrow-registration.ts'
import { IN_OTHER_ORDER, inOtherOrder } from '../common/visits/other-order.ts'
import {
  approvedBefore,
  elsewhere,
  exchangeCode,
  expectAnswered,
  expectCode,
  expectNoCode,
  inBoth,
  wrongVisit,
} from '../common/visits/visits.ts'
import {
  foreseenObjects,
  OBJECT_CHECKS,
  objectPlace,
  SECOND_CLIENT_CHECKS,
} from './object-places.ts'

/** GET /authorize: wrong requests. Requirements: specs/account-information/authorisation.yaml */

const NEGATIVE = { uses: [everything], refusals: 1 }

/** Requests refused to the second client, whose own approval shows that its correct requests work. */
const OF_SECOND = { uses: [everything, secondClient], needs: ['clients.second'] } as const

async function secondApproved(context: Context<typeof everything | typeof secondClient>) {
  context.tpp('second')
  await context.approved(secondClient)
}

check(
  'AUTHZ-03/query-asked-for',
  'Code and ID token do not stand in the query, even if the request asks for that',
  NEGATIVE,
  async (context) => {
    const deviation = inBoth({ response_mode: 'query' })
    const visit = await wrongVisit(context, { purpose: 'the response mode query', deviation })
    if (visit.kind !== 'granted') return expectAnswered(visit)
    const { query } = visit.redirect
    expectThat(query.code === undefined && query.id_token === undefined, {
      message: 'the query of the redirect carries the answer',
      expected: 'code and ID token in the fragment, or a refusal',
      actual: `${Object.keys(query).join(', ')} in the query`,
      exchange: visit.last,
    })
  },
)

/** A visit whose parameters, the intent ID among them, stand in the query alone. */
async function withoutObject(
  context: Context<typeof everything>,
  client: ClientName,
  purpose: string,
): Promise<Visit> {
  const consentId = await createConsent(await context.caller(client), ACCOUNTS)
  const value = { value: consentId, essential: true }
  const claims = { id_token: { [context.target.intentClaim]: value } }
  const query = {
    request: undefined,
    nonce: randomUUID(),
    claims: JSON.stringify(claims),
  }
  return wrongVisit(context, { client, purpose, consentId, deviation: { query } })
}

check(
  'AUTHZ-06/missing',
  'A request without a request object is refused',
  NEGATIVE,
  async (context) =>
    expectNoCode(await withoutObject(context, 'first', 'a request without request object')),
)

/** Authorisation servers keep with each client whether it must sign its requests. */
check(
  'AUTHZ-06/second-client',
  'A request of the second client without a request object is refused',
  { ...OF_SECOND, refusals: 1, follows: ['AUTHZ-06/missing'] },
  async (context) => {
    await secondApproved(context)
    const purpose = 'a request of the second client without request object'
    expectNoCode(await withoutObject(context, 'second', purpose))
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

const UNREGISTERED = 'a redirect URI that is not registered'

const toUnregistered = sharedFixture([everything], (context) => {
  const deviation = inBoth({ redirect_uri: elsewhere() })
  return wrongVisit(context, { purpose: UNREGISTERED, deviation })
})

/** Wrong redirect URIs of the first client, from the table, and the visits with them. */
const toWrong = sharedFixture([everything], async (context) => {
  const visits: Visit[] = []
  const asked = await askTable(context, {
    ...{ owner: 'AUTHZ-08/similar', type: redirectUri, rows: isWrong },
    places: [authorisation(context, 'first', visits)],
    beside: besideAuthorisation(context, 'second'),
  })
  return { asked, visits }
})

check(
  'AUTHZ-08/unregistered',
  'A request with a redirect URI on another host than the registered ones gets no code',
  { ...NEGATIVE, refusals: [UNREGISTERED] },
  async (context) => expectNoCode(await toUnregistered(context)),
)

/** Each client has its own list. */
check(
  'AUTHZ-08/second-client',
  'A request with a redirect URI that the second client did not register gets no code',
  {
    ...OF_SECOND,
    asks: [redirectUri],
    refusals: foreseenUris('second'),
    follows: ['AUTHZ-08/unregistered', 'AUTHZ-08/similar'],
  },
  async (context) => {
    await secondApproved(context)
    await expectTable(context, {
      ...{ owner: 'AUTHZ-08/second-client', type: redirectUri, rows: isWrong },
      places: [authorisation(context, 'second')],
      beside: besideAuthorisation(context, 'first'),
    })
  },
)

/** Fails: a code arrives, at that URI or at a registered one. */
check(
  'AUTHZ-08/similar',
  'A request with a redirect URI that is nearly a registered one gets no code',
  { uses: [everything], asks: [redirectUri], refusals: foreseenUris('first') },
  async (context) => expectNoneBroken((await toWrong(context)).asked, redirectUri),
)

/**
 * An unregistered redirect URI only in the request object, then only in the query,
 * with a registered one in the other. Fails: a code arrives at the unregistered one.
 */
check(
  'AUTHZ-08/contradicted',
  'A redirect URI that is registered nowhere receives no code where query and request object disagree',
  { ...NEGATIVE, refusals: 2 },
  async (context) => {
    const { tpp } = await context.caller()
    const [registered = tpp.client.redirectUris[0]] = tpp.registered?.redirect_uris ?? []
    const uri = elsewhere()
    const visits = [
      { redirectUri: uri, deviation: { query: { redirect_uri: registered } } },
      { redirectUri: registered, deviation: { query: { redirect_uri: uri } } },
    ]
    for (const options of visits) {
      const purpose = 'an unregistered redirect URI in the query or in the request object'
      const visit = await wrongVisit(context, { purpose, ...options })
      const there = visit.kind !== 'stopped' && redirectsTo(visit.redirect, uri)
      if (there) expectNoCode(visit)
      else expectAnswered(visit)
    }
  },
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

/**
 * On the visits of AUTHZ-08/unregistered and AUTHZ-08/similar. Fails:
 * a redirect to the unregistered URI without a code. A redirect with
 * a code is judged by AUTHZ-08, which then blocks this check.
 */
check(
  'AUTHZ-29/no-redirect',
  'A redirect URI that is not registered receives no error either',
  {
    uses: [everything],
    refusals: (foreseen) => [UNREGISTERED, ...foreseenUris('first')(foreseen)],
  },
  async (context) => {
    const registered = urisOf((await context.caller()).tpp)
    const unregistered = await toUnregistered(context)
    for (const visit of [unregistered, ...(await toWrong(context)).visits]) {
      const id = visit === unregistered ? 'AUTHZ-08/unregistered' : 'AUTHZ-08/similar'
      const there = wentThere(visit, registered)
      if (there && visit.kind === 'granted') blockBy(id, 'a code arrived there', visit.last)
      expectThat(!there, {
        message: 'the bank redirects to an address that is not registered',
        expected: 'a page of the bank',
        actual: visit.kind === 'stopped' ? visit.why : `a redirect to ${visit.redirect.address}`,
        exchange: visit.last,
      })
      expectAnswered(visit)
    }
  },
)

const firstBeyond = sharedFixture([everything], async (context) => {
  const visits: Visit[] = []
  const asked = await askTable(context, {
    ...{ owner: 'AUTHZ-09/beyond', type: scope, rows: isBeyond },
    places: [scopeVisits(context, 'first', visits)],
    beside: besideScopes(context, 'second'),
  })
  return { asked, visits }
})

/**
 * Scopes beyond the registered ones. A code that arrives is exchanged. Fails: the scope of
 * the token response has one that is not registered. There this check owns
 * TOK-36/within-registration. A made-up scope when the client's registered scope is unknown.
 */
check(
  'AUTHZ-09/beyond',
  'A scope that is not registered for the client is not granted',
  {
    uses: [everything],
    asks: [scope],
    refusals: foreseenScopes('first'),
    follows: ['REG-14/space-separated'],
  },
  async (context) => expectNoneBroken((await firstBeyond(context)).asked, scope),
)

/**
 * OAuth 2.0 (RFC 6749 3.3) on a list of scopes: “their order does not matter”. Without a
 * code, the same consent is asked for in the usual order. Fails only where that is granted.
 */
check(
  'AUTHZ-09/any-order',
  'A request is granted in whichever order its scope names the registered scopes',
  IN_OTHER_ORDER,
  async (context) => {
    const { visit, again } = await inOtherOrder(context)
    if (visit.kind === 'granted') return
    const usual = await again()
    if (usual.kind !== 'granted') {
      blockBy(OWNERS.visit, `the visit ended with ${visitEnd(usual)}`, usual.last)
    }
    expectCode(visit)
  },
)

/** Not asked where the bank ignores such a scope: each request would be an approval, which may end earlier ones. */
check(
  'AUTHZ-09/second-client',
  'A scope that is not registered for the second client is not granted to it',
  {
    ...OF_SECOND,
    asks: [scope],
    refusals: (foreseen) =>
      (['first', 'second'] as const).flatMap((name) => foreseenScopes(name)(foreseen)),
    follows: ['AUTHZ-09/beyond'],
  },
  async (context) => {
    await secondApproved(context)
    const { visits } = await firstBeyond(context)
    if (visits.some(({ kind }) => kind === 'granted') && !context.asksEveryCell) {
      throw new NotApplicable('the bank leaves out a scope that is not registered')
    }
    await expectTable(context, {
      ...{ owner: 'AUTHZ-09/second-client', type: scope, rows: isBeyond },
      places: [scopeVisits(context, 'second')],
      beside: besideScopes(context, 'first'),
    })
  },
)

const LEFT_OUT = 'a scope that this client did not register'

/**
 * A client that is registered without the scope for funds confirmation asks for it together with the
 * one for accounts. A code that arrives is exchanged. Fails: the scope of the token response has it.
 */
check(
  'AUTHZ-09/left-out',
  'A client is not granted a scope that it did not register, and that others have',
  {
    registers: true,
    uses: [everything],
    refusals: [LEFT_OUT],
    follows: ['AUTHZ-09/beyond'],
  },
  async (context) => {
    const { tpp, leftOut } = await withFewerScopes(context)
    await approvedBefore(context, everything)
    const deviation = inBoth({ scope: `openid ${tpp.client.scopes.accounts} ${leftOut}` })
    await visitOf(context, tpp, { purpose: LEFT_OUT, deviation }, async (visit) => {
      if (visit.kind !== 'granted') return expectAnswered(visit)
      const answer = await exchangeCode({ tpp }, visit, LEFT_OUT, ['TOK-36/within-registration'])
      const scope = tokensOf(answer)?.scope ?? ''
      expectThat(!scope.split(' ').includes(leftOut), {
        message: `the scope ${leftOut} was granted`,
        expected: `no scope but openid ${tpp.client.scopes.accounts}`,
        actual: scope,
        exchange: answer,
      })
    })
  },
)

check('AUTHZ-09/missing', 'A request without scope is refused', NEGATIVE, async (context) => {
  const deviation = inBoth({ scope: undefined })
  expectNoCode(await wrongVisit(context, { purpose: 'no scope', deviation }))
})

/** OpenID Connect Core 1.0, 3.3.2.11: the ID token of this response type has the nonce of its request. */
check('AUTHZ-53/missing', 'A request without nonce is refused', NEGATIVE, async (context) => {
  const deviation = inBoth({ nonce: undefined })
  expectNoCode(await wrongVisit(context, { purpose: 'no nonce', deviation }))
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

for (const { id, title, rows, dear, ...options } of OBJECT_CHECKS) {
  const refusals = foreseenObjects({ rows, ...(dear && { dear }) }, 'first')
  check(id, title, { ...options, uses: [everything], asks: [jws], refusals }, async (context) => {
    if (options.needs?.includes('clients.second')) context.tpp('second')
    const places = [objectPlace(context, 'first', dear)]
    await expectTable(context, { owner: id, type: jws, rows, places })
  })
}

for (const { id, title, rows, ...options } of SECOND_CLIENT_CHECKS) {
  const refusals = foreseenObjects({ rows }, 'second')
  check(id, title, { ...options, ...OF_SECOND, asks: [jws], refusals }, async (context) => {
    await secondApproved(context)
    await expectTable(context, {
      owner: id,
      type: jws,
      rows,
      places: [objectPlace(context, 'second')],
    })
  })
}

/**
 * The query has another registered redirect URI than the request
 * object; needs two. Fails: a code arrives at the one of the query.
 */
check(
  'AUTHZ-12/redirect-uri',
  'A redirect URI of the query that contradicts the request object gets no code',
  NEGATIVE,
  async (context) => {
    const { tpp } = await context.caller()
    const [signed, other] = tpp.registered?.redirect_uris ?? []
    if (other === undefined) {
      const asked = tpp.client.redirectUris.length
      if (asked > 1) throw new NotApplicable(`the bank registered one redirect URI of ${asked}`)
      blockForTarget('a second redirect URI under clients.first.redirectUris')
    }
    const visit = await wrongVisit(context, {
      purpose: 'another redirect URI in the query than in the request object',
      redirectUri: signed,
      deviation: { query: { redirect_uri: other } },
    })
    if (visit.kind === 'granted' && redirectsTo(visit.redirect, other)) expectNoCode(visit)
    expectAnswered(visit)
  },
)

/**
 * OpenID Connect Core 1.0, 6.1: parameters of the request object supersede those of the query. The
 * query has another nonce than the request object. Fails: an ID token with the nonce of the query.
 */
check(
  'AUTHZ-12/nonce',
  'A nonce of the query that contradicts the request object is not answered',
  NEGATIVE,
  async (context) => {
    const nonce = randomUUID()
    const visit = await wrongVisit(context, {
      purpose: 'another nonce in the query than in the request object',
      deviation: { query: { nonce } },
    })
    expectAnswered(visit)
    if (visit.kind !== 'granted') return
    const { nonce: answered } = claimsOf(visit.redirect.idToken ?? '') ?? {}
    expectThat(answered !== nonce, {
      message: 'the ID token has the nonce that nobody signed',
      expected: 'an error, or the nonce of the signed request object',
      actual: 'the nonce of the query',
      exchange: visit.last,
    })
  },
)

/**
 * The same for state. A refusal may return either of the two, since it refuses a request that contradicts itself.
 * Fails: a code with the state of the query.
 */
check(
  'AUTHZ-12/state',
  'A state of the query that contradicts the request object does not come back with a code',
  { ...NEGATIVE, follows: ['AUTHZ-04/on-success'] },
  async (context) => {
    const state = randomUUID()
    const visit = await wrongVisit(context, {
      purpose: 'another state in the query than in the request object',
      deviation: { query: { state } },
    })
    expectAnswered(visit)
    if (visit.kind !== 'granted') return
    expectThat(visit.redirect.state !== state, {
      message: 'the code came with the state that nobody signed',
      expected: 'an error, or the state of the signed request object',
      actual: 'the state of the query',
      exchange: visit.last,
    })
  },
)

/**
 * OpenID Connect Core 1.0, 6.1: response_type of the query must match that of
 * the request object. Fails: a code without an ID token, as the query asks.
 */
check(
  'AUTHZ-12/response-type',
  'A response type of the query that contradicts the request object is not answered',
  NEGATIVE,
  async (context) => {
    const visit = await wrongVisit(context, {
      purpose: 'another response type in the query than in the request object',
      deviation: { query: { response_type: 'code' } },
    })
    expectAnswered(visit)
    if (visit.kind !== 'granted') return
    expectThat(visit.redirect.idToken !== undefined, {
      message: 'the answer is of the response type that nobody signed',
      expected: 'an error, or a code and an ID token as the signed request object asks for',
      actual: 'a code alone, as the query asks for',
      exchange: visit.last,
    })
  },
)

/**
 * OpenID Connect Core 1.0, 5.5 and 6.1: claims of the request object supersede those of the query, which
 * names another consent. Fails: the ID token or the status of that other consent shows that it was approved.
 */
check(
  'AUTHZ-12/claims',
  'Claims of the query that contradict the request object do not cause another consent to be authorised',
  NEGATIVE,
  async (context) => {
    const client = await context.caller()
    const { intentClaim } = context.target
    const other = await createConsent(client, ACCOUNTS)
    const asked = { id_token: { [intentClaim]: { essential: true, value: other } } }
    const visit = await wrongVisit(context, {
      purpose: 'claims in the query that name another consent than the request object',
      deviation: { query: { claims: JSON.stringify(asked) } },
    })
    expectAnswered(visit)
    if (visit.kind !== 'granted') return
    const { [intentClaim]: named } = claimsOf(visit.redirect.idToken ?? '') ?? {}
    const state = await client.get(consentPath(other))
    const isAuthorised = member(state.response?.json, 'Data', 'Status') === 'Authorised'
    expectThat(named !== other && !isAuthorised, {
      message: 'the customer approved a consent that nobody signed',
      expected: 'an error, or the consent of the signed request object',
      actual: isAuthorised
        ? 'the consent of the query is Authorised'
        : 'the intent ID of the query',
      exchange: isAuthorised ? state : visit.last,
    })
  },
)
