/** The authorisation request. Requirements: specs/tpp/authorisation.yaml */
import { conduct } from '../../engine/suite-api/certification.ts'
import type { Exchange } from '../../engine/suite-api/responses.ts'
import { roomOf } from '../guessing.ts'
import {
  list,
  queryOf,
  requestObjectOf,
  scopesOf,
  searched,
  seenOf,
  shown,
  some,
  unless,
  unlessOnceEach,
  words,
} from './common/messages.ts'

const options = { endpoints: ['authorisation'] as const }

/** An authorisation request; `undefined` for anything else, such as a request for a page. */
function requestOf(exchange: Exchange) {
  if (exchange.endpoint !== 'authorisation' || exchange.request.method !== 'GET') return undefined
  return { query: queryOf(exchange), object: requestObjectOf(exchange), seen: seenOf(exchange) }
}

/** The parameter `claims`. */
type Wanted = { id_token?: Record<string, { value?: unknown } | null> }

const REQUIRED = ['request', 'response_type', 'redirect_uri', 'scope', 'client_id']

conduct('TAUT-01/parameters', 'every required parameter is in the query', options, (exchange) => {
  const asked = requestOf(exchange)
  if (!asked) return undefined
  const missing = REQUIRED.filter((name) => !asked.query.get(name))
  return unless(missing.length === 0, {
    message: 'a required parameter is not in the query',
    expected: REQUIRED.join(', '),
    actual: `no ${missing.join(', ')}`,
  })
})

conduct('TAUT-01/client', 'client_id is the one of a registered client', options, (exchange) => {
  const asked = requestOf(exchange)
  const id = asked?.query.get('client_id') ?? asked?.object?.claims.client_id
  if (!asked || id === undefined) return undefined
  return unless(asked.seen.client?.client_id === id, {
    message: 'no such client is registered',
    expected: 'the client_id that the registration returned',
    actual: shown(id),
  })
})

conduct('TAUT-02/response-type', 'the response type is code id_token', options, (exchange) => {
  const asked = requestOf(exchange)
  const type = asked?.query.get('response_type') ?? asked?.object?.claims.response_type
  if (!asked || type === undefined) return undefined
  return unless(words(type).toSorted().join(' ') === 'code id_token', {
    message: 'the response type is another one',
    expected: 'code id_token',
    actual: shown(type),
  })
})

conduct('TAUT-03/registered', 'the redirect URI is a registered one', options, (exchange) => {
  const asked = requestOf(exchange)
  const uri = asked?.query.get('redirect_uri') ?? asked?.object?.claims.redirect_uri
  const registered = asked?.seen.client?.redirect_uris
  if (!asked || uri === undefined || registered === undefined) return undefined
  return unless(list(registered).includes(uri), {
    message: 'the redirect URI is not registered',
    expected: `one of ${list(registered).join(', ')}`,
    actual: shown(uri),
  })
})

conduct('TAUT-04/registered', 'the scope is within what is registered', options, (exchange) => {
  const asked = requestOf(exchange)
  const registered = asked?.seen.client?.scope
  if (!asked || registered === undefined) return undefined
  const scopes = scopesOf(exchange)
  if (scopes.length === 0) return undefined
  const beyond = scopes.filter((each) => !words(registered).includes(each))
  return unless(beyond.length === 0, {
    message: 'a scope is not registered',
    expected: `scopes among ${registered}`,
    actual: beyond.join(' '),
  })
})

conduct(
  'TAUT-05/signed',
  'the request object is a JWS with PS256 by the TPP',
  options,
  (exchange) => {
    const asked = requestOf(exchange)
    const request = asked?.query.get('request')
    if (!asked || !request) return undefined
    const alg = asked.object?.header.alg
    const detail = asked.seen.refusal?.detail ?? ''
    const forged = /could not validate Request Object|unsupported signed request alg|signature/i
    return unless(alg === 'PS256' && !forged.test(detail), {
      message: 'the request object is not signed as registered',
      expected: 'a JWS with PS256 by a key in the JWKS of the client',
      actual: alg === 'PS256' ? detail : `alg ${shown(alg)}`,
    })
  },
)

conduct(
  'TAUT-06/agree',
  'what the query repeats is what the request object says',
  options,
  (exchange) => {
    const asked = requestOf(exchange)
    if (!asked?.object) return undefined
    const { claims } = asked.object
    const differing = [...REQUIRED, 'state', 'nonce'].filter((name) => {
      const value = asked.query.get(name)
      if (name === 'request' || !value || claims[name] === undefined) return false
      // The client is unknown: TAUT-01/client judges that.
      if (name === 'client_id' && !asked.seen.client) return false
      // OpenID Connect Core 6.1: the query has a scope with openid, and the scope of the object is used.
      if (name === 'scope') return words(value).some((each) => !words(claims[name]).includes(each))
      return words(value).toSorted().join(' ') !== words(claims[name]).toSorted().join(' ')
    })
    return unless(differing.length === 0, {
      message: 'query and request object differ',
      expected: 'the same values in both',
      actual: differing.map((name) => `another ${name}`).join(', '),
    })
  },
)

