import { randomUUID } from 'node:crypto'
import { type Context, check } from '../../engine/suite-api/check.ts'
import { redirectsTo } from '../../engine/suite-api/client.ts'
import type { ClientName } from '../../engine/suite-api/consents.ts'
import { expectThat } from '../../engine/suite-api/expect.ts'
import { type Caller, tokensOf, type Visit } from '../../engine/suite-api/flow.ts'
import type { JwtDeviation } from '../../engine/suite-api/jwt.ts'
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

/** What is refused to the second client, whose own approval shows that it is served otherwise. */
const OF_SECOND = { uses: [everything, secondClient], needs: ['clients.second'] } as const

async function secondApproved(context: Context<typeof everything | typeof secondClient>) {
  context.tpp('second')
  await context.approved(secondClient)
}

const bySecond = (words: string) => `${words}, by the second client`

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
const UNREGISTERED_BY_SECOND = bySecond(UNREGISTERED)
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

check(
  'AUTHZ-08/unregistered',
  'A request with a redirect URI on another host than the registered ones gets no code',
  { ...NEGATIVE, refusals: [UNREGISTERED] },
  async (context) => expectNoCode(await toUnregistered(context)),
)

/** Elsewhere, then with each change of common/nearly.ts: the list of each client is its own. */
check(
  'AUTHZ-08/second-client',
  'A request with a redirect URI that the second client did not register gets no code',
  {
    ...OF_SECOND,
    refusals: [UNREGISTERED_BY_SECOND, ...SIMILAR.map(bySecond)],
    follows: ['AUTHZ-08/unregistered', 'AUTHZ-08/similar'],
  },
  async (context) => {
    await secondApproved(context)
    const { tpp } = await context.caller('second')
    const registered = tpp.registered?.redirect_uris ?? tpp.client.redirectUris
    const ways = nearly(registered[0] ?? '').map(({ words, uri }) => ({
      purpose: bySecond(similar(words)),
      uri,
    }))
    const asked = [{ purpose: UNREGISTERED_BY_SECOND, uri: elsewhere() }, ...ways]
    for (const { purpose, uri } of context.cases(asked)) {
      if (registered.includes(uri)) continue
      const deviation = inBoth({ redirect_uri: uri })
      expectNoCode(await wrongVisit(context, { client: 'second', purpose, deviation }))
    }
  },
)

/**
 * A registered redirect URI with each change of common/nearly.ts. Fails: a code arrives, there or at a registered one.
 */
