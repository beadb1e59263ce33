import { brief, header, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { AUTHORISATION, landingOf, successOf } from '../common/visits/landings.ts'

/** How redirects to a TPP are written. Requirements: specs/account-information/authorisation.yaml */

/**
 * RFC 9207 2 and 3. Every correct request that ends at the redirect URI, with a code or an error, once the configuration was
 * read. Fails: it has no iss though the configuration says that redirects have one. Such a redirect is refused by clients
 * that read the configuration.
 */
rule(
  'AUTHZ-48/promised',
  'A redirect has iss where the configuration promises it',
  {
    ...AUTHORISATION,
    also: [...AUTHORISATION.also, 'discovery'],
    unseen: 'no visit led to the redirect URI after the configuration was read',
    rests: ['DISC-01/served'],
  },
  (exchange, { earlier }) => {
    if (exchange.about.deviation !== undefined) return undefined
    if (exchange.endpoint === 'discovery') {
      if (succeeded(exchange)) earlier.set(PROMISE, member(exchange.response?.json, PROMISE))
      return undefined
    }
    const { redirect } = landingOf(exchange) ?? {}
    if (!earlier.has(PROMISE) || (!redirect?.code && !redirect?.error)) return undefined
    if (earlier.get(PROMISE) !== true || redirect.fragment.iss || redirect.query.iss) return []
    const what = redirect.code ? 'a redirect with a code' : 'a redirect with an error'
    const message = `${what} has no iss, which the configuration promises`
    return [{ message, expected: 'iss, the issuer of the bank', actual: 'no iss' }]
  },
)

const PROMISE = 'authorization_response_iss_parameter_supported'

/** What no URI has (RFC 3986 2); a percent sign before anything but two hexadecimal digits is let pass. */
const FOREIGN = /[^\x21-\x7e]|["<>\\^`{|}]/

/**
 * RFC 6749 4.2.2 and 4.2.2.1: parameters are added in the form application/x-www-form-urlencoded. Every redirect to the redirect
 * URI. Fails: a character of Location cannot be in a URI, or the fragment begins with a question mark. Before code or ID token
 * that is judged by AUTHZ-03/names.
 */
rule(
  'AUTHZ-49/encoded',
  'The address of a redirect to the TPP has only characters of a URI',
  { ...AUTHORISATION, unseen: 'no visit led to the redirect URI' },
  (exchange) => {
    const landing = landingOf(exchange)
    const location = header(exchange, 'location')
    if (!landing || location === undefined || FOREIGN.test(landing.visit.redirectUri)) {
      return undefined
    }
    const first = nameBehindMark(location)
    if (first !== undefined && !SUCCESS.includes(first)) return [questionMark(first)]
    const [wrong] = FOREIGN.exec(location) ?? []
    if (wrong === undefined) return []
    const actual = `the character ${JSON.stringify(wrong)}`
    const message = `the address of the redirect has ${actual}`
    return [{ message, expected: 'percent-encoded characters', actual }]
  },
)

/** The first name in the fragment of an address, where a question mark stands before it, as in a query. */
function nameBehindMark(location: string): string | undefined {
  const [, name] = /^[^#]*#\?([^=&]*)/.exec(location) ?? []
  return name
}

/** What a client has to find in the fragment. */
const SUCCESS = ['code', 'id_token']

/**
 * OAuth 2.0 Multiple Response Types 3. Every redirect with a code. Fails: the fragment begins with a question mark, which is a
 * part of the first name for whoever reads a form, and this is the name of code or ID token.
 */
rule(
  'AUTHZ-03/names',
  'The fragment has code and ID token under these names',
  AUTHORISATION,
  (exchange) => {
    const location = header(exchange, 'location')
    if (!successOf(exchange) || location === undefined) return undefined
    const first = nameBehindMark(location)
    if (first === undefined || !SUCCESS.includes(first)) return []
    return [questionMark(first)]
  },
)

const questionMark = (name: string) => ({
  message: `the fragment of the redirect begins with a question mark, before ${name}`,
  expected: name,
  actual: `?${name}`,
})

/** RFC 6749 4.1.2 and 4.1.2.1. Every redirect with a code. Fails: it has an error too. One without a value is none. */
rule('AUTHZ-38/no-error', 'A redirect with a code has no error', AUTHORISATION, (exchange) => {
  const { redirect } = successOf(exchange) ?? {}
  if (!redirect) return undefined
  const error = redirect.fragment.error || redirect.query.error
  if (!error) return []
  const message = 'the redirect has a code and an error'
  return [{ message, expected: 'a code and no error', actual: `the error ${brief(error)}` }]
})
