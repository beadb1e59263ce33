import { parseRedirect, redirectsTo } from '../../../engine/suite-api/client.ts'
import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import { type Exchange, header, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'

/** What comes back to the redirect URI, as parameters. Requirements: specs/account-information/authorisation.yaml */

/** The address to which the customer is sent back; undefined for any other answer. */
function addressOf(exchange: Exchange): URL | undefined {
  const { visit } = exchange.about
  const location = header(exchange, 'location')
  if (!visit || location === undefined || !URL.canParse(location, exchange.request.url))
    return undefined
  const url = new URL(location, exchange.request.url)
  const redirect = parseRedirect(url.href)
  return redirect && redirectsTo(redirect, visit.redirectUri) ? url : undefined
}

/** RFC 6749 3.1. Every redirect to the redirect URI. Fails: the fragment, or the query, has a name twice. */
rule(
  'AUTHZ-39/once',
  'No parameter comes twice to the redirect URI',
  { endpoints: ['authorisation'], also: ['elsewhere'] },
  (exchange) => {
    const url = addressOf(exchange)
    if (!url) return undefined
    const parts = { fragment: url.hash.slice(1), query: url.search }
    for (const [part, text] of Object.entries(parts)) {
      const names = [...new URLSearchParams(text).keys()]
      const twice = names.find((name, at) => names.indexOf(name) < at)
      if (twice !== undefined) {
        return [
          {
            message: `the ${part} has ${twice} twice`,
            expected: 'each parameter once',
            actual: 'twice',
          },
        ]
      }
    }
    return []
  },
)

/**
 * OpenID Connect Core 1.0, section 2. Every ID token with auth_time. Fails: it is later than the answer, by more than the clocks may
 * differ: it may be in milliseconds.
 */
rule(
  'AUTHZ-40/auth-time',
  'auth_time of an ID token is in seconds, and not in the future',
  {
    endpoints: ['authorisation', 'token'],
    also: ['elsewhere'],
    unseen: 'no ID token has auth_time',
  },
  (exchange, { clockTolerance }) => {
    const time = claimsOf(idTokenIn(exchange) ?? '')?.auth_time
    if (typeof time !== 'number') return undefined
    const latest =
      Date.parse(exchange.startedAt) / 1000 + exchange.durationMs / 1000 + clockTolerance + 1
    if (time <= latest) return []
    const expected = 'seconds since 1970, at the customer’s login'
    return [
      {
        message: `auth_time is ${time}, which is later than the answer`,
        expected,
        actual: String(time),
      },
    ]
  },
)

function idTokenIn(exchange: Exchange): string | undefined {
  const url = exchange.endpoint === 'token' ? undefined : addressOf(exchange)
  const text =
    exchange.endpoint === 'token' && succeeded(exchange)
      ? member(exchange.response?.json, 'id_token')
      : url && parseRedirect(url.href)?.idToken
  return typeof text === 'string' ? text : undefined
}
