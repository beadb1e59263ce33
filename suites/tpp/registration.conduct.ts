/** The registration request. Requirements: specs/tpp/registration.yaml */
import { conduct } from '../../engine/suite-api/certification.ts'
import { type Exchange, member } from '../../engine/suite-api/responses.ts'
import {
  decoded,
  list,
  registrationOf,
  seenOf,
  sent,
  shown,
  unless,
  words,
} from './common/messages.ts'

const options = { endpoints: ['registration'] as const, unseen: 'the client was registered before' }

conduct(
  'TREG-01/content-type',
  'a registration is sent as application/jwt',
  options,
  (exchange) => {
    if (exchange.endpoint !== 'registration') return undefined
    const type = sent(exchange, 'content-type')
    return unless(type?.split(';')[0]?.trim().toLowerCase() === 'application/jwt', {
      message: 'the registration is not sent as application/jwt',
      expected: 'Content-Type: application/jwt',
      actual: `Content-Type: ${type ?? 'none'}`,
    })
  },
)

conduct(
  'TREG-02/statement',
  'a registration contains the software statement that the directory issued to the TPP',
  options,
  (exchange) => {
    const registration = registrationOf(exchange)
    if (exchange.endpoint !== 'registration' || !registration) return undefined
    const { refusal } = seenOf(exchange)
    const statement = decoded(registration.claims.software_statement as string | undefined)
    const condemned = /software_statement$/.test(refusal?.reason ?? '')
    return unless(statement !== undefined && !condemned, {
      message: 'the software statement is missing, or not the one of the directory',
      expected: 'software_statement: the JWT that the directory issued to this TPP',
      actual: condemned ? (refusal?.detail ?? '') : shown(registration.claims.software_statement),
    })
  },
)

conduct(
  'TREG-03/redirect-uris',
  'the redirect URIs of a registration are among those of the software statement',
  options,
  (exchange) => {
    const registration = registrationOf(exchange)
    const statement = decoded(registration?.claims.software_statement as string | undefined)
    if (exchange.endpoint !== 'registration' || !registration || !statement) return undefined
    const stated = list(statement.claims.software_redirect_uris)
    const { redirect_uris: asked } = registration.claims
    if (asked === undefined) return []
    const beyond = list(asked).filter((uri) => !stated.includes(uri))
    return unless(beyond.length === 0, {
      message: 'a redirect URI is not in the software statement',
      expected: `some of ${stated.join(', ')}`,
      actual: beyond.map(shown).join(', '),
    })
  },
)

/**
 * The values that the documents name for each member of a registration, and the member of the configuration that lists
 * those of a bank.
 */
const USED: Record<string, [listed: string, used: readonly string[]]> = {
  token_endpoint_auth_method: ['token_endpoint_auth_methods_supported', ['private_key_jwt']],
  token_endpoint_auth_signing_alg: ['token_endpoint_auth_signing_alg_values_supported', ['PS256']],
  request_object_signing_alg: ['request_object_signing_alg_values_supported', ['PS256']],
  id_token_signed_response_alg: ['id_token_signing_alg_values_supported', ['PS256']],
  response_types: ['response_types_supported', ['code id_token']],
  grant_types: [
    'grant_types_supported',
    ['authorization_code', 'refresh_token', 'client_credentials'],
  ],
  subject_type: ['subject_types_supported', ['public']],
  // The documents use no encryption.
  id_token_encrypted_response_alg: ['id_token_encryption_alg_values_supported', []],
  request_object_encryption_alg: ['request_object_encryption_alg_values_supported', []],
}

/** A value in a comparable form: the order of the words of a response type means nothing. */
const comparable = (name: string, value: unknown) =>
  name === 'response_types' ? words(value).toSorted().join(' ') : String(value)

/** The configuration that the client read last; undefined for a client that knows the bank from elsewhere. */
function configurationBefore(exchange: Exchange, earlier: readonly Exchange[]): unknown {
  const { scenario } = seenOf(exchange)
  const read = earlier.findLast(
    (other) =>
      other.endpoint === 'discovery' &&
      other.response?.status === 200 &&
      seenOf(other).scenario === scenario,
  )
  return read?.response?.json
}

