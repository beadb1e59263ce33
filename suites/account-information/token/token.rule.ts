import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import {
  brief,
  type Exchange,
  header,
  member,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { directivesOf } from '../common/cache-control.ts'
import { isKnownScope, joinedScopes } from '../common/scope-lists.ts'
import { compareIdToken, findingsOf, type IdTokenFinding } from '../common/tokens/id-token.ts'

/** POST /oauth/token. Requirements: specs/account-information/token.yaml */

const TOKEN = { endpoints: ['token'] } as const

/** A text member of a successful token response. */
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

/** Ten years: an expires_in this close to the current time in seconds since 1970 is a time, and no lifetime. */
const CLOSE_TO_NOW = 10 * 365 * 86_400

rule(
  'TOK-17/duration',
  'expires_in is a number of seconds from now, and not a point in time',
  TOKEN,
  (exchange) => {
    if (textOf(exchange, 'access_token') === undefined) return undefined
    const seconds = member(exchange.response?.json, 'expires_in')
    if (typeof seconds !== 'number') return undefined
    const now = Math.floor(Date.parse(exchange.startedAt) / 1000)
    if (Math.abs(seconds - now) > CLOSE_TO_NOW) return []
    const meant = new Date(seconds * 1000).toISOString()
    const message = `expires_in is the time ${meant}, in seconds since 1970`
    const expected = 'seconds until the token expires'
    return [{ message, expected, actual: String(seconds), place: '/expires_in' }]
  },
)

rule(
  'TOK-17/honoured',
  'An access token is accepted until expires_in has passed',
  {
    endpoints: [
      'create-account-access-consent',
      'query-account-access-consent',
      'create-funds-confirmation-consent',
      'accounts',
      'balances',
      'transactions',
    ],
    also: [
      'delete-account-access-consent',
      'delete-funds-confirmation-consent',
      'account',
      'account-balances',
      'account-transactions',
    ],
  },
  (exchange, { observe }) => {
    const { instead, deviation } = exchange.about
    if (!instead) return deviation === undefined && usesToken(exchange) ? [] : undefined
    // A new token is refused too: the old token was not the reason.
    if (!succeeded(exchange)) return undefined
    if (!instead.newest) {
      observe('access tokens of a client that a newer client_credentials grant ended', 'refused')
      return []
    }
    const { of, seconds, expiresIn } = instead
    const message = `an access token was refused (${of}) ${seconds} s after it was issued, and a new one is accepted`
    return [{ message, expected: `a token for ${expiresIn} s`, actual: '401' }]
  },
)

/** Is it a success, with an access token, on consents or data? */
function usesToken(exchange: Exchange): boolean {
  const bearer = exchange.request.headers.some(([name]) => name.toLowerCase() === 'authorization')
  return bearer && exchange.endpoint !== 'token' && succeeded(exchange)
}

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

/**
 * Every token 2xx whose id_token is a string. Fails: alg in its header is
 * not PS256, or no key of the bank's JWK Set verifies it. Blocked when no
 * keys could be read; not applicable when no token response had an id_token.
 */
rule(
  'TOK-20/signed',
  'The bank signed the ID token of a token response with PS256',
  {
    ...TOKEN,
    unseen: 'no token response had an ID token',
    rests: ['DISC-01/served', 'DISC-10/served', 'DISC-10/jwks'],
  },
  (exchange) => {
    const idToken = textOf(exchange, 'id_token')
    if (idToken === undefined) return undefined
    const { signature } = exchange
    const compared = compareIdToken(idToken, { ...(signature && { signature }) })
    const found = findingsOf(compared, ['form', 'alg', 'key', 'signature'])
    // A wrong algorithm is judged without keys too; a correct one shows nothing without them.
    return signature || found.length > 0 ? found.slice(0, 1) : undefined
  },
)

/** Every token 2xx of a client whose registered scope is known. Fails: no space between two of its scopes. */
rule(
  'TOK-16/space-separated',
  'Spaces separate the scopes of an access token',
  { ...TOKEN, unseen: 'the scopes that are registered for the client are not known' },
  (exchange) => {
    const scope = textOf(exchange, 'scope')
    const registered = exchange.about.registered?.scope
    if (scope === undefined || registered === undefined) return undefined
    const joined = joinedScopes(scope, ['openid', ...registered.split(' ')])
    if (joined === undefined) return []
    const message = 'no space separates the scopes of the access token'
    return [{ message, expected: registered, actual: joined, place: '/scope' }]
  },
)

/**
 * RFC 6749 3.3: scope-token *( SP scope-token ). Every token 2xx whose scope has scopes. Fails: a space before the first or
 * behind the last, or two between them, so that whoever splits the text finds a scope without a name.
 */
rule('TOK-60/single-spaces', 'One space separates the scopes of a token', TOKEN, (exchange) => {
  const scope = textOf(exchange, 'scope')
  if (scope === undefined || scope.trim() === '') return undefined
  if (!scope.split(' ').includes('')) return []
  const message = 'the scope has more spaces than stand between scopes'
  const expected = scope.trim().replaceAll(/ +/g, ' ')
  return [{ message, expected, actual: brief(scope), place: '/scope' }]
})

/**
 * Every token 2xx of a client whose registered scope is known: scope as a set, without
 * openid. Fails: one that is not registered. Not judged: scopes that only this server
 * knows, such as one for the consent of the token.
 */
rule(
  'TOK-36/within-registration',
  'An access token is bound to no scope that is not registered for the client',
  {
    ...TOKEN,
    unseen: 'the scopes that are registered for the client are not known',
    follows: ['REG-14/space-separated', 'TOK-16/space-separated'],
  },
  (exchange) => {
    const scope = textOf(exchange, 'scope')
    const registered = exchange.about.registered?.scope
    if (scope === undefined || registered === undefined) return undefined
    const allowed = new Set(['openid', ...registered.split(' ')])
    const beyond = scope.split(' ').filter((one) => isKnownScope(one) && !allowed.has(one))
    if (beyond.length === 0) return []
    const message = `the access token has a scope that is not registered: ${beyond.join(' ')}`
    return [{ message, expected: registered, actual: scope }]
  },
)

/**
 * Every refresh without scope in its form whose refresh token came with a scope that opens data. Fails: none of them is
 * left. A bank may name other scopes, or fewer, than it was asked for (RFC 6749 3.3).
 */
rule(
  'TOK-23/not-narrower',
  'A refreshed access token has the scopes that the first one had',
  { ...TOKEN, unseen: 'nothing was refreshed', follows: ['TOK-16/space-separated'] },
  (exchange, { earlier }) => {
    const scope = textOf(exchange, 'scope')
    if (scope === undefined || exchange.about.deviation !== undefined) return undefined
    const form = new URLSearchParams(exchange.request.body ?? '')
    const used = form.get('refresh_token') ?? ''
    const granted = earlier.get(used) as string | undefined
    const issued = textOf(exchange, 'refresh_token')
    if (issued !== undefined && issued !== used) earlier.set(issued, granted ?? scope)
    if (granted === undefined || form.has('scope')) return undefined
    const registered = (exchange.about.registered?.scope ?? '').split(' ')
    const opens = (one: string) =>
      !['openid', 'offline_access'].includes(one) && registered.includes(one)
    const [before, later] = [granted, scope].map((words) => words.split(' ').filter(opens))
    if (!before || before.length === 0) return undefined
    if (later && later.length > 0) return []
    const message = `the refreshed access token has no scope of the first one: ${before.join(' ')}`
    return [{ message, expected: granted, actual: scope, place: '/scope' }]
  },
)

/**
 * Every token 2xx with an id_token that can be decoded. Fails: iss or sub differs from the front-channel ID
 * token of the same approval, aud lacks the client_id, azp is another's, exp is in the past, iat or nbf in the
 * future (or, in a refreshed ID token, an hour ago), or at_hash, nonce or the intent ID is present and wrong
 * (a refreshed ID token may have no nonce). at_hash, c_hash, nonce and the intent ID are not required.
 */
rule(
  'TOK-37/claims',
  'The ID token of a token response agrees with that of the authorisation response',
  { ...TOKEN, unseen: 'no token response had an ID token' },
  (exchange, { clockTolerance, literals: { intentClaim = 'openbanking_intent_id' } }) => {
    const idToken = textOf(exchange, 'id_token')
    const { idToken: front, registered, subject: consentId } = exchange.about
    const claims = idToken === undefined ? undefined : claimsOf(idToken)
    if (idToken === undefined || !front || !claims) return undefined
    const code = new URLSearchParams(exchange.request.body ?? '').get('code') ?? undefined
    const compared = compareIdToken(idToken, {
      ...(typeof front.iss === 'string' && { issuer: front.iss }),
      ...(registered && { clientId: registered.clientId }),
      nonce: front.nonce,
      accessToken: textOf(exchange, 'access_token') ?? '',
      ...(code !== undefined && { code }),
      // If the first ID token names another consent, AUTHZ-35 judges that.
      ...(consentId !== undefined && front[intentClaim] === consentId && { intentId: consentId }),
      intentClaim,
      clockTolerance,
      now: Math.floor(Date.parse(exchange.startedAt) / 1000),
    })
    // These are optional here, but must not be wrong.
    const optional: IdTokenFinding['what'][] = ['at_hash', 'c_hash', 'nonce', 'intent']
    const found = compared.filter(({ what, absent }) => !(absent && optional.includes(what)))
    const wrong = [
      ...findingsOf(found, ['iss', 'aud', 'azp', 'exp', 'iat', 'nbf', ...optional]),
      ...oldIssue(exchange, claims),
      ...laterLogin(front, claims),
      ...(code === undefined ? [] : otherClass(front, claims)),
    ]
    if (front.sub === undefined || claims.sub === front.sub) return wrong
    const message = 'sub is not that of the authorisation response'
    return [...wrong, { message, expected: String(front.sub), actual: String(claims.sub) }]
  },
)

/** OpenID Connect Core 12.2: auth_time is that “of the original authentication”, not the time of the new ID token. */
function laterLogin(front: Record<string, unknown>, claims: Record<string, unknown>): Finding[] {
  const [first, now] = [front.auth_time, claims.auth_time]
  if (typeof first !== 'number' || typeof now !== 'number' || now <= first) return []
  const message = 'auth_time is later than that of the authorisation response'
  return [{ message, expected: String(first), actual: String(now) }]
}

/** OpenID Connect Core 3.3.3.6: what both ID tokens say of the login is said of one login. After a refresh that is open. */
function otherClass(front: Record<string, unknown>, claims: Record<string, unknown>): Finding[] {
  const [first, now] = [front.acr, claims.acr]
  if (typeof first !== 'string' || typeof now !== 'string' || now === first) return []
  const message = 'acr is not that of the authorisation response'
  return [{ message, expected: first, actual: now }]
}

/** OpenID Connect Core 12.2: iat of a refreshed ID token is the time at which the new one is issued. */
function oldIssue(exchange: Exchange, { iat }: Record<string, unknown>): Finding[] {
  const grant = new URLSearchParams(exchange.request.body ?? '').get('grant_type')
  const hourAgo = Math.floor(Date.parse(exchange.startedAt) / 1000) - 3600
  if (grant !== 'refresh_token' || typeof iat !== 'number' || iat > hourAgo) return []
  const message = 'iat of the refreshed ID token is not when it was issued'
  return [{ message, expected: `after ${hourAgo}`, actual: String(iat) }]
}

/** RFC 6749 5.1. Every token 2xx with an access token. Fails: no Cache-Control with the directive no-store. */
rule('TOK-44/no-store', 'No cache may store a token response', TOKEN, (exchange) => {
  if (textOf(exchange, 'access_token') === undefined) return undefined
  const directives = directivesOf(exchange)
  if (directives.includes('no-store')) return []
  const actual = directives.length > 0 ? directives.join(', ') : 'no Cache-Control'
  const message = 'the token response may be stored by caches'
  return [{ message, expected: 'Cache-Control: no-store', actual }]
})

/** Of a token 2xx with expires_in, in seconds since 1970: exp of an access token that is a JWT, and what expires_in says. */
function endsIn(
  exchange: Exchange,
): { exp?: number; earliest: number; latest: number } | undefined {
  const accessToken = textOf(exchange, 'access_token')
  const expiresIn = member(exchange.response?.json, 'expires_in')
  if (accessToken === undefined || typeof expiresIn !== 'number') return undefined
  const exp = claimsOf(accessToken)?.exp
  const earliest = Date.parse(exchange.startedAt) / 1000 + expiresIn
  const latest = earliest + exchange.durationMs / 1000
  return { ...(typeof exp === 'number' && { exp }), earliest, latest }
}

const written = (seconds: number) => new Date(seconds * 1000).toISOString()

/** RFC 7519 4.1.4. Every token 2xx with an access token. Fails: it is a JWT with exp, later than expires_in says. */
rule(
  'TOK-45/as-long',
  'An access token that states when it expires does not live longer than expires_in says',
  TOKEN,
  (exchange, { clockTolerance }) => {
    const ends = endsIn(exchange)
    if (!ends) return undefined
    const { exp, latest } = ends
    if (exp === undefined || exp <= latest + clockTolerance + MARGIN) return []
    const message = 'the access token says that it lives longer than expires_in'
    return [{ message, expected: `exp of ${written(latest)} or before`, actual: written(exp) }]
  },
)

/** Seconds by which a bank may tell clients a shorter life than the token has, so that they ask for another one in time. */
const MARGIN = 300

/** The same. Fails: its exp is before expires_in has passed. */
rule(
  'TOK-45/no-shorter',
  'An access token that states when it expires lives as long as expires_in says',
  { ...TOKEN, follows: ['TOK-17/duration', 'TOK-17/honoured'] },
  (exchange, { clockTolerance }) => {
    const ends = endsIn(exchange)
    if (!ends) return undefined
    const { exp, earliest } = ends
    if (exp === undefined || exp >= earliest - clockTolerance) return []
    const message = 'the access token says that it expires before expires_in has passed'
    return [{ message, expected: `exp of ${written(earliest)} or later`, actual: written(exp) }]
  },
)
