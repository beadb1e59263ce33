import { header, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { AUTHORISATION, landingOf } from '../common/visits/landings.ts'

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
 * URI. Fails: a character of Location cannot be in a URI.
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
    const [wrong] = FOREIGN.exec(location) ?? []
    if (wrong === undefined) return []
    const actual = `the character ${JSON.stringify(wrong)}`
    const message = `the address of the redirect has ${actual}`
    return [{ message, expected: 'percent-encoded characters', actual }]
  },
)
