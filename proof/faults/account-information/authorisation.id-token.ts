import { createHash, randomUUID } from 'node:crypto'
import { stateOf } from '../../../bank/state/state.ts'
import { idTokens, inRs256, redirectIdTokens } from '../../altering/id-tokens.ts'
import { decoded, landings, tokenForm } from '../../altering/jwt-rewrites.ts'
import { type Json, jsonOf } from '../../altering/rewriting.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** The nonce of the previous ID token. */
const previous = ofEachBank(() => ({}) as { nonce?: unknown })

/** Ids of the clients that have had an ID token so far. */
const clientsSeen = ofEachBank(() => new Set<string>())

const faults: Fault[] = [
  {
    id: 'id-token-in-rs256-for-second-client',
    story: 'ID tokens of the second client are signed with RS256 instead of PS256.',
    fails: ['AUTHZ-18/ps256'],
    middleware: redirectIdTokens((claims, _fragment, ctx) => {
      const { directory, records } = stateOf(ctx).bank.services
      const owner = records.peek('Client', String(claims.aud))?.org_id
      return owner === directory.clients.second.organisationId ? claims : undefined
    }, inRs256),
  },
  {
    id: 'several-keys-and-no-kid',
    story: 'The bank publishes two keys, and its ID tokens have no kid.',
    fails: [],
    warns: ['AUTHZ-41/kid'],
    settings: { jwksKeys: 2 },
    middleware: idTokens((claims, sign) => sign(claims, { kid: undefined })),
  },
  {
    id: 'several-keys-and-no-kid-at-the-token-endpoint',
    story: 'The bank publishes two keys, and the ID tokens of the token endpoint have no kid.',
    fails: [],
    warns: ['AUTHZ-41/kid'],
    settings: { jwksKeys: 2 },
    middleware: idTokens((claims, sign, ctx) =>
      tokenForm(ctx) ? sign(claims, { kid: undefined }) : undefined,
    ),
  },
  {
    id: 'subject-of-the-directory',
    story:
      'sub is the whole name of the customer’s entry in the directory, with every unit above it.',
    fails: [],
    warns: ['AUTHZ-47/sub'],
    middleware: idTokens((claims, sign) =>
      sign({
        ...claims,
        sub: `uid=${claims.sub}${',ou=customers of the cards division'.repeat(9)}`,
      }),
    ),
  },
  {
    id: 'subject-of-the-session',
    story: 'The sub of ID tokens changes with each login, because it is the number of the session.',
    fails: [],
    warns: ['AUTHZ-42/same-subject'],
    middleware: idTokens((claims, sign) => {
      const sub = createHash('sha256').update(String(claims.nonce)).digest('hex')
      return sign({ ...claims, sub })
    }),
  },
  {
    id: 'class-of-the-product',
    story:
      'The acr of ID tokens is "0", not the requested value. It is the default of the product.',
    fails: [],
    warns: ['AUTHZ-44/as-asked'],
    middleware: idTokens((claims, sign) => sign({ ...claims, acr: '0' })),
  },
  {
    id: 'one-subject-for-everybody',
    story: 'The sub of ID tokens is the same for all customers.',
    fails: [],
    warns: ['AUTHZ-19/sub-of-another-customer'],
    middleware: idTokens((claims, sign) => sign({ ...claims, sub: 'cards' })),
  },
  {
    id: 'id-token-of-unpublished-key',
    story:
      'ID tokens are signed with a key that is not published, because the key was changed and the JWK Set was not.',
    fails: ['AUTHZ-18/signature'],
    middleware: redirectIdTokens(
      (claims) => claims,
      (ctx, claims) => stateOf(ctx).bank.signAsBank(claims, { kid: 'next-year' }),
    ),
  },
  {
    id: 'id-token-changed-after-signing',
    story: 'The signature of ID tokens is invalid, because a filter adds a claim after signing.',
    fails: ['AUTHZ-18/signature'],
    middleware: redirectIdTokens(
      (claims) => claims,
      (ctx, claims) => {
        const encoded = Buffer.from(JSON.stringify({ ...claims, channel: 'web' })).toString(
          'base64url',
        )
        const [header, , signature] = stateOf(ctx).bank.signAsBank(claims).split('.')
        return `${header}.${encoded}.${signature}`
      },
    ),
  },
  {
    id: 'id-token-expires-in-milliseconds',
    story: 'The exp of ID tokens is in milliseconds instead of seconds.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({ ...claims, exp: Number(claims.exp) * 1000 })),
  },
  {
    id: 'id-token-of-internal-issuer',
    story: 'The iss of ID tokens is an internal address behind the gateway.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    async middleware(ctx, next) {
      const change = (claims: Json) => ({ ...claims, iss: 'https://iam.internal' })
      await redirectIdTokens(change)(ctx, next)
      const idToken = tokenForm(ctx) && jsonOf(ctx)?.id_token
      if (typeof idToken !== 'string') return
      const { bank } = stateOf(ctx)
      ctx.body = { ...jsonOf(ctx), id_token: bank.signAsBank(change(decoded(idToken).claims)) }
    },
  },
  {
    id: 'no-c-hash',
    story: 'The ID token has no c_hash, which the hybrid flow requires.',
    fails: [],
    warns: ['AUTHZ-20/c-hash'],
    middleware: redirectIdTokens(({ c_hash: _, ...claims }) => claims),
  },
  {
    id: 'previous-nonce',
    story: 'The nonce of an ID token is the one of the previous request.',
    fails: [],
    warns: ['AUTHZ-20/nonce'],
    middleware: redirectIdTokens((claims) => {
      const { nonce } = previous()
      previous().nonce = claims.nonce
      return nonce === undefined ? undefined : { ...claims, nonce }
    }),
  },
  {
    id: 's-hash-of-nonce',
    story: 'The s_hash of the ID token does not match the state.',
    fails: [],
    warns: ['AUTHZ-20/s-hash'],
    middleware: redirectIdTokens((claims, fragment) =>
      fragment.has('state') ? { ...claims, s_hash: claims.c_hash } : undefined,
    ),
  },
  {
    id: 'id-token-for-another-authorised-party',
    story: 'The azp of ID tokens is the gateway instead of the client.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({ ...claims, azp: 'gateway' })),
  },
  {
    id: 'id-token-of-another-intent',
    story: 'The openbanking_intent_id of ID tokens is not the ConsentId of the request.',
    fails: [],
    warns: ['AUTHZ-35/same-consent'],
    middleware: redirectIdTokens((claims) => ({ ...claims, openbanking_intent_id: randomUUID() })),
  },
  {
    id: 'access-token-in-the-fragment',
    story: 'The redirect also has an access token, as in the implicit flow.',
    fails: [],
    warns: ['AUTHZ-36/no-access-token'],
    middleware: landings((fragment, _ctx, address) => {
      if (!fragment.has('code')) return false
      fragment.set('access_token', randomUUID())
      return `${address}#${fragment}`
    }),
  },
  {
    id: 'id-token-for-every-client-of-the-platform',
    story: 'The aud of ID tokens also lists another client.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => {
      const clients = clientsSeen().add(String(claims.aud))
      const other = [...clients].find((id) => id !== claims.aud)
      if (other === undefined) return undefined
      return { ...claims, aud: [claims.aud, other], azp: claims.aud }
    }),
  },
  {
    id: 'id-token-for-the-interface-as-well',
    story: 'The aud of ID tokens also lists the API, without azp.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({
      ...claims,
      aud: [claims.aud, 'https://api.bank.example'],
    })),
  },
  {
    id: 'id-token-of-an-hour-ago',
    story: 'The iat of ID tokens is one hour early, because London time is read as UTC.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({ ...claims, iat: Number(claims.iat) - 3600 })),
  },
  {
    id: 'id-token-of-the-next-day',
    story: 'The nbf of ID tokens is one day later, so they are not yet valid.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({ ...claims, nbf: Number(claims.iat) + 86_400 })),
  },
  {
    id: 'id-token-brings-its-key',
    story: 'ID tokens have a jku header with the address of the keys.',
    fails: [],
    warns: ['AUTHZ-43/no-key'],
    middleware: idTokens((claims, sign) => sign(claims, { jku: 'https://bank.example/jwks' })),
  },
  {
    id: 'padded-signature',
    story: 'The signature of ID tokens has base64 padding.',
    fails: [],
    warns: ['AUTHZ-46/base64url'],
    middleware: idTokens((claims, sign) => `${sign(claims)}==`),
  },
  {
    id: 'time-of-the-login-as-a-text',
    story: 'The auth_time of ID tokens is a string instead of a number.',
    fails: [],
    warns: ['AUTHZ-47/types'],
    middleware: idTokens((claims, sign) =>
      sign({ ...claims, auth_time: String(claims.auth_time ?? claims.iat) }),
    ),
  },
  {
    id: 'time-of-the-login-since-the-start',
    story: 'The auth_time of ID tokens counts from the start of the server instead of 1970.',
    fails: [],
    warns: ['AUTHZ-47/types'],
    middleware: idTokens((claims, sign) => sign({ ...claims, auth_time: 86_400 })),
  },
  {
    id: 'methods-in-one-text',
    story: 'The amr of ID tokens is a string instead of an array.',
    fails: [],
    warns: ['AUTHZ-47/types'],
    middleware: idTokens((claims, sign) => sign({ ...claims, amr: 'pwd otp' })),
  },
  {
    id: 'class-as-a-number',
    story: 'The acr of ID tokens is a number instead of a string.',
    fails: [],
    warns: ['AUTHZ-47/types'],
    middleware: idTokens((claims, sign) => sign({ ...claims, acr: 3 })),
  },
]

export default faults