conduct('TAUT-19/once-each', 'no parameter is in the query twice', options, (exchange) => {
  const asked = requestOf(exchange)
  if (!asked) return undefined
  return unlessOnceEach(asked.query, 'the query')
})

conduct('TAUT-18/openid', 'the scope in the query has openid', options, (exchange) => {
  const scope = requestOf(exchange)?.query.get('scope')
  if (!scope) return undefined
  return unless(words(scope).includes('openid'), {
    message: 'the scope in the query has no openid',
    expected: 'openid in the scope of the query, also where the request object has it',
    actual: shown(scope),
  })
})

/** The purpose of the visit: the scenario, and what the client was asked to do in it. */
function visitOf(exchange: Exchange): string {
  const { scenario, goal } = seenOf(exchange)
  return `${scenario} ${goal}`
}

const clientIn = (exchange: Exchange) =>
  requestObjectOf(exchange)?.claims.client_id ?? queryOf(exchange).get('client_id')

/** Where several clients are watched at once, each is judged separately. */
const isOfAnotherClient = (exchange: Exchange, other: Exchange) =>
  seenOf(exchange).scenario === seenOf(other).scenario && clientIn(exchange) !== clientIn(other)

/** The customer of a visit, in a scenario. */
const customerOf = (exchange: Exchange) => {
  const { scenario, goal } = seenOf(exchange)
  return `${scenario} ${goal === 'connect-another' ? 'second' : 'first'}`
}

const linkOf = (exchange: Exchange) => queryOf(exchange).get('request')

/** Claims that OpenID Connect defines, whose value may be asked for as well. */
const OF_OPENID = ['acr', 'sub']

/** The consent that a request object names. A bank that is only watched may have another claim for it (AMB-23). */
function intentIn(exchange: Exchange): unknown {
  const { claims } = (requestObjectOf(exchange)?.claims ?? {}) as { claims?: Wanted }
  const named = claims?.id_token ?? {}
  const usual = named.openbanking_intent_id?.value
  if (usual || seenOf(exchange).scenario !== 'watch') return usual
  return Object.entries(named).find(
    ([name, claim]) => !OF_OPENID.includes(name) && claim?.value,
  )?.[1]?.value
}

/** Consents that one session asks for, at most. A scenario has fewer; a watch does not know whose session it is. */
const IN_A_SESSION = 5

/**
 * May these visits be of one session? Then a value may be the same at each of them: RFC 6749 10.12 and OpenID Connect
 * Core 15.5.2 make it of a session cookie. A link that was kept is not of the session in which it is used again.
 */
function isOneSession(exchange: Exchange, others: Exchange[]): boolean {
  const intents = new Set([exchange, ...others].map(intentIn))
  return (
    intents.size <= IN_A_SESSION &&
    others.every(
      (other) => customerOf(other) === customerOf(exchange) && linkOf(other) !== linkOf(exchange),
    )
  )
}

/** Judges that a value of the request object, or else of the query, did not occur at a visit of another session. */
function freshness(name: 'nonce' | 'state') {
  // RFC 6749 3.1: a parameter without a value counts as omitted.
  const valueIn = (exchange: Exchange) =>
    requestObjectOf(exchange)?.claims[name] ?? (queryOf(exchange).get(name) || undefined)
  // A reloaded page is the same visit; a link reused for the next visit is not.
  const isReload = (exchange: Exchange, other: Exchange) =>
    other.request.url === exchange.request.url && visitOf(other) === visitOf(exchange)
  const having = searched((other) => (requestOf(other) ? some(valueIn(other)) : []))
  return (exchange: Exchange, earlier: readonly Exchange[]) => {
    if (!requestOf(exchange)) return undefined
    const value = valueIn(exchange)
    // state is not required; without a request object there is no place for a nonce.
    if (value === undefined && (name === 'state' || !requestObjectOf(exchange))) return undefined
    const others = having(earlier, value).filter(
      (other) => !isReload(exchange, other) && !isOfAnotherClient(exchange, other),
    )
    const again = !isOneSession(exchange, others)
    return unless(typeof value === 'string' && value !== '' && !again, {
      message: again ? `${name} was used for an earlier visit` : `there is no ${name}`,
      expected: `a ${name} of its own for each visit, or for each session of a customer`,
      actual: shown(value),
    })
  }
}

