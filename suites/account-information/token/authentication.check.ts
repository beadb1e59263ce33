import { randomUUID } from 'node:crypto'
import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { TokenDeviation } from '../../../engine/suite-api/client.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireValue, tokensOf } from '../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../owners.ts'
import { dear, expectTable } from '../../tables.ts'
import { jws } from '../../values/jws.ts'
import { isLawful } from '../../values/jws-groups.ts'
import { assertionType, grantType } from '../../values/token-enumerations.ts'
import { ELSEWHERE } from '../common/elsewhere.ts'
import { clientsOf } from '../common/registration/clients.ts'
import { partiesOf, WRONG_AUTHENTICATIONS } from '../common/tokens/wrong-authentications.ts'
import {
  ASSERTION_CHECKS,
  assertionPlaces,
  isMalformed,
  isOfOtherType,
  isSelfRefusing,
  wrongAssertions,
} from './assertion-places.ts'
import { assertionTypePlaces, grantTypePlaces, isOther } from './parameter-places.ts'

/** POST /oauth/token: client authentication, and grant types. Requirements: specs/account-information/token.yaml */

const CLIENT = { grant_type: 'client_credentials' } as const

/** A client_credentials request with one error, right after the same request without it. */
async function wrong(
  { caller }: Context,
  deviation: TokenDeviation & { deviation: string },
): Promise<Exchange> {
  const { tpp } = await caller()
  relyOn(OWNERS.management, await tpp.token(CLIENT)).toSucceed()
  return tpp.token(CLIENT, deviation)
}

check(
  'TOK-02/missing',
  'A token request without grant_type is refused',
  { for: 'each client' },
  async (context) => {
    const form = { grant_type: undefined }
    expect(await wrong(context, { form, deviation: 'no grant_type' })).toGiveNoToken()
  },
)

check(
  'TOK-02/unknown',
  'A grant_type that does not exist, or that the client did not register, is refused',
  { asks: [grantType] },
  async (context) => {
    const form = { grant_type: 'urn:example:unknown' }
    expect(await wrong(context, { form, deviation: 'unknown grant_type' })).toGiveNoToken()
    await expectTable(context, {
      ...{ owner: 'TOK-02/unknown', type: grantType, rows: isOther },
      places: grantTypePlaces(clientsOf(context)),
    })
  },
)

/** Addresses are written to the logs of each server on the way, with whatever stands in their query. */
check(
  'TOK-49/in-the-query',
  'A token request with an empty form, and its parameters in the query of the address, gets no token',
  {},
  async ({ caller, steps }) => {
    requireValue(await steps.management())
    const { tpp } = await caller()
    const deviation = 'the parameters in the query of the address'
    expect(await tpp.token(CLIENT, { inTheQuery: true, deviation })).toGiveNoToken()
  },
)

check(
  'TOK-49/by-get',
  'A token request by GET, with its parameters in the query of the address, gets no token',
  { follows: ['TOK-49/in-the-query'] },
  async ({ caller, steps }) => {
    requireValue(await steps.management())
    const { tpp } = await caller()
    const deviation = 'GET, with the parameters in the query of the address'
    const wrong = { inTheQuery: true, method: 'GET', contentType: null, deviation } as const
    expect(await tpp.token(CLIENT, wrong)).toGiveNoToken()
  },
)

/**
 * Neither client_assertion nor client_assertion_type, only
 * client_id, over the client's own transport certificate.
 */
check(
  'TOK-04/no-assertion',
  'A token request without client authentication is refused',
  { for: 'each client' },
  async (context) => {
    const deviation = 'client_id alone'
    expect(await wrong(context, { authentication: 'none', deviation })).toGiveNoToken()
  },
)

/** The module for secrets takes over a request whose assertion the module for keys did not verify. */
check(
  'TOK-05/beside-an-assertion',
  'A token request with a client secret beside a client assertion that is not signed is refused',
  { follows: ['TOK-05/client-secret-post', 'TOK-08/unsigned'] },
  async (context) => {
    const { tpp } = await context.caller()
    const secret = tpp.registered?.client_secret ?? randomUUID()
    const deviation = 'a secret beside an unsigned assertion'
    const beside = { form: { client_secret: secret }, assertion: { alg: 'none' }, deviation }
    expect(await wrong(context, beside)).toGiveNoToken()
  },
)

for (const { id, title, attempts, byAnother } of WRONG_AUTHENTICATIONS) {
  if (ASSERTION_CHECKS.some((each) => each.id === id)) continue
  const isOfType = id === 'TOK-06/saml'
  check(id, title, isOfType ? { asks: [assertionType] } : {}, async (context) => {
    if (byAnother) context.tpp('second')
    for (const client of clientsOf(context)) {
      const parties = await partiesOf(context, client)
      for (const wrong of attempts(parties)) {
        expect(await parties.tpp.token(CLIENT, wrong)).toGiveNoToken()
      }
    }
    if (!isOfType) return
    await expectTable(context, {
      ...{ owner: 'TOK-06/saml', type: assertionType, rows: isOther },
      places: assertionTypePlaces(clientsOf(context)),
    })
  })
}