conduct(
  'TREG-04/advertised',
  'the values of a registration are those that the bank advertises',
  options,
  (exchange, earlier) => {
    const registration = registrationOf(exchange)
    if (exchange.endpoint !== 'registration' || !registration) return undefined
    const { claims } = registration
    const configuration = configurationBefore(exchange, earlier)
    // A recording without the configuration does not show what this bank advertises.
    if (!configuration && !seenOf(exchange).expected) return undefined
    const wrong = Object.entries(USED).flatMap(([name, [listed, used]]) => {
      // A configuration may leave out what is used anyway, such as refresh_token.
      const advertised = member(configuration, listed) ?? []
      const known = [...list(advertised), ...used].map((each) => comparable(name, each))
      return claims[name] === undefined
        ? []
        : list(claims[name])
            .filter((value) => !known.includes(comparable(name, value)))
            .map((value) => `${name}: ${value}`)
    })
    // "Names of the scopes: not shown."
    const named = member(configuration, 'scopes_supported')
    const beyond = Array.isArray(named)
      ? words(claims.scope).filter((each) => each !== 'openid' && !named.includes(each))
      : []
    wrong.push(...beyond.map((each) => `scope: ${each}`))
    return unless(wrong.length === 0, {
      message: 'a value is not among those on the well-known configuration',
      expected: 'values that the well-known configuration advertises',
      actual: wrong.join(', '),
    })
  },
)

conduct(
  'TREG-05/jti-fresh',
  'each registration that has a jti has one of its own',
  { ...options, unseen: 'no registration has a jti: it is optional' },
  (exchange, earlier) => {
    const registration = registrationOf(exchange)
    if (exchange.endpoint !== 'registration' || !registration) return undefined
    const { jti, iss } = registration.claims
    if (jti === undefined) return undefined
    // A request that the bank failed to process may be sent again unchanged.
    const isRetry = ({ request, response }: Exchange) =>
      request.body === exchange.request.body && (response?.status ?? 503) >= 500
    const again = earlier.some((other) => {
      const claims = other.endpoint === 'registration' ? registrationOf(other)?.claims : undefined
      return claims?.jti === jti && claims?.iss === iss && !isRetry(other)
    })
    return unless(!again, {
      message: 'jti was used before',
      expected: 'a jti that no other registration had',
      actual: shown(jti),
    })
  },
)

conduct('TREG-07/audience', 'a registration says which bank it is for', options, (exchange) => {
  const registration = registrationOf(exchange)
  const { issuer, registrationEndpoint } = seenOf(exchange).expected ?? {}
  if (exchange.endpoint !== 'registration' || !registration) return undefined
  const { aud } = registration.claims
  // A bank may have other names than its addresses: a bank that took the registration knows itself.
  const isTaken = aud !== undefined && exchange.response?.status === 201
  const bank = new URL(registrationEndpoint ?? exchange.request.url)
  const fine = list(aud).some((each) => [issuer, bank.href, bank.origin].includes(String(each)))
  return unless(fine || isTaken, {
    message: aud === undefined ? 'aud is missing' : 'aud is not this bank',
    expected: `aud ${issuer}`,
    actual: `aud ${shown(aud)}`,
  })
})

conduct('TREG-12/no-credential', 'a registration carries no access token', options, (exchange) => {
  if (exchange.endpoint !== 'registration') return undefined
  const header = sent(exchange, 'authorization')
  const [, scheme = 'without a scheme'] = /^([A-Za-z]+) /.exec(header ?? '') ?? []
  return unless(header === undefined, {
    message: 'the registration carries a credential that is meant for another request',
    expected: 'no Authorization header: the software statement says who registers',
    actual: `an Authorization header ${scheme}`,
  })
})

/** Is it a request for an existing registration? */
function asksForRegistration(exchange: Exchange): boolean {
  const { registrationEndpoint: endpoint } = seenOf(exchange).expected ?? {}
  if (endpoint === undefined || exchange.endpoint === 'registration') return false
  const { pathname } = new URL(exchange.request.url)
  return pathname.startsWith(`${new URL(endpoint).pathname}/`)
}

/** Updates and deletion. A client may try to query its registration, which the document announces for the future. */
const MANAGING = ['PUT', 'PATCH', 'DELETE']

conduct(
  'TREG-09/not-managed',
  'a registration is neither updated nor deleted',
  options,
  (exchange) => {
    if (exchange.endpoint === 'registration') return []
    const { method } = exchange.request
    if (!asksForRegistration(exchange) || !MANAGING.includes(method)) return undefined
    return unless(false, {
      message: 'the client manages its registration, which is not supported',
      expected: 'no request for a registration after its creation: a new one where values change',
      actual: `${method} of a registration`,
    })
  },
)

conduct(
  'TREG-11/not-read',
  'a registration is not read after its creation',
  options,
  (exchange) => {
    if (exchange.endpoint === 'registration') return []
    const { method } = exchange.request
    if (!asksForRegistration(exchange) || method !== 'GET') return undefined
    return unless(false, {
      message: 'the client reads its registration, which is not supported yet',
      expected: 'what the registration returned, kept',
      actual: `${method} of a registration`,
    })
  },
)