conduct('TAUT-07/nonce', 'each session has a nonce of its own', options, freshness('nonce'))

conduct(
  'TAUT-08/state',
  'each session has a state of its own',
  { ...options, unseen: 'the client sends no state: it is not required' },
  freshness('state'),
)

/** As many values of one length show which of their characters never change. */
const ENOUGH = 8

/** A random value of half the size that RFC 6749 10.10 asks of tokens is no counter, and no time. */
const BITS = 48

/**
 * Judges that a value is neither the ConsentId nor the client_id of the request, and that the values of one length, of which
 * eight or more came, differ in characters that hold enough bits.
 */
function hardToGuess(name: 'nonce' | 'state') {
  const sentIn = (exchange: Exchange) => {
    const value = requestOf(exchange)
      ? (requestObjectOf(exchange)?.claims[name] ?? queryOf(exchange).get(name))
      : undefined
    return typeof value === 'string' ? value : undefined
  }
  return (exchange: Exchange, earlier: readonly Exchange[]) => {
    const value = sentIn(exchange)
    if (value === undefined) return undefined
    const told = { ConsentId: intentIn(exchange), client_id: queryOf(exchange).get('client_id') }
    const [same] = Object.entries(told).find(([, one]) => one === value) ?? []
    if (same !== undefined) {
      const message = `${name} is the ${same} of the request`
      return [{ message, expected: 'a random value', actual: `the ${same}` }]
    }
    const others = earlier
      .filter((other) => !isOfAnotherClient(exchange, other))
      .flatMap((other) => sentIn(other) ?? [])
      .filter((other) => other.length === value.length)
    const values = [...new Set([...others, value])]
    if (values.length < ENOUGH) return undefined
    const { characters, bits } = roomOf(values)
    return unless(bits >= BITS, {
      message: `${values.length} values of ${name} differ in few characters`,
      expected: `characters of ${BITS} bits or more that differ`,
      actual: `${characters} of ${value.length}, of at most ${Math.floor(bits)} bits`,
    })
  }
}

conduct(
  'TAUT-07/not-guessable',
  'a nonce cannot be guessed',
  { ...options, unseen: `no ${ENOUGH} different values of one length came` },
  hardToGuess('nonce'),
)

conduct(
  'TAUT-08/not-guessable',
  'a state cannot be guessed',
  { ...options, unseen: `no ${ENOUGH} different values of one length came` },
  hardToGuess('state'),
)

conduct(
  'TAUT-09/audience',
  'the request object says who made it and for which bank',
  options,
  (exchange) => {
    const asked = requestOf(exchange)
    if (!asked?.object || !asked.seen.client) return undefined
    const { iss, aud } = asked.object.claims
    const { issuer } = asked.seen.expected ?? {}
    const fine = iss === asked.seen.clientId && list(aud).includes(issuer)
    return unless(fine, {
      message: 'iss is not the client, or aud is not the bank',
      expected: `iss ${asked.seen.clientId}, aud ${issuer}`,
      actual: `iss ${shown(iss)}, aud ${shown(aud)}`,
    })
  },
)

/** Seconds that a request object may be valid: FAPI 1.0 Advanced 5.2.2 (13). */
const LONGEST = 3600

conduct(
  'TAUT-10/lifetime',
  'a request object has nbf and exp, an hour apart at most',
  options,
  (exchange) => {
    const asked = requestOf(exchange)
    if (!asked?.object) return undefined
    const { exp, nbf } = asked.object.claims
    const lifetime = Number(exp) - Number(nbf)
    return unless(typeof exp === 'number' && typeof nbf === 'number' && lifetime <= LONGEST, {
      message: 'the request object is valid for too long, or has no nbf or exp',
      expected: 'nbf, and exp at most 60 minutes after it',
      actual: `nbf ${shown(nbf)}, exp ${shown(exp)}`,
    })
  },
)

conduct(
  'TAUT-15/in-the-object',
  'whatever is asked for stands in the request object',
  options,
  (exchange) => {
    const asked = requestOf(exchange)
    if (!asked?.object) return undefined
    const { claims } = asked.object
    const names = [...REQUIRED.slice(1), 'state', 'nonce']
    const missing = names.filter((name) => asked.query.get(name) && claims[name] === undefined)
    if (!intentIn(exchange)) missing.push('claims for openbanking_intent_id')
    return unless(missing.length === 0, {
      message: 'what the query asks for is not in the request object, so that it does not count',
      expected: 'every parameter in the request object, with the intent id in its claims',
      actual: `no ${missing.join(', ')}`,
    })
  },
)
