import { randomUUID } from 'node:crypto'
import type { TokenDeviation } from '../../engine/client/tpp.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { relyOnNoToken } from './common/earlier-refusal.ts'

/** POST /oauth/token: who asks, and for which grant. Requirements: specs/account-information/token.yaml */

const CLIENT = { grant_type: 'client_credentials' } as const

/** A client_credentials request with one thing wrong, right after the same one without it. */
async function wrong(
  { caller }: Context,
  deviation: TokenDeviation & { deviation: string },
): Promise<Exchange> {
  const { tpp } = await caller()
  relyOn(OWNERS.management, await tpp.token(CLIENT))
  return tpp.token(CLIENT, deviation)
}

check('TOK-02/missing', 'A token request without grant_type is refused', {}, async (context) => {
  const form = { grant_type: undefined }
  expect(await wrong(context, { form, deviation: 'no grant_type' })).toGiveNoToken()
})

check('TOK-02/unknown', 'A grant_type that does not exist is refused', {}, async (context) => {
  const form = { grant_type: 'urn:example:unknown' }
  expect(await wrong(context, { form, deviation: 'unknown grant_type' })).toGiveNoToken()
})

check(
  'TOK-04/no-assertion',
  'A token request without client authentication is refused',
  {},
  async (context) => {
    const deviation = 'client_id alone'
    expect(await wrong(context, { authentication: 'none', deviation })).toGiveNoToken()
  },
)

for (const method of ['client_secret_post', 'client_secret_basic'] as const) {
  check(
    `TOK-05/${method.replaceAll('_', '-')}`,
    `A token request that authenticates by ${method} is refused`,
    {},
    async (context) => {
      const answer = await wrong(context, { authentication: method, deviation: method })
      expect(answer).toGiveNoToken()
    },
  )
}

check(
  'TOK-06/saml',
  'A client_assertion_type other than the JWT-bearer URN is refused',
  {},
  async (context) => {
    const type = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'
    const form = { client_assertion_type: type }
    expect(await wrong(context, { form, deviation: 'assertion type SAML' })).toGiveNoToken()
  },
)

check(
  'TOK-07/tampered',
  'A client assertion that was changed after signing is refused',
  {},
  async (context) => {
    const assertion = { tampered: 'payload' } as const
    expect(await wrong(context, { assertion, deviation: 'changed assertion' })).toGiveNoToken()
  },
)

check(
  'TOK-07/other-client',
  'A client assertion that another client signed is refused',
  {},
  async (context) => {
    const { kid } = context.tpp('second').client.signing
    const assertion = { key: 'other-client', header: { kid } } as const
    const deviation = 'assertion signed by another client'
    expect(await wrong(context, { assertion, deviation })).toGiveNoToken()
  },
)

/** Names that are not the first client's: nobody's, and that of the second client if there is one. */
async function othersThanFirst({ target, caller }: Context): Promise<string[]> {
  const second = target.clients.second && (await caller('second')).tpp.registered?.client_id
  return [randomUUID(), ...(second === undefined ? [] : [second])]
}

check(
  'TOK-07/issuer',
  'A client assertion whose iss is not the client_id is refused',
  {},
  async (context) => {
    for (const iss of await othersThanFirst(context)) {
      const assertion = { claims: { iss } }
      expect(await wrong(context, { assertion, deviation: 'another iss' })).toGiveNoToken()
    }
  },
)

check(
  'TOK-07/subject',
  'A client assertion whose sub is not the client_id is refused',
  {},
  async (context) => {
    for (const sub of await othersThanFirst(context)) {
      const assertion = { claims: { sub } }
      expect(await wrong(context, { assertion, deviation: 'another sub' })).toGiveNoToken()
    }
  },
)

check(
  'TOK-07/audience',
  'A client assertion for another server is refused',
  {},
  async (context) => {
    const assertion = { claims: { aud: 'https://other.example/token' } }
    expect(await wrong(context, { assertion, deviation: 'another aud' })).toGiveNoToken()
  },
)

