import { constants, createHmac, createPublicKey, randomUUID, sign } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { Context } from 'koa'
import {
  createSigningKey,
  type SigningKey,
  signJws,
} from '../../bank/authorisation-server/signature.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'
import { encodedPart } from '../../engine/wire/jwt-decode.ts'
import { changeFragment, halfHash, idTokens } from '../altering/id-tokens.ts'
import { answers, type Json, jsonOf, partOf } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'

/** Makes a wrong ID token from a right one. */
type Spoil = (claims: Json, key: SigningKey, ctx: Context) => string | Promise<string>

const now = () => Math.floor(Date.now() / 1000)
/** The signing key of a bank. */
function keyOf(ctx: Context): SigningKey {
  const [key] = stateOf(ctx).bank.services.keys
  if (!key) throw new RangeError('a bank publishes one key at least')
  return key
}

/** Changes claims; an undefined value removes one. */
const claiming =
  (change: (claims: Json) => Json): Spoil =>
  (claims, key) =>
    signJws(change(claims), key)

const stranger = createSigningKey('stranger')

const byStranger: Spoil = async (claims, { kid }) => signJws(claims, await stranger, { kid })

/** The key is in the header, where any signer can put one. */
const withItsKey: Spoil = async (claims, { kid }) => {
  const { jwk } = await stranger
  return signJws(claims, await stranger, { kid, jwk })
}

const unsigned: Spoil = (claims) => `${encodedPart({ alg: 'none' })}.${encodedPart(claims)}.`

const inRs256: Spoil = (claims, { kid, key }) => {
  const input = `${encodedPart({ alg: 'RS256', kid })}.${encodedPart(claims)}`
  const padding = constants.RSA_PKCS1_PADDING
  return `${input}.${sign('sha256', Buffer.from(input), { key, padding }).toString('base64url')}`
}

/** The classic confusion: everybody has the public key, and here it is used as a shared secret. */
const inHs256: Spoil = (claims, { kid, key }) => {
  const input = `${encodedPart({ alg: 'HS256', kid })}.${encodedPart(claims)}`
  const secret = createPublicKey(key).export({ type: 'spki', format: 'pem' })
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

const anotherClient = 'a-client-of-somebody-else'

const approvals = ofEachBank(() => ({ count: 0 }))

/** Counts the approvals of a bank: 1, 2, 3, … */
function nextApproval(): number {
  approvals().count += 1
  return approvals().count
}

/** The ID token next to the code, from the first approval on or from a later one. */
function inRedirect(id: string, story: string, spoil: Spoil, from = 1): Alteration {
  return {
    id: from > 1 ? `later-redirect-${id}` : `redirect-${id}`,
    story,
    async middleware(ctx, next) {
      await next()
      const idToken = fragmentOf(ctx)?.get('id_token')
      if (!idToken || nextApproval() < from) return
      const other = await spoil(decodeJwt(idToken) as Json, keyOf(ctx), ctx)
      changeFragment(ctx, (fragment) => {
        fragment.set('id_token', other)
        return true
      })
      stateOf(ctx).fired()
    },
  }
}

/** The ID token next to the access token: of any grant, or only of a refresh. */
function fromTokenEndpoint(
  id: string,
  story: string,
  spoil: Spoil,
  grant?: 'refresh_token',
): Alteration {
  return {
    id: `${grant ? 'refresh' : 'token'}-${id}`,
    story,
    async middleware(ctx, next) {
      await next()
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || typeof body?.id_token !== 'string') return
      if (grant && new URLSearchParams(stateOf(ctx).body).get('grant_type') !== grant) return
      const other = await spoil(decodeJwt(body.id_token) as Json, keyOf(ctx), ctx)
      ctx.body = { ...body, id_token: other }
      stateOf(ctx).fired()
    },
  }
}

function fragmentOf(ctx: Context): URLSearchParams | undefined {
  const [, fragment] = String(ctx.response.get('location') ?? '').split('#', 2)
  return fragment === undefined ? undefined : new URLSearchParams(fragment)
}

/** Mistakes in the ID token of a refresh: OpenID Connect Core 12.2. */
const AT_REFRESH: [id: string, story: string, spoil: Spoil][] = [
  [
    'id-token-of-another-issuer',
    'The ID token of a refresh names another issuer than the first one.',
    claiming((claims) => ({ ...claims, iss: `${claims.iss}/another` })),
  ],
  [
    'id-token-for-another-client',
    'The ID token of a refresh is for another client.',
    claiming((claims) => ({ ...claims, aud: anotherClient })),
  ],
  [
    'id-token-of-another-subject',
    'The ID token of a refresh is about another customer than the first one.',
    claiming((claims) => ({ ...claims, sub: randomUUID() })),
  ],
]