for (const { id, title, part, ...options } of ASSERTION_CHECKS) {
  check(id, title, { ...options, asks: [jws] }, async (context) => {
    if (options.needs?.includes('clients.second')) context.tpp('second')
    const places = assertionPlaces(clientsOf(context))
    await expectTable(context, { owner: id, type: jws, rows: wrongAssertions(part), places })
  })
}

/** Of the first client: what a library makes of such a JWT does not depend on whose it is. */
const ofOneClient = dear(assertionPlaces(['first']))

/** RFC 7519 4.1.5 (nbf) and RFC 7515 4.1.11 (crit). */
check(
  'TOK-53/says-so',
  'A client assertion that is not valid yet, or has an unknown critical extension, is refused',
  { asks: [jws], follows: ['TOK-07/tampered'] },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TOK-53/says-so', type: jws, rows: isSelfRefusing },
      places: ofOneClient,
    }),
)

check(
  'TOK-32/other-types',
  'A client assertion whose iss, sub, aud, exp or jti has no value, or one of another type, is refused',
  {
    asks: [jws],
    follows: [
      ...['TOK-32/without-parties', 'TOK-32/without-expiry', 'TOK-32/without-jti'],
      ...['TOK-07/issuer', 'TOK-07/subject', 'TOK-07/audience', 'TOK-07/expired'],
    ],
  },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TOK-32/other-types', type: jws, rows: isOfOtherType },
      places: ofOneClient,
    }),
)

/** RFC 7519 7.2: if a step of the validation fails, “the JWT MUST be rejected”. */
check(
  'TOK-58/malformed',
  'A client assertion that is not a compact JWS of valid JSON, or whose alg is not PS256, is refused',
  { asks: [jws], follows: ['TOK-08/unsigned', 'TOK-08/other-algorithms', 'TOK-07/tampered'] },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TOK-58/malformed', type: jws, rows: isMalformed },
      places: ofOneClient,
    }),
)

check(
  'TOK-54/unknown-claims',
  'A client assertion with unknown claims is accepted',
  { asks: [jws] },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TOK-54/unknown-claims', type: jws, rows: isLawful('must') },
      places: ofOneClient,
    }),
)

check(
  'TOK-55/lawful',
  'A client assertion is accepted however its JSON is written, and without what is optional',
  { asks: [jws], follows: ['TOK-54/unknown-claims'] },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TOK-55/lawful', type: jws, rows: isLawful('should') },
      places: ofOneClient,
    }),
)

check(
  'TOK-09/without-client-id',
  'A token request with a client assertion needs no client_id',
  { for: 'each client' },
  async ({ caller }) => {
    const { tpp } = await caller()
    relyOn(OWNERS.management, await tpp.token(CLIENT)).toSucceed()
    // The document leaves it out, so this is no deviation.
    expect(await tpp.token(CLIENT, { form: { client_id: undefined } })).toGiveAToken()
  },
)

check(
  'TOK-32/replayed',
  'A client assertion that was used before is refused',
  { for: 'each client' },
  async ({ caller }) => {
    const { tpp } = await caller()
    const control = await tpp.token(CLIENT)
    relyOn(OWNERS.management, control).toSucceed()
    const { body } = control.request
    expect(await tpp.token(CLIENT, { body, deviation: 'the same assertion' })).toGiveNoToken()
    relyOn(OWNERS.management, await tpp.token(CLIENT)).toSucceed()
    // Over a new connection, since another node may not know that it was used.
    const later = { ...ELSEWHERE, body, deviation: 'the same assertion after another one' }
    expect(await tpp.token(CLIENT, later)).toGiveNoToken()
  },
)

check(
  'TOK-32/without-parties',
  'A client assertion without iss, without sub or without aud is refused',
  { for: 'each client' },
  async ({ caller }) => {
    const { tpp } = await caller()
    relyOn(OWNERS.management, await tpp.token(CLIENT)).toSucceed()
    const parties = [
      { name: 'iss', other: randomUUID(), id: 'TOK-07/issuer' },
      { name: 'sub', other: randomUUID(), id: 'TOK-07/subject' },
      { name: 'aud', other: 'https://other.example/token', id: 'TOK-07/audience' },
    ]
    for (const { name, other, id } of parties) {
      const assertion = { claims: { [name]: undefined } }
      const deviation = `assertion without ${name}`
      const answer = await tpp.token(CLIENT, { assertion, deviation })
      if (tokensOf(answer)) {
        // A bank that accepts any value does not check the claim.
        const another = { claims: { [name]: other } }
        const told = { assertion: another, deviation: `another ${name}` }
        relyOn(id, await tpp.token(CLIENT, told)).toGiveNoToken()
      }
      expect(answer).toGiveNoToken()
    }
  },
)