check(
  'AUTHZ-08/similar',
  'A request with a redirect URI that is nearly a registered one gets no code',
  { ...NEGATIVE, refusals: SIMILAR },
  async (context) => {
    for (const visit of await toSimilar(context)) expectNoCode(visit)
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

const BEYOND = 'a scope that is not registered'

/** A visit with a scope that this client has not registered, which a bank may refuse or leave out. */
async function visitBeyond(context: Context<typeof everything>, name: ClientName) {
  const { client } = (await context.caller(name)).tpp
  const { beyond, registered } = await unregisteredScope(context, name)
  const visit = await wrongVisit(context, {
    client: name,
    purpose: `the scope ${beyond} as well`,
    deviation: inBoth({ scope: `openid ${client.scopes.accounts} ${beyond}` }),
  })
  return { visit, beyond, registered }
}

const firstBeyond = sharedFixture([everything], (context) => visitBeyond(context, 'first'))

async function expectNotGranted(
  { visit, beyond, registered }: Awaited<ReturnType<typeof visitBeyond>>,
  caller: Caller,
): Promise<void> {
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
}

/**
 * Scope with one more that is not registered (from scopes_supported, else payments). When a code
 * arrives it is exchanged. Fails: the token response's scope has that scope. Owns
 * TOK-36/within-registration there. Blocked when the client's registered scope is unknown.
 */
check(
  'AUTHZ-09/beyond',
  'A scope that is not registered for the client is not granted',
  { ...NEGATIVE, refusals: [BEYOND] },
  async (context) => expectNotGranted(await firstBeyond(context), await context.caller()),
)

/** Not asked of a bank that leaves such a scope out: it would be an approval, which may end those before it. */
check(
  'AUTHZ-09/second-client',
  'A scope that is not registered for the second client is not granted to it',
  { ...OF_SECOND, refusals: [BEYOND, bySecond(BEYOND)], follows: ['AUTHZ-09/beyond'] },
  async (context) => {
    await secondApproved(context)
    if ((await firstBeyond(context)).visit.kind === 'granted') {
      throw new NotApplicable('the bank leaves out a scope that is not registered')
    }
    await expectNotGranted(await visitBeyond(context, 'second'), await context.caller('second'))
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

const WRONGLY_SIGNED = [
  { purpose: bySecond('an unsigned request object'), requestObject: { alg: 'none' } },
  { purpose: bySecond('a request object in RS256'), requestObject: { alg: 'RS256' } },
  { purpose: bySecond('a changed request object'), requestObject: { tampered: 'payload' } },
  {
    purpose: 'a request object of the second client that the first one signed',
    requestObject: { key: 'other-client' },
  },
] as const

check(
  'AUTHZ-11/second-client',
  'A request object of the second client that is not signed, not with PS256, not by it, or changed, is refused',
  {
    ...OF_SECOND,
    refusals: WRONGLY_SIGNED.map(({ purpose }) => purpose),
    follows: ['AUTHZ-11/unsigned', 'AUTHZ-11/rs256', 'AUTHZ-11/tampered', 'AUTHZ-11/other-client'],
  },
  async (context) => {
    await secondApproved(context)
    const { kid } = context.tpp().client.signing
    for (const { purpose, requestObject } of context.cases(WRONGLY_SIGNED)) {
      const header = 'key' in requestObject ? { header: { kid } } : {}
      const deviation = { requestObject: { ...requestObject, ...header } }
      expectNoCode(await wrongVisit(context, { client: 'second', purpose, deviation }))
    }
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

const EXPIRED = 'an expired request object'
const expired = () => ({ claims: { iat: ago(3900), nbf: ago(3900), exp: ago(3600) } })

const ELSEWHERE = 'a request object for another server'
const forAnother = () => ({ claims: { aud: 'https://other.example' } })

/** The first client's visit with such a request object. */
const misdirected = (purpose: string, requestObject: () => JwtDeviation) =>
  sharedFixture([everything], (context) =>
    wrongVisit(context, { purpose, deviation: { requestObject: requestObject() } }),
  )

const toExpire = misdirected(EXPIRED, expired)
const toAnother = misdirected(ELSEWHERE, forAnother)

check(
  'AUTHZ-25/expired',
  'A request object that expired an hour ago is refused',
  { ...NEGATIVE, refusals: [EXPIRED] },
  async (context) => expectNoCode(await toExpire(context)),
)

check(
  'AUTHZ-25/other-audience',
  'A request object that is meant for another server is refused',
  { ...NEGATIVE, refusals: [ELSEWHERE] },
  async (context) => expectNoCode(await toAnother(context)),
)

check(
  'AUTHZ-25/second-client',
  'A request object of the second client that has expired, or is for another server, is refused',
  { ...OF_SECOND, refusals: [EXPIRED, ELSEWHERE].flatMap((one) => [one, bySecond(one)]) },
  async (context) => {
    await secondApproved(context)
    relyOnNoCode('AUTHZ-25/expired', await toExpire(context))
    relyOnNoCode('AUTHZ-25/other-audience', await toAnother(context))
    const wrong = [
      { purpose: bySecond(EXPIRED), requestObject: expired() },
      { purpose: bySecond(ELSEWHERE), requestObject: forAnother() },
    ]
    for (const { purpose, requestObject } of context.cases(wrong)) {
      const deviation = { requestObject }
      expectNoCode(await wrongVisit(context, { client: 'second', purpose, deviation }))
    }
  },
)
