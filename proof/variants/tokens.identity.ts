import type { Context } from 'koa'
import { stateOf } from '../../bank/state/state.ts'
import { halfHash, idTokens, remade, type Sign } from '../altering/id-tokens.ts'
import type { Json } from '../altering/rewriting.ts'
import { formOf, tokenResponses } from '../altering/token-requests.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobinOf } from '../run/round-robin.ts'

const variants: Variant[] = [
  {
    id: 'id-tokens-of-the-token-endpoint',
    story:
      'The token response has no ID token, or one with at_hash and without nonce, c_hash and s_hash. id_token is not required, and at_hash is optional (OpenID Connect Core 3.3.3.6).',
    middleware: tokenResponses((body, ctx) =>
      typeof body.id_token === 'string' ? withOrWithout(body, body.id_token, ctx) : undefined,
    ),
  },
  {
    id: 'id-tokens-with-little-or-much',
    story:
      'ID tokens have only the claims that OpenID Connect requires, or more claims, an array as aud with azp, the ConsentId as sub, or null values. acr, auth_time, s_hash and the intent are not shown.',
    middleware: idTokens(
      roundRobinOf<[Json, Sign, Context], string>(
        (claims, sign, ctx) => {
          const { iss, aud, exp, iat, nonce, c_hash } = claims
          return sign({ iss, sub: intentFor(claims, ctx), aud, exp, iat, nonce, c_hash })
        },
        (claims, sign, ctx) =>
          sign({
            ...claims,
            sub: intentFor(claims, ctx),
            aud: [claims.aud],
            azp: claims.aud,
            jti: 'b7c1d2',
            nbf: claims.iat,
            amr: ['mfa'],
            'http://openbanking.org.uk/refresh_token_expires_at': 4_102_444_800,
          }),
        (claims, sign, ctx) => {
          const sub = intentFor(claims, ctx)
          return sign({ ...claims, sub, acr: null, amr: null, auth_time: null })
        },
      ),
    ),
  },
  {
    id: 'refreshed-id-tokens-of-no-login',
    story:
      'The ID token of a refresh has acr "0", because nobody logged in (OpenID Connect Core 2). Core 12.2 does not mention acr.',
    middleware: idTokens(({ acr = 'urn:openbanking:psd2:sca', ...claims }, sign, ctx) => {
      const isRefreshed = formOf(ctx).get('grant_type') === 'refresh_token'
      return sign({ ...claims, acr: isRefreshed ? '0' : acr })
    }),
  },
  {
    id: 'id-tokens-for-ever',
    story:
      'ID tokens expire in the year 9999, and their times have a fraction of a second (RFC 7519 2). How long an ID token is valid is not said.',
    middleware: idTokens(({ iat, ...claims }, sign) =>
      sign({ ...claims, iat: Number(iat) - 0.25, exp: 253_402_300_799.75 }),
    ),
  },
]

/** Replaces the customer by the intent; a subject that is not a customer is not changed. */
function intentFor({ sub, openbanking_intent_id: intent }: Json, ctx: Context): unknown {
  return stateOf(ctx).bank.customers.some(({ id }) => id === sub) ? intent : sub
}

/** Without an ID token, or with one for this answer, in turn. */
const withOrWithout = roundRobinOf<[Json, string, Context], Json>(
  ({ id_token: _none, ...body }) => body,
  (body, idToken, ctx) => {
    const at_hash = halfHash(String(body.access_token))
    const other = remade(
      idToken,
      ({ nonce: _nonce, c_hash: _hash, s_hash: _state, ...claims }, sign) =>
        sign({ at_hash, ...claims }),
      ctx,
    )
    return { ...body, id_token: other ?? idToken }
  },
)

export default variants