check(
  'TOK-07/expired',
  'A client assertion that expired an hour ago is refused',
  {},
  async (context) => {
    const now = Math.floor(Date.now() / 1000)
    const assertion = { claims: { iat: now - 3720, exp: now - 3600 } }
    expect(await wrong(context, { assertion, deviation: 'expired assertion' })).toGiveNoToken()
  },
)

check(
  'TOK-08/rs256',
  'A client assertion that is signed with RS256 is refused',
  {},
  async (context) => {
    const assertion = { alg: 'RS256' }
    expect(await wrong(context, { assertion, deviation: 'assertion in RS256' })).toGiveNoToken()
  },
)

check(
  'TOK-08/unsigned',
  'A client assertion that is not signed is refused',
  {},
  async (context) => {
    const assertion = { alg: 'none' }
    expect(await wrong(context, { assertion, deviation: 'unsigned assertion' })).toGiveNoToken()
  },
)

check(
  'TOK-08/hs256',
  'A client assertion in HS256, keyed with the public key of the client, is refused',
  {},
  async (context) => {
    const assertion = { alg: 'HS256' }
    expect(await wrong(context, { assertion, deviation: 'assertion in HS256' })).toGiveNoToken()
  },
)

check(
  'TOK-09/without-client-id',
  'A token request needs no client_id beside its client assertion',
  {},
  async (context) => {
    // The document lets it out, so this is no deviation.
    const { tpp } = await context.caller()
    relyOn(OWNERS.management, await tpp.token(CLIENT))
    expect(await tpp.token(CLIENT, { form: { client_id: undefined } })).toGiveAToken()
  },
)

check('TOK-32/without-expiry', 'A client assertion without exp is refused', {}, async (context) => {
  const assertion = { claims: { exp: undefined } }
  expect(await wrong(context, { assertion, deviation: 'assertion without exp' })).toGiveNoToken()
})

check('TOK-32/without-jti', 'A client assertion without jti is refused', {}, async (context) => {
  const assertion = { claims: { jti: undefined } }
  expect(await wrong(context, { assertion, deviation: 'assertion without jti' })).toGiveNoToken()
})

check(
  'TOK-32/replayed',
  'A client assertion that was used before is refused',
  {},
  async ({ caller }) => {
    const { tpp } = await caller()
    const control = await tpp.token(CLIENT)
    relyOn(OWNERS.management, control)
    const { body } = control.request
    expect(await tpp.token(CLIENT, { body, deviation: 'the same assertion' })).toGiveNoToken()
    relyOn(OWNERS.management, await tpp.token(CLIENT))
    const deviation = 'the same assertion after another one'
    expect(await tpp.token(CLIENT, { body, deviation })).toGiveNoToken()
  },
)

check(
  'TOK-32/without-parties',
  'A client assertion without iss, without sub or without aud is refused',
  {},
  async (context) => {
    const parties = [
      { name: 'iss', other: randomUUID(), id: 'TOK-07/issuer' },
      { name: 'sub', other: randomUUID(), id: 'TOK-07/subject' },
      { name: 'aud', other: 'https://other.example/token', id: 'TOK-07/audience' },
    ]
    for (const { name, other, id } of parties) {
      // A bank that takes any value does not look at the claim.
      const another = { claims: { [name]: other } }
      relyOnNoToken(id, await wrong(context, { assertion: another, deviation: `another ${name}` }))
      const assertion = { claims: { [name]: undefined } }
      const deviation = `assertion without ${name}`
      expect(await wrong(context, { assertion, deviation })).toGiveNoToken()
    }
  },
)

check(
  'TOK-33/other-client',
  'A client_id in the form that is not that of the client assertion is refused',
  {},
  async (context) => {
    const other = context.target.clients.second && (await context.caller('second')).tpp.registered
    const form = { client_id: other?.client_id ?? randomUUID() }
    expect(await wrong(context, { form, deviation: 'another client_id' })).toGiveNoToken()
  },
)
