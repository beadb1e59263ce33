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
    story: 'A client that registered later got the new default of the registration service.',
    fails: ['AUTHZ-18/ps256'],
    middleware: redirectIdTokens((claims, _fragment, ctx) => {
      const { directory, records } = stateOf(ctx).bank.services
      const owner = records.peek('Client', String(claims.aud))?.org_id
      return owner === directory.clients.second.organisationId ? claims : undefined
    }, inRs256),
  },
  {
    id: 'several-keys-and-no-kid',
    story: 'The second key came for a rotation, and the signing service names none.',
    fails: [],
    warns: ['AUTHZ-41/kid'],
    settings: { jwksKeys: 2 },
    middleware: idTokens((claims, sign) => sign(claims, { kid: undefined })),
  },
  {
    id: 'several-keys-and-no-kid-at-the-token-endpoint',
    story: 'The page has learned to name its key, and the token endpoint signs as before.',
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
    story: 'sub is the number of the session in which the customer logged in.',
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
      'The login of the bank tells the server no level, and the ID token has the default of the product.',
    fails: [],
    warns: ['AUTHZ-44/as-asked'],
    middleware: idTokens((claims, sign) => sign({ ...claims, acr: '0' })),
  },
  {
    id: 'one-subject-for-everybody',
    story: 'sub is the number of the tenant, which all customers share.',
    fails: [],
    warns: ['AUTHZ-19/sub-of-another-customer'],
    middleware: idTokens((claims, sign) => sign({ ...claims, sub: 'cards' })),
  },
  {
    id: 'id-token-of-unpublished-key',
    story: 'The signing key was rotated and the JWK Set was not.',
    fails: ['AUTHZ-18/signature'],
    middleware: redirectIdTokens(
      (claims) => claims,
      (ctx, claims) => stateOf(ctx).bank.signAsBank(claims, { kid: 'next-year' }),
    ),
  },
  {
    id: 'id-token-changed-after-signing',
    story: 'A filter adds a claim to the signed token for the benefit of the app.',
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
    story: 'exp and iat come from a clock that counts milliseconds.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({ ...claims, exp: Number(claims.exp) * 1000 })),
  },
  {
    id: 'id-token-of-internal-issuer',
    story: 'The ID token names the issuer by its address behind the gateway.',
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
    story: 'The ID token of the code flow is used in the hybrid flow too.',
    fails: [],
    warns: ['AUTHZ-20/c-hash'],
    middleware: redirectIdTokens(({ c_hash: _, ...claims }) => claims),
  },
  {
    id: 'previous-nonce',
    story: 'nonce is kept per customer and read before the new one is stored.',
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
    story: 's_hash is made from the wrong parameter.',
    fails: [],
    warns: ['AUTHZ-20/s-hash'],
    middleware: redirectIdTokens((claims, fragment) =>
      fragment.has('state') ? { ...claims, s_hash: claims.c_hash } : undefined,
    ),
  },
  {
    id: 'id-token-for-another-authorised-party',
    story: 'azp names the gateway, which is who asked, as it thinks.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({ ...claims, azp: 'gateway' })),
  },
  {
    id: 'id-token-of-another-intent',
    story: 'The intent is the row of the approval, not the consent that was asked for.',
    fails: [],
    warns: ['AUTHZ-35/same-consent'],
    middleware: redirectIdTokens((claims) => ({ ...claims, openbanking_intent_id: randomUUID() })),
  },
  {
    id: 'access-token-in-the-fragment',
    story: 'The page was made for the implicit flow, and still adds its token.',
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
    story: 'One audience for all clients of the organisation’s platform: the list of them.',
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
    story: 'The ID token has the audience of the access token too, and does not say who asked.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({
      ...claims,
      aud: [claims.aud, 'https://api.bank.example'],
    })),
  },
  {
    id: 'id-token-of-an-hour-ago',
    story: 'The clock of the host shows London, and its time is read as that of UTC.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({ ...claims, iat: Number(claims.iat) - 3600 })),
  },
  {
    id: 'id-token-of-the-next-day',
    story: 'nbf is the start of the next day of business, as for payments.',
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims) => ({ ...claims, nbf: Number(claims.iat) + 86_400 })),
  },
  {
    id: 'id-token-brings-its-key',
    story: 'The library writes the address of the keys into each header.',
    fails: [],
    warns: ['AUTHZ-43/no-key'],
    middleware: idTokens((claims, sign) => sign(claims, { jku: 'https://bank.example/jwks' })),
  },
  {
    id: 'padded-signature',
    story: 'The security module returns the signature in base64, and its padding is left there.',
    fails: [],
    warns: ['AUTHZ-46/base64url'],
    middleware: idTokens((claims, sign) => `${sign(claims)}==`),
  },
  {
    id: 'time-of-the-login-as-a-text',
    story: 'The session store keeps texts alone, and the time of the login is taken from there.',
    fails: [],
    warns: ['AUTHZ-47/types'],
    middleware: idTokens((claims, sign) =>
      sign({ ...claims, auth_time: String(claims.auth_time ?? claims.iat) }),
    ),
  },
  {
    id: 'time-of-the-login-since-the-start',
    story: 'The time of the login is read from a clock that counts since the server was started.',
    fails: [],
    warns: ['AUTHZ-47/types'],
    middleware: idTokens((claims, sign) => sign({ ...claims, auth_time: 86_400 })),
  },
  {
    id: 'methods-in-one-text',
    story: 'amr is written like scope, as words in one text.',
    fails: [],
    warns: ['AUTHZ-47/types'],
    middleware: idTokens((claims, sign) => sign({ ...claims, amr: 'pwd otp' })),
  },
  {
    id: 'class-as-a-number',
    story: 'The login has levels from 1 to 4, and acr is the number.',
    fails: [],
    warns: ['AUTHZ-47/types'],
    middleware: idTokens((claims, sign) => sign({ ...claims, acr: 3 })),
  },
]

export default faults
