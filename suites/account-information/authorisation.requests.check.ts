import { randomUUID } from 'node:crypto'
import { type Context, check } from '../../engine/suite-api/check.ts'
import { redirectsTo } from '../../engine/suite-api/client.ts'
import { expectThat } from '../../engine/suite-api/expect.ts'
import { tokensOf, type Visit } from '../../engine/suite-api/flow.ts'
import { blockBy, blockForData, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import { sharedFixture } from '../../engine/suite-api/shared-fixture.ts'
import { everything, secondClient } from '../consents.ts'
import { ACCOUNTS, createConsent } from './common/consent-requests.ts'
import { visitOf, withFewerScopes } from './common/narrow-registration.ts'
import { NEARLY, nearly } from './common/nearly.ts'
import { unregisteredScope } from './common/unregistered-scope.ts'
import {
  approvedBefore,
  elsewhere,
  exchangeCode,
  expectAnswered,
  expectNoCode,
  inBoth,
  relyOnNoCode,
  wrongVisit,
} from './common/visits.ts'

/** GET /authorize: what is wrong with a request. Requirements: specs/account-information/authorisation.yaml */

const NEGATIVE = { uses: [everything], refusals: 1 }

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

check(
  'AUTHZ-06/missing',
  'A request without a request object is refused',
  NEGATIVE,
  async (context) => {
    const caller = await context.caller()
    const consentId = await createConsent(caller, ACCOUNTS)
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

const toUnregistered = sharedFixture([everything], (context) => {
  const deviation = inBoth({ redirect_uri: elsewhere() })
  return wrongVisit(context, { purpose: UNREGISTERED, deviation })
})

const UNREGISTERED = 'a redirect URI that is not registered'
const UNREGISTERED_BY_SECOND = 'a redirect URI that the second client did not register'
const similar = (words: string) => `a registered redirect URI with ${words}`
const SIMILAR = NEARLY.map(similar)

const toSimilar = sharedFixture([everything], async (context) => {
  const { tpp } = await context.caller()
  const registered = tpp.registered?.redirect_uris ?? tpp.client.redirectUris
  const visits: Visit[] = []
  for (const { words, uri } of nearly(registered[0] ?? '')) {
    if (registered.includes(uri)) continue
    const deviation = inBoth({ redirect_uri: uri })
    const purpose = similar(words)
    visits.push(await wrongVisit(context, { purpose, deviation }))
  }
  return visits
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
  { ...NEGATIVE, refusals: [UNREGISTERED] },
  async (context) => expectNoCodeThere(await toUnregistered(context)),
)

/** The list of each client is its own: what the first client's visit shows says nothing of the second's. */
check(
  'AUTHZ-08/second-client',
  'A redirect URI that the second client did not register receives no code of its',
  {
    uses: [everything, secondClient],
    refusals: [UNREGISTERED, UNREGISTERED_BY_SECOND],
    needs: ['clients.second'],
  },
  async (context) => {
    context.tpp('second')
    await context.approved(secondClient)
    const first = await toUnregistered(context)
    const visit = await wrongVisit(context, {
      purpose: UNREGISTERED_BY_SECOND,
      client: 'second',
      deviation: inBoth({ redirect_uri: elsewhere() }),
    })
    if (wentThere(first)) relyOnNoCode('AUTHZ-08/unregistered', first)
    expectNoCodeThere(visit)
  },
)

/**
 * A registered redirect URI with each change of common/nearly.ts. Fails: a code arrives there.
 */
check(
  'AUTHZ-08/similar',
  'A redirect URI that is nearly a registered one receives no code',
  { ...NEGATIVE, refusals: SIMILAR },
  async (context) => {
    for (const visit of await toSimilar(context)) expectNoCodeThere(visit)
  },
)

/**
 * An unregistered redirect URI in the request object alone, then in the query alone, a registered
 * one in the other. Fails: a code arrives at the unregistered one.
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
 * On the visits of AUTHZ-08/unregistered and AUTHZ-08/similar. Fails: a redirect to the
 * unregistered URI that carries no code. A code there is judged by AUTHZ-08, then this one is blocked by
 * it.
 */
check(
  'AUTHZ-29/no-redirect',
  'A redirect URI that is not registered receives no error either',
  { ...NEGATIVE, refusals: [UNREGISTERED, ...SIMILAR] },
  async (context) => {
    const unregistered = await toUnregistered(context)
    for (const visit of [unregistered, ...(await toSimilar(context))]) {
      const id = visit === unregistered ? 'AUTHZ-08/unregistered' : 'AUTHZ-08/similar'
      if (wentThere(visit) && visit.kind === 'granted') {
        blockBy(id, 'a code arrived there', visit.last)
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

/**
 * Scope with one more that is not registered (from scopes_supported, else payments). When a code
 * arrives it is exchanged. Fails: the token response's scope has that scope. Owns
 * TOK-36/within-registration there. Blocked when the client's registered scope is unknown.
 */
check(
  'AUTHZ-09/beyond',
  'A scope that is not registered for the client is not granted',
  NEGATIVE,
  async (context) => {
    const caller = await context.caller()
    const { client } = caller.tpp
    const { beyond, registered } = await unregisteredScope(context)
    const deviation = inBoth({ scope: `openid ${client.scopes.accounts} ${beyond}` })
    const visit = await wrongVisit(context, { purpose: `the scope ${beyond} as well`, deviation })
    if (visit.kind !== 'granted') return expectAnswered(visit)
    const answer = await exchangeCode(caller, visit, 'a code for a scope that is not registered', [
      'TOK-36/within-registration',
    ])
    const scope = tokensOf(answer)?.scope ?? ''
    expectThat(!scope.split(' ').includes(beyond), {
      message: `the scope ${beyond} was granted`,
      expected: `no scope but ${registered}`,
      actual: scope,
      exchange: answer,
    })
  },
)

const LEFT_OUT = 'a scope that this client did not register'

/**
 * A client that is registered without the scope for funds confirmation asks for it beside the one for
 * accounts; when a code arrives it is exchanged. Fails: the token response's scope has it.
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

/** The first client's request object, wrongly signed. */
const wronglySigned = {
  none: sharedFixture([everything], (context) =>
    wrongVisit(context, {
      purpose: 'an unsigned request object',
      deviation: { requestObject: { alg: 'none' } },
    }),
  ),
  RS256: sharedFixture([everything], (context) =>
    wrongVisit(context, {
      purpose: 'a request object in RS256',
      deviation: { requestObject: { alg: 'RS256' } },
    }),
  ),
  tampered: sharedFixture([everything], (context) =>
    wrongVisit(context, {
      purpose: 'a changed request object',
      deviation: { requestObject: { tampered: 'payload' } },
    }),
  ),
}

check(
  'AUTHZ-11/unsigned',
  'A request object that is not signed is refused',
  { ...NEGATIVE, refusals: ['an unsigned request object'] },
  async (context) => expectNoCode(await wronglySigned.none(context)),
)

check(
  'AUTHZ-11/rs256',
  'A request object that is signed with RS256 is refused',
  { ...NEGATIVE, refusals: ['a request object in RS256'] },
  async (context) => expectNoCode(await wronglySigned.RS256(context)),
)

check(
  'AUTHZ-11/hs256',
  'A request object in HS256, keyed with the public key of the client, is refused',
  NEGATIVE,
  async (context) => {
    const deviation = { requestObject: { alg: 'HS256' } }
    expectNoCode(await wrongVisit(context, { purpose: 'a request object in HS256', deviation }))
  },
)

check(
  'AUTHZ-11/other-algorithms',
  'A request object that is signed with PS384, PS512 or ES256 is refused',
  { uses: [everything], refusals: 3 },
  async (context) => {
    for (const alg of context.cases(['PS384', 'PS512', 'ES256'])) {
      const deviation = { requestObject: { alg } }
      expectNoCode(await wrongVisit(context, { purpose: `a request object in ${alg}`, deviation }))
    }
  },
)

const OF_SECOND = [
  {
    id: 'AUTHZ-11/unsigned',
    wrong: 'none',
    purpose: 'a request object of the second client in none',
    requestObject: { alg: 'none' },
  },
  {
    id: 'AUTHZ-11/rs256',
    wrong: 'RS256',
    purpose: 'a request object of the second client in RS256',
    requestObject: { alg: 'RS256' },
  },
  {
    id: 'AUTHZ-11/tampered',
    wrong: 'tampered',
    purpose: 'a changed request object of the second client',
    requestObject: { tampered: 'payload' },
  },
] as const

check(
  'AUTHZ-11/second-client',
  'A request object of the second client that is not signed, not with PS256, or changed, is refused',
  {
    uses: [everything, secondClient],
    refusals: [
      ...OF_SECOND.map(({ purpose }) => purpose),
      'an unsigned request object',
      'a request object in RS256',
      'a changed request object',
    ],
  },
  async (context) => {
    context.tpp('second')
    await context.approved(secondClient)
    const ofBoth: { id: string; first: Visit; second: Visit }[] = []
    for (const { id, wrong, purpose, requestObject } of context.cases(OF_SECOND)) {
      const first = await wronglySigned[wrong](context)
      const options = { purpose, deviation: { requestObject } }
      const second = await wrongVisit(context, { client: 'second', ...options })
      ofBoth.push({ id, first, second })
    }
    for (const { first, second } of ofBoth) if (first.kind !== 'granted') expectNoCode(second)
    for (const { id, first } of ofBoth) relyOnNoCode(id, first)
  },
)

check(
  'AUTHZ-11/tampered',
  'A request object that was changed after signing is refused',
  { ...NEGATIVE, refusals: ['a changed request object'] },
  async (context) => expectNoCode(await wronglySigned.tampered(context)),
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

/**
 * Another registered redirect URI in the query than in the request object; needs two. Fails: a code
 * arrives at the one of the query.
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
      blockForData('a second redirect URI under clients.first.redirectUris')
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

/**
 * Response_type code. Not-applicable when the registered response_types have it. Fails: a code
 * arrives, in fragment or query.
 */
check(
  'AUTHZ-28/code',
  'A response type that the client has not registered is refused',
  NEGATIVE,
  async (context: Context<typeof everything>) => {
    const { registered } = (await context.caller()).tpp
    const types = registered?.response_types
    if (Array.isArray(types) && types.includes('code')) {
      throw new NotApplicable('the bank registered the response type code as well')
    }
    const deviation = inBoth({ response_type: 'code' })
    expectNoCode(await wrongVisit(context, { purpose: 'the response type code', deviation }))
  },
)