/** Mistakes in any ID token, wherever it comes from. */
const ANYWHERE: [id: string, story: string, spoil: Spoil][] = [
  [
    'id-token-of-a-stranger',
    'Somebody else signs the ID token, under the kid of the bank.',
    byStranger,
  ],
  ['id-token-unsigned', 'The ID token has alg none and no signature.', unsigned],
  [
    'id-token-of-another-issuer',
    'The ID token names another issuer, whose address begins as that of the bank.',
    claiming((claims) => ({ ...claims, iss: `${claims.iss}/another` })),
  ],
  [
    'id-token-for-another-client',
    'The ID token is for another client.',
    claiming((claims) => ({ ...claims, aud: anotherClient })),
  ],
  [
    'id-token-expired',
    'The ID token expired eleven minutes ago, more than clocks may differ.',
    claiming((claims) => ({ ...claims, iat: now() - 960, exp: now() - 660 })),
  ],
  [
    'id-token-of-another-nonce',
    'The ID token has the nonce of another visit.',
    claiming((claims) => ({ ...claims, nonce: randomUUID() })),
  ],
  [
    'id-token-of-another-intent',
    'The ID token is for another consent than the one that was asked for.',
    claiming((claims) => ({ ...claims, openbanking_intent_id: randomUUID() })),
  ],
  [
    'id-token-of-unknown-kid',
    'The ID token names a key that the bank does not publish.',
    async (claims) => signJws(claims, await stranger),
  ],
  ['id-token-in-rs256', 'The ID token is signed with RS256 by the right key.', inRs256],
  [
    'id-token-for-two-clients',
    'The aud of the ID token also lists another client, and there is no azp.',
    claiming(({ azp: _, ...claims }) => ({ ...claims, aud: [claims.aud, anotherClient] })),
  ],
  [
    'id-token-of-another-party',
    'The azp of the ID token names another client.',
    claiming((claims) => ({ ...claims, azp: anotherClient })),
  ],
  ['id-token-without-exp', 'The ID token has no exp.', claiming(({ exp: _, ...claims }) => claims)],
  [
    'id-token-of-another-c-hash',
    'The c_hash of the ID token belongs to another code.',
    claiming((claims) => ({ ...claims, c_hash: halfHash(randomUUID()) })),
  ],
]

const alterations: Alteration[] = [
  ...ANYWHERE.map((each) => inRedirect(...each)),
  ...ANYWHERE.map((each) => fromTokenEndpoint(...each)),
  ...AT_REFRESH.map((each) => fromTokenEndpoint(...each, 'refresh_token')),
  inRedirect(
    'id-token-of-a-stranger',
    'From the second visit on somebody else signs the ID token, under the kid of the bank.',
    byStranger,
    2,
  ),
  inRedirect(
    'id-token-of-another-nonce',
    'From the second visit on the ID token has the nonce of another visit.',
    claiming((claims) => ({ ...claims, nonce: randomUUID() })),
    2,
  ),
  inRedirect(
    'id-token-with-a-key-of-its-own',
    'Somebody else signs the ID token, and puts the public key into its header.',
    withItsKey,
  ),
  inRedirect(
    'id-token-with-an-extension',
    'The crit header of the ID token names an extension that nobody knows.',
    (claims, key) =>
      signJws(claims, key, { crit: ['https://bank.example/seal'], 'https://bank.example/seal': 1 }),
  ),
  inRedirect(
    'id-token-of-another-level',
    'The acr of the ID token says that the customer logged in with a password only.',
    claiming((claims) => ({ ...claims, acr: 'urn:bank:password' })),
  ),
  inRedirect(
    'id-token-without-sub',
    'The ID token has no sub.',
    claiming(({ sub: _, ...claims }) => claims),
  ),
  fromTokenEndpoint(
    'id-token-of-another-at-hash',
    'The at_hash of the ID token belongs to another access token.',
    claiming((claims) => ({ ...claims, at_hash: halfHash(randomUUID()) })),
  ),
  {
    id: 'id-tokens-without-kid',
    story: 'ID tokens have no kid, because there is one key (OpenID Connect Core 10.1).',
    middleware: idTokens((claims, sign) => sign(claims, { kid: undefined })),
  },
  {
    id: 'id-tokens-with-aud-in-an-array',
    story: 'The aud of ID tokens is an array with only the client.',
    middleware: idTokens((claims, sign) => sign({ ...claims, aud: [claims.aud].flat() })),
  },
  inRedirect(
    'id-token-in-hs256',
    'The ID token is signed with HS256, and the secret is the public key of the bank as PEM.',
    inHs256,
  ),
  inRedirect(
    'id-token-of-an-issuer-with-a-slash',
    'The iss of the ID token is the issuer of the bank with a slash at its end.',
    claiming((claims) => ({ ...claims, iss: `${claims.iss}/` })),
  ),
  inRedirect(
    'id-token-without-nonce',
    'The ID token has no nonce.',
    claiming(({ nonce: _, ...claims }) => claims),
  ),
  inRedirect(
    'id-token-without-c-hash',
    'The ID token has no c_hash.',
    claiming(({ c_hash: _, ...claims }) => claims),
  ),
  inRedirect(
    'id-token-of-another-s-hash',
    'The s_hash of the ID token belongs to another state.',
    claiming((claims) => ({ ...claims, s_hash: halfHash(randomUUID()) })),
  ),
  fromTokenEndpoint(
    'id-token-of-another-subject',
    'The second ID token is about another customer than the first one.',
    claiming((claims) => ({ ...claims, sub: randomUUID() })),
  ),
  {
    id: 'redirect-without-id-token',
    story: 'The redirect has a code but no ID token.',
    middleware: answers((ctx) =>
      changeFragment(ctx, (fragment) => {
        if (!fragment.has('id_token')) return false
        fragment.delete('id_token')
        return true
      }),
    ),
  },
  {
    id: 'code-of-another-visit',
    story: 'The code in the redirect is not the one that c_hash of the ID token names.',
    middleware: answers((ctx) =>
      changeFragment(ctx, (fragment) => {
        if (!fragment.has('code')) return false
        fragment.set('code', randomUUID())
        return true
      }),
    ),
  },
]

export default alterations
