import { parseRedirect } from '../../../engine/suite-api/client.ts'
import { headerOf } from '../../../engine/suite-api/jwt.ts'
import {
  brief,
  type Exchange,
  header,
  member,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'

/** The bank's keys over a whole run. Requirements: specs/account-information/discovery.yaml */

/**
 * The state of a key that was in the JWK Set: it has signed no ID token, or it has, and a later
 * JWK Set has the key or not. A key that was never in the set is judged by AUTHZ-18/signature.
 */
type Standing = 'unused' | 'used' | 'there' | 'gone'

rule(
  'DISC-13/kept',
  'A JWK Set that is read between two ID tokens of one key has that key',
  {
    endpoints: ['authorisation', 'token', 'jwks'],
    also: ['elsewhere'],
    unseen: 'no JWK Set was read between two ID tokens of one key',
  },
  (exchange, { earlier }) => {
    const keys = keysIn(exchange)
    if (keys) {
      const kids = keys.map((key) => member(key, 'kid')).filter((kid) => typeof kid === 'string')
      for (const [kid, standing] of earlier) {
        if (standing !== 'unused') earlier.set(kid, kids.includes(kid) ? 'there' : 'gone')
      }
      for (const kid of kids) if (!earlier.has(kid)) earlier.set(kid, 'unused' satisfies Standing)
      return undefined
    }
    const kid = headerOf(idTokenIn(exchange) ?? '')?.kid
    if (typeof kid !== 'string') return undefined
    const standing = earlier.get(kid) as Standing | undefined
    if (standing === 'unused') earlier.set(kid, 'used' satisfies Standing)
    if (standing !== 'there' && standing !== 'gone') return undefined
    if (standing === 'there') return []
    const message = 'the key signs ID tokens before and after a JWK Set that does not have it'
    return [{ message, expected: `kid ${kid} in the JWK Set`, actual: 'no such key' }]
  },
)

/**
 * Every ID token in PS256 whose key is in the last JWK Set that was read: alg and key_ops, if present, allow PS256.
 * Of several keys with its kid, one is enough. A missing key, or one for encryption, is judged by AUTHZ-18/signature.
 */
rule(
  'DISC-16/for-ps256',
  'The JWK Set does not declare another purpose for a key that signs ID tokens with PS256',
  {
    endpoints: ['authorisation', 'token', 'jwks'],
    also: ['elsewhere'],
    unseen: 'no JWK Set was read before an ID token of one of its keys',
  },
  (exchange, { earlier }) => {
    const keys = keysIn(exchange)
    if (keys) {
      earlier.set('keys', keys)
      return undefined
    }
    const { kid, alg } = headerOf(idTokenIn(exchange) ?? '') ?? {}
    if (typeof kid !== 'string' || alg !== 'PS256') return undefined
    const published = (earlier.get('keys') ?? []) as unknown[]
    const named = published.filter((key) => member(key, 'kid') === kid)
    if (named.length === 0) return undefined
    const said = named.map((key) => otherThanPs256(key))
    if (said.includes(undefined)) return []
    const message = 'the JWK Set declares another purpose for the key of the ID token'
    const expected = 'alg PS256 and key_ops with verify, each where it is there'
    return [{ message, expected, actual: String(said[0]) }]
  },
)

/** The use that a key states (RFC 7517 4.3, 4.4), where that excludes verifying PS256. */
function otherThanPs256(key: unknown): string | undefined {
  const [alg, operations] = ['alg', 'key_ops'].map((name) => member(key, name))
  if (typeof alg === 'string' && alg !== 'PS256') return `alg ${brief(alg)}`
  const verifies = !Array.isArray(operations) || operations.includes('verify')
  return verifies ? undefined : `key_ops ${brief(operations)}`
}

/** The members by which a client finds the bank. */
const ADDRESSES = [
  ...['issuer', 'authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'jwks_uri'],
]

/**
 * Every 2xx of the well-known address: the issuer and the addresses are those
 * of the first one that was read over the same certificate, or without one.
 */
rule(
  'DISC-15/same',
  'The configuration names the same issuer and the same addresses each time',
  { endpoints: ['discovery'], unseen: 'the configuration was not read twice in the same way' },
  (exchange, { earlier }) => {
    const { json } = exchange.response ?? {}
    if (exchange.endpoint !== 'discovery' || !succeeded(exchange)) return undefined
    if (exchange.about.deviation !== undefined || !json) return undefined
    const { identity = 'none' } = exchange.connection ?? {}
    const first = earlier.get(identity)
    if (!first) {
      earlier.set(identity, json)
      return undefined
    }
    return ADDRESSES.filter(
      (name) => JSON.stringify(member(json, name)) !== JSON.stringify(member(first, name)),
    ).map((name) => ({
      message: `${name} differs from that of an earlier answer`,
      expected: brief(member(first, name) ?? 'no such member'),
      actual: brief(member(json, name) ?? 'no such member'),
      place: `/${name}`,
    }))
  },
)

/** Private parameters of a key: RSA and EC keys (RFC 7518 6.2.2, 6.3.2), symmetric ones (6.4.1). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

rule('DISC-14/public', 'The JWK Set has no private key', { endpoints: ['jwks'] }, (exchange) => {
  const keys = keysIn(exchange)
  if (!keys) return undefined
  const names = PRIVATE.filter((name) => keys.some((key) => member(key, name) !== undefined))
  if (names.length === 0) return []
  const actual = names.join(', ')
  const message = `keys are published with ${actual}`
  return [{ message, expected: 'public keys alone', actual, place: '/keys' }]
})

function keysIn(exchange: Exchange): unknown[] | undefined {
  const keys = member(exchange.response?.json, 'keys')
  if (exchange.endpoint !== 'jwks' || !succeeded(exchange) || !Array.isArray(keys)) return undefined
  return keys
}

/** The ID token of a redirect or of a token response, to a correct request. */
function idTokenIn(exchange: Exchange): string | undefined {
  if (exchange.about.deviation !== undefined) return undefined
  const location = header(exchange, 'location')
  if (location?.includes('id_token=')) return parseRedirect(location)?.idToken
  const idToken = exchange.endpoint === 'token' && member(exchange.response?.json, 'id_token')
  return typeof idToken === 'string' ? idToken : undefined
}
