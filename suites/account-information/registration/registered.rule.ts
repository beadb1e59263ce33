import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import {
  type Exchange,
  leadsInside,
  member,
  percentDecoded,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { joinedScopes } from '../common/scope-lists.ts'
import { AUTHORISATION, isOneAddress, successOf } from '../common/visits/landings.ts'

/** Use of the registered values that the bank returned. Requirements: specs/account-information/registration.yaml */

/**
 * Every token 2xx of a correct request. Fails: its grant type is not among the grant_types in the answers
 * to the client's registrations. If several describe one client (AMB-35) all count, since requests may
 * cross. What a client gets by a grant that was deliberately not registered is judged by checks.
 */
rule(
  'REG-12/as-registered',
  'A client gets tokens only by the grant types that its registration response has',
  {
    endpoints: ['token'],
    also: ['registration'],
    unseen: 'the grant types that are registered for the client are not known',
    follows: [
      'REG-12/unregistered-grant',
      'REG-12/unregistered-code',
      'REG-12/unregistered-refresh-token',
    ],
  },
  (exchange, { earlier }) => {
    const { endpoint, about, request, response } = exchange
    if (!succeeded(exchange)) return undefined
    if (endpoint === 'registration') {
      const id = member(response?.json, 'client_id')
      if (typeof id !== 'string') return undefined
      const before = (earlier.has(id) ? earlier.get(id) : []) as string[] | undefined
      const listed = grantTypesIn(exchange)
      earlier.set(id, before && listed && [...new Set([...before, ...listed])])
      return undefined
    }
    if (endpoint !== 'token' || about.deviation !== undefined || !about.registered) return undefined
    if (typeof member(response?.json, 'access_token') !== 'string') return undefined
    const registered = earlier.get(about.registered.clientId) as string[] | undefined
    const grant = new URLSearchParams(request.body ?? '').get('grant_type')
    if (!registered || grant === null) return undefined
    if (registered.includes(grant)) return []
    const message = `a token came by ${grant}, which is not registered for the client`
    const expected = `a token by ${registered.join(', ') || 'no grant type'} alone`
    return [{ message, expected, actual: grant }]
  },
)

/** undefined where the answer has no array of strings: that is judged by REG-06 and REG-11. */
function grantTypesIn({ response }: Exchange): string[] | undefined {
  const list = member(response?.json, 'grant_types')
  const isList = Array.isArray(list) && list.every((one) => typeof one === 'string')
  return isList ? list : undefined
}

/**
 * Every registration 2xx whose request names scopes. Fails: the answer has several
 * of them without a space in between. Which ones are stored is up to the bank.
 */
rule(
  'REG-14/space-separated',
  'Spaces separate the scopes of the registered client',
  { endpoints: ['registration'], unseen: 'no registration named scopes, or none was answered' },
  (exchange) => {
    if (exchange.endpoint !== 'registration' || !succeeded(exchange)) return undefined
    const scope = member(exchange.response?.json, 'scope')
    const asked = claimsOf(exchange.request.body ?? '')?.scope
    if (typeof scope !== 'string' || typeof asked !== 'string') return undefined
    const joined = joinedScopes(scope, asked.split(' '))
    if (joined === undefined) return []
    const message = 'no space separates the scopes of the registered client'
    return [{ message, expected: asked, actual: joined, place: '/scope' }]
  },
)

/** Every registration 2xx. Fails: its registration_access_token was issued before with another client_id. */
rule(
  'REG-34/own-token',
  'The registration_access_token of a client differs from those of other clients',
  { endpoints: ['registration'], unseen: 'no two clients were given a registration_access_token' },
  (exchange, { earlier }) => {
    if (exchange.endpoint !== 'registration' || !succeeded(exchange)) return undefined
    const [id, token] = ['client_id', 'registration_access_token'].map((name) =>
      member(exchange.response?.json, name),
    )
    if (typeof id !== 'string' || typeof token !== 'string' || token === '') return undefined
    const owner = earlier.get(token)
    if (owner === undefined) {
      const isFirst = ![...earlier.values()].some((other) => other !== id)
      earlier.set(token, id)
      return isFirst ? undefined : []
    }
    if (owner === id) return undefined
    const message = 'another client was given the same registration_access_token'
    const place = '/registration_access_token'
    return [{ message, expected: 'a token of this client', actual: 'one of two clients', place }]
  },
)

/** registration_client_uri of a successful registration, with its client; undefined for any other answer. */
function managed(exchange: Exchange): { id: string; uri: URL; at: string } | undefined {
  if (exchange.endpoint !== 'registration' || !succeeded(exchange)) return undefined
  const [id, uri] = ['client_id', 'registration_client_uri'].map((name) =>
    member(exchange.response?.json, name),
  )
  const isUrl = typeof uri === 'string' && URL.canParse(uri)
  return typeof id === 'string' && isUrl
    ? { id, uri: new URL(uri), at: exchange.request.url }
    : undefined
}

/**
 * RFC 6750 5.3: a bearer token is sent over TLS alone. Every registration 2xx with an absolute registration_client_uri.
 * Fails: it is http, and the registration was https, or its host is one that only machines of the bank reach.
 */
rule(
  'REG-33/reachable',
  'registration_client_uri is an https address that a TPP can reach',
  {
    endpoints: ['registration'],
    unseen: 'no answer had a registration_client_uri',
    follows: ['REG-33/uri'],
  },
  (exchange) => {
    const { uri, at } = managed(exchange) ?? {}
    if (!uri || at === undefined) return undefined
    const isPlain = uri.protocol === 'http:' && at.startsWith('https:')
    if (!isPlain && !leadsInside(uri.href, at)) return []
    const message = `registration_client_uri is ${isPlain ? 'no https address' : 'an address of the inside'}`
    const place = '/registration_client_uri'
    return [{ message, expected: 'an https address of the bank', actual: uri.href, place }]
  },
)

/** Ids that are shorter may be a part of an address by chance. */
const SHORTEST_ID = 4

/** Every registration 2xx. Fails: registration_client_uri names a client of an earlier answer and not its own. */
rule(
  'REG-34/own-uri',
  'The registration_client_uri of a client does not name another client',
  {
    endpoints: ['registration'],
    unseen: 'no two clients were given a registration_client_uri',
    follows: ['REG-33/uri'],
  },
  (exchange, { earlier }) => {
    const { id, uri } = managed(exchange) ?? {}
    if (id === undefined || !uri) return undefined
    const others = [...earlier.keys()].filter((one) => one !== id && one.length >= SHORTEST_ID)
    earlier.set(id, true)
    if (others.length === 0) return undefined
    const named = [...uri.pathname.split('/').map(percentDecoded), ...uri.searchParams.values()]
    const other = named.includes(id) ? undefined : others.find((one) => named.includes(one))
    if (other === undefined) return []
    const message = 'registration_client_uri names another client'
    const place = '/registration_client_uri'
    return [{ message, expected: `the client ${id}`, actual: `the client ${other}`, place }]
  },
)

/**
 * Over visits that end with a code. Fails: the redirect URI is none that the registration of this client returned,
 * in any of its answers. Not judged: clients whose registration the run did not see.
 */
rule(
  'REG-13/as-registered',
  'A code is sent only to a redirect URI that the registration returned',
  {
    ...AUTHORISATION,
    also: ['elsewhere', 'registration'],
    unseen: 'no client was registered by this run',
    follows: ['REG-13/left-out', 'AUTHZ-08/unregistered', 'AUTHZ-08/similar', 'REG-13/array'],
  },
  (exchange, { earlier }) => {
    const { client } = exchange.about
    if (exchange.endpoint === 'registration') {
      const { json } = exchange.response ?? {}
      const uris = member(json, 'redirect_uris')
      const id = member(json, 'client_id')
      if (!succeeded(exchange) || typeof id !== 'string' || !Array.isArray(uris)) return undefined
      earlier.set(id, [...((earlier.get(id) as unknown[]) ?? []), ...uris])
      return undefined
    }
    const landing = client === undefined ? undefined : successOf(exchange)
    const known = landing && (earlier.get(landing.visit.clientId) as unknown[] | undefined)
    if (!landing || !known) return undefined
    const { redirectUri } = landing.visit
    if (known.some((uri) => isOneAddress(String(uri), redirectUri))) return []
    const message = 'a code came to a redirect URI that the registration did not return'
    return [{ message, expected: known.join(' or ') || 'no code', actual: redirectUri }]
  },
)
