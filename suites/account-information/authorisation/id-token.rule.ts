import { claimsOf, headerOf } from '../../../engine/suite-api/jwt.ts'
import { brief, type Exchange, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { AUTHORISATION, successOf } from '../common/visits/landings.ts'

/** How ID tokens are written, wherever they come. Requirements: specs/account-information/authorisation.yaml */

const ID_TOKENS = {
  endpoints: [...AUTHORISATION.endpoints, 'token'],
  also: AUTHORISATION.also,
} as const

/** The ID token of the redirect or of the token response that answers a correct request. */
function idTokenOf(exchange: Exchange): string | undefined {
  if (exchange.about.deviation !== undefined) return undefined
  if (exchange.endpoint !== 'token') return successOf(exchange)?.redirect.idToken
  const idToken = succeeded(exchange) && member(exchange.response?.json, 'id_token')
  return typeof idToken === 'string' ? idToken : undefined
}

/** RFC 7515 2 and 7.1. Every ID token that can be decoded. Fails: a part has padding or a character outside base64url. */
rule(
  'AUTHZ-46/base64url',
  'The parts of an ID token are in base64url, without padding',
  ID_TOKENS,
  (exchange) => {
    const idToken = idTokenOf(exchange)
    if (idToken === undefined || !claimsOf(idToken)) return undefined
    const [wrong] = /[^\w.-]/.exec(idToken) ?? []
    if (wrong === undefined) return []
    const actual = `the character ${JSON.stringify(wrong)}`
    return [{ message: `the ID token has ${actual}`, expected: 'letters, digits, - and _', actual }]
  },
)

/** The start of 1990, in seconds. No login was before it: an earlier time counts something else, such as days. */
const LONG_AGO = 631_152_000

const isText = (value: unknown) => typeof value === 'string'

/** What the claims about the login are (OpenID Connect Core 2). */
const TYPES: [name: string, expected: string, fits: (value: unknown) => boolean][] = [
  ['auth_time', 'seconds since 1970', (value) => typeof value === 'number' && value >= LONG_AGO],
  ['amr', 'an array of texts', (value) => Array.isArray(value) && value.every(isText)],
  ['acr', 'a text', isText],
]

/**
 * Every ID token with auth_time, amr or acr; null is as good as none (OpenID Connect Core 5.3.2). A time in the future is
 * judged by AUTHZ-40/auth-time.
 */
rule(
  'AUTHZ-47/types',
  'auth_time, amr and acr of an ID token have the types that OpenID Connect gives them',
  { ...ID_TOKENS, unseen: 'no ID token had auth_time, amr or acr' },
  (exchange) => {
    const claims = claimsOf(idTokenOf(exchange) ?? '')
    const present = claims ? TYPES.filter(([name]) => (claims[name] ?? null) !== null) : []
    if (!claims || present.length === 0) return undefined
    return present
      .filter(([name, , fits]) => !fits(claims[name]))
      .map(([name, expected]): Finding => {
        const actual = brief(claims[name])
        return { message: `${name} of the ID token is ${actual}`, expected, actual }
      })
  },
)

/** OpenID Connect Core 2. Every ID token with a sub. Fails: it has more than 255 characters, which columns of clients cut. */
rule('AUTHZ-47/sub', 'sub of an ID token has 255 characters at most', ID_TOKENS, (exchange) => {
  const sub = claimsOf(idTokenOf(exchange) ?? '')?.sub
  if (typeof sub !== 'string') return undefined
  const { length } = sub
  if (length <= 255) return []
  const message = 'sub of the ID token is too long'
  return [{ message, expected: '255 characters at most', actual: `${length} characters` }]
})

/**
 * OpenID Connect Core 1.0, section 10.1. Every ID token that can be decoded. One without kid is not judged where one key
 * alone can sign with PS256.
 */
rule(
  'AUTHZ-41/kid',
  'If the bank has several keys, an ID token names the one that signed it',
  {
    ...ID_TOKENS,
    unseen: 'the bank has one key, and no ID token names it',
    rests: ['DISC-01/served', 'DISC-10/served', 'DISC-10/jwks', 'AUTHZ-18/ps256'],
  },
  (exchange, { bank }) => {
    const idToken = idTokenOf(exchange)
    const header = headerOf(idToken ?? '')
    if (idToken === undefined || !header || !claimsOf(idToken)) return undefined
    const { kid } = header
    if (typeof kid === 'string' && kid !== '') return []
    if (signingKeys(bank.jwks?.keys ?? []) < 2) return undefined
    const expected = 'kid, the name of one of them'
    const message = 'the JWK Set has several keys, and the ID token does not name one'
    return [{ message, expected, actual: 'no kid' }]
  },
)

/** RSA keys that are not for encryption. A key that is listed several times counts once. */
function signingKeys(keys: unknown[]): number {
  const signing = keys.filter((key) => member(key, 'kty') === 'RSA' && member(key, 'use') !== 'enc')
  return new Set(signing.map((key) => member(key, 'n'))).size
}
