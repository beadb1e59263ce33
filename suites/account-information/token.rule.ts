import { verifyIdToken } from '../../engine/client/id-token.ts'
import { succeeded } from '../../engine/judge/matchers.ts'
import { member } from '../../engine/judge/rows.ts'
import { rule } from '../../engine/judge/rule.ts'
import { type Exchange, header } from '../../engine/wire/exchange.ts'
import { claimsOf } from '../../engine/wire/jws.ts'
import { findingsOf } from './common/id-token-findings.ts'

/** POST /oauth/token. Requirements: specs/account-information/token.yaml */

const TOKEN = { endpoints: ['token'] } as const

/** A text of a token response. */
function textOf(exchange: Exchange, name: string): string | undefined {
  if (exchange.endpoint !== 'token' || !succeeded(exchange)) return undefined
  const value = member(exchange.response?.json, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

rule('TOK-01/status-200', 'A token request that succeeds answers 200', TOKEN, (exchange) => {
  if (textOf(exchange, 'access_token') === undefined) return undefined
  const { status = 0 } = exchange.response ?? {}
  if (status === 200) return []
  const actual = String(status)
  return [{ message: `tokens came with status ${status}`, expected: '200', actual }]
})

rule(
  'TOK-29/recorded',
  'Cache-Control of token responses is recorded',
  TOKEN,
  (exchange, { observe }) => {
    if (textOf(exchange, 'access_token') === undefined) return undefined
    observe('Cache-Control of token responses', header(exchange, 'cache-control') ?? 'absent')
    return []
  },
)

rule(
  'TOK-20/signed',
  'The bank signed the ID token of a token response with PS256',
  { ...TOKEN, unseen: 'no token response had an ID token' },
  (exchange, { bank }) => {
    const idToken = textOf(exchange, 'id_token')
    if (idToken === undefined) return undefined
    const { jwks } = bank
    const found = findingsOf(verifyIdToken(idToken, { jwks }), ['form', 'alg', 'key', 'signature'])
    // The algorithm is judged without the keys too; a good one says nothing without them.
    const judged = jwks ? found : found.filter(({ expected }) => expected === 'PS256')
    return jwks || judged.length > 0 ? judged.slice(0, 1) : undefined
  },
)

rule(
  'TOK-36/within-registration',
  'An access token is bound to no scope that is not registered for the client',
  { ...TOKEN, unseen: 'the scopes that are registered for the client are not known' },
  (exchange) => {
    const scope = textOf(exchange, 'scope')
    const registered = exchange.about.registered?.scope
    if (scope === undefined || registered === undefined) return undefined
    const allowed = new Set(['openid', ...registered.split(' ')])
    const beyond = scope.split(' ').filter((one) => one !== '' && !allowed.has(one))
    if (beyond.length === 0) return []
    const message = `the access token has a scope that is not registered: ${beyond.join(' ')}`
    return [{ message, expected: registered, actual: scope }]
  },
)

rule(
  'TOK-37/claims',
  'The ID token of a token response agrees with that of the authorisation response',
  { ...TOKEN, unseen: 'no token response had an ID token' },
  (exchange, { clockTolerance }) => {
    const idToken = textOf(exchange, 'id_token')
    const { idToken: front, registered } = exchange.about
    const claims = idToken === undefined ? undefined : claimsOf(idToken)
    if (idToken === undefined || !front || !claims) return undefined
    const compared = verifyIdToken(idToken, {
      jwks: undefined,
      ...(typeof front.iss === 'string' && { issuer: front.iss }),
      ...(registered && { clientId: registered.clientId }),
      nonce: front.nonce,
      accessToken: textOf(exchange, 'access_token') ?? '',
      clockTolerance,
      now: Math.floor(Date.parse(exchange.startedAt) / 1000),
    })
    // at_hash and nonce are optional here; wrong they must not be.
    const found = compared.filter(
      ({ what, absent }) => !(absent && ['at_hash', 'nonce'].includes(what)),
    )
    const wrong = findingsOf(found, ['iss', 'aud', 'exp', 'at_hash', 'nonce'])
    if (front.sub === undefined || claims.sub === front.sub) return wrong
    const message = 'sub is not that of the authorisation response'
    return [...wrong, { message, expected: String(front.sub), actual: String(claims.sub) }]
  },
)
