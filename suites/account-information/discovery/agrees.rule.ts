import { brief, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'

/** What the configuration says of requests that the documents describe. Requirements: specs/account-information/discovery.yaml */

/**
 * OpenID Connect Discovery 3 and RFC 9126 5. Every configuration. Fails: a member that is there says that a documented request
 * or answer is not supported, or none is among the algorithms of client assertions. Members may be absent.
 */
rule(
  'DISC-18/agrees',
  'The configuration does not contradict the requests and answers of the document',
  { endpoints: ['discovery'] },
  (exchange) => {
    if (exchange.endpoint !== 'discovery' || !succeeded(exchange)) return undefined
    const { json } = exchange.response ?? {}
    if (json === undefined) return undefined
    const wrong = (name: string, message: string, expected: string): Finding[] => [
      { message, expected, actual: brief(member(json, name)), place: `/${name}` },
    ]
    const listed = (name: string, value: string) => {
      const list = member(json, name)
      return Array.isArray(list) ? list.includes(value) : undefined
    }
    return [
      ...(listed('response_modes_supported', 'fragment') === false
        ? wrong(
            'response_modes_supported',
            'the response mode fragment is not supported',
            'fragment',
          )
        : []),
      ...(member(json, 'request_parameter_supported') === false
        ? wrong('request_parameter_supported', 'request objects are not supported', 'true')
        : []),
      ...(member(json, PUSHED) === true
        ? wrong(PUSHED, 'requests in the query of the page are not supported', 'false')
        : []),
      ...(listed(ASSERTIONS, 'none')
        ? wrong(ASSERTIONS, 'client assertions may have no signature', 'no none')
        : []),
    ]
  },
)

/**
 * OpenID Connect Discovery 4.3, and the form of RFC 8414 3.1. Every configuration whose issuer is a URL. Fails: it was read
 * from another address than its issuer gives, it names addresses of the host that it was read from, and none below the
 * issuer. If it names one there, that host may be a second name of the bank, as sandboxes have it.
 */
rule(
  'DISC-12/prefix',
  'The configuration is served at the address that its issuer gives',
  {
    endpoints: ['discovery'],
    unseen: 'the issuer is not a URL, or the configuration may have two addresses',
  },
  ({ endpoint, about, request, response }, { observe }) => {
    const issuer = urlOf(member(response?.json, 'issuer'))
    const read = urlOf(request.url)
    if (endpoint !== 'discovery' || about.deviation !== undefined || !issuer || !read) {
      return undefined
    }
    const path = issuer.pathname.replace(/\/$/, '')
    const paths = [
      `${path}${WELL_KNOWN}`,
      `${issuer.pathname}${WELL_KNOWN}`,
      `${WELL_KNOWN}${path}`,
    ]
    const isThere = read.origin === issuer.origin && paths.includes(read.pathname)
    observe('the configuration is where its issuer says', isThere ? 'yes' : 'no')
    if (isThere) return []
    const named = addressesIn(response?.json)
    const isHome = ({ origin, pathname }: URL) =>
      origin === issuer.origin && `${pathname}/`.startsWith(`${path}/`)
    const isHere = named.some(({ hostname }) => hostname === read.hostname)
    if (named.some(isHome) || !isHere) return undefined
    const message = 'the issuer is not the address below which the configuration is served'
    const expected = read.href.replace(WELL_KNOWN, '')
    return [
      { message, expected, actual: String(member(response?.json, 'issuer')), place: '/issuer' },
    ]
  },
)

const WELL_KNOWN = '/.well-known/openid-configuration'

/** The endpoints and the address of the keys that a configuration names. */
function addressesIn(configuration: unknown): URL[] {
  return Object.entries(configuration as Record<string, unknown>).flatMap(([name, value]) => {
    const url = /_endpoint$|^jwks_uri$/.test(name) ? urlOf(value) : undefined
    return url ? [url] : []
  })
}

function urlOf(value: unknown): URL | undefined {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
}

/** RFC 9126 5: whether the server “accepts authorization request data only via PAR”. */
const PUSHED = 'require_pushed_authorization_requests'

/** Discovery 3: “The value none MUST NOT be used.” For ID tokens it may be listed: code flows may have one without a signature. */
const ASSERTIONS = 'token_endpoint_auth_signing_alg_values_supported'
