import { matchers } from '../../../engine/suite-api/expect.ts'
import { header, notJson, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { charsetIn, otherCharset } from '../../charsets.ts'
import { namesOnce } from '../../names-once.ts'
import { directivesOf } from '../common/cache-control.ts'
import { ACCOUNT_ACCESS, CONSENTS, DATA } from '../common/endpoints.ts'

/** Every answer. Requirements: specs/account-information/general.yaml */

rule(
  'GEN-01/json',
  'Bodies of registration, token, consent and data responses are JSON',
  { endpoints: ['registration', 'token', ...CONSENTS, ...DATA] },
  (exchange) => {
    const judged = ['registration', 'token', ...CONSENTS, ...DATA]
    if (!judged.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    const { response } = exchange
    if (response?.json !== undefined) {
      const finding = matchers.toBeJson(exchange)
      return finding ? [finding] : []
    }
    // A firewall may answer what looks like an attack with a page.
    if (exchange.about.deviation !== undefined) return undefined
    return [{ message: 'the body is not JSON', expected: 'JSON', actual: notJson(exchange) }]
  },
)

/**
 * Every 2xx of account access consents and data endpoints, on a target with
 * base_url. Fails: the requested path (which an override of the target can change)
 * lacks /open-banking/<one segment>/aisp/. The segment is judged by VER-01.
 */
rule(
  'GEN-05/prefix',
  'Account access consents and data stand below /open-banking/{version}/aisp',
  {
    endpoints: [...ACCOUNT_ACCESS, ...DATA],
    unseen: 'the document shows no path of the sandbox below {sandbox_api_url}',
  },
  (exchange, { layout }) => {
    const judged = [...ACCOUNT_ACCESS, ...DATA]
    if (layout === 'sandbox' || !judged.includes(exchange.endpoint)) return undefined
    if (!succeeded(exchange)) return undefined
    const { pathname } = new URL(exchange.request.url)
    if (/\/open-banking\/[^/]+\/aisp\//.test(pathname)) return []
    const expected = 'a path below /open-banking/{version}/aisp'
    return [{ message: `it stands at ${pathname}`, expected, actual: pathname }]
  },
)

/**
 * Every 2xx with a JSON body of discovery, registration, token, data, and the
 * creation and query of consents. Fails: Content-Type is missing, or its media type
 * (without parameters, in any case) is neither application/json nor ends with +json.
 */
rule(
  'GEN-15/media-type',
  'A JSON response has the media type application/json',
  { endpoints: ['discovery', 'registration', 'token', ...CONSENTS, ...DATA] },
  (exchange) => {
    const judged = ['discovery', 'registration', 'token', ...CONSENTS, ...DATA]
    if (!judged.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    if (exchange.response?.json === undefined) return undefined
    const contentType = header(exchange, 'content-type') ?? ''
    const mediaType = (contentType.split(';')[0] ?? '').trim().toLowerCase()
    if (mediaType === 'application/json' || mediaType.endsWith('+json')) return []
    const actual = contentType === '' ? 'no Content-Type' : contentType
    return [{ message: `JSON under ${actual}`, expected: 'application/json', actual }]
  },
)

/**
 * RFC 9110 5.3. Every answer of these endpoints with a Content-Type, including errors. Fails: two lines of it name
 * two media types or two charsets, of which one client takes the first and another the last.
 */
rule(
  'GEN-15/one-type',
  'No answer has two Content-Type lines that contradict each other',
  {
    endpoints: ['discovery', 'jwks', 'registration', 'token', ...CONSENTS, ...DATA],
    follows: ['GEN-15/media-type'],
  },
  ({ endpoint, response }) => {
    const judged = ['discovery', 'jwks', 'registration', 'token', ...CONSENTS, ...DATA]
    const lines = (response?.headers ?? [])
      .filter(([name]) => name.toLowerCase() === 'content-type')
      .map(([, value]) => value)
    if (!judged.includes(endpoint) || lines.length === 0) return undefined
    const types = lines.map((line) => (line.split(';')[0] ?? '').trim().toLowerCase())
    const charsets = lines.map((line) => charsetIn(line)?.toLowerCase().replace('-', ''))
    const named = charsets.filter((one) => one !== undefined)
    if (new Set(types).size === 1 && new Set(named).size <= 1) return []
    const actual = lines.join(' and ')
    return [{ message: `the Content-Type is ${actual}`, expected: 'one Content-Type', actual }]
  },
)

/**
 * RFC 9112 6.1 and RFC 9110 8.6. Every 204 to a deletion. Fails: it has Transfer-Encoding, or Content-Length other than 0,
 * by which some clients wait for a body.
 */
rule(
  'GEN-35/no-coding',
  'An answer with status 204 announces no body',
  { endpoints: ['delete-account-access-consent', 'delete-funds-confirmation-consent'] },
  (exchange) => {
    if (!exchange.endpoint.startsWith('delete-') || exchange.response?.status !== 204)
      return undefined
    const [coding, length = '0'] = ['transfer-encoding', 'content-length'].map((name) =>
      header(exchange, name),
    )
    // Many servers send a length of 0, which misleads nobody.
    const actual = coding ?? (Number(length) === 0 ? undefined : length)
    if (actual === undefined) return []
    const name = coding === undefined ? 'Content-Length' : 'Transfer-Encoding'
    return [
      {
        message: `an answer without content has ${name}: ${actual}`,
        expected: `no ${name}`,
        actual,
      },
    ]
  },
)

/**
 * Every 2xx with a JSON body of these endpoints. Fails: Content-Type names another charset than the UTF-8 that JSON
 * has (RFC 8259 8.1), so that a client that follows it reads other letters. US-ASCII is a part of UTF-8.
 */
rule(
  'GEN-26/charset',
  'The Content-Type of a JSON response names no other charset than UTF-8',
  { endpoints: ['discovery', 'registration', 'token', ...CONSENTS, ...DATA] },
  (exchange) => {
    const judged = ['discovery', 'registration', 'token', ...CONSENTS, ...DATA]
    if (!judged.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    return exchange.response?.json === undefined ? undefined : otherCharset(exchange)
  },
)

/**
 * Every consent and data 2xx. Fails: Cache-Control lets shared caches store what they answer to whoever has the address
 * (RFC 9111 3.5: public or s-maxage), and Vary does not name Authorization.
 */
rule(
  'GEN-27/not-shared',
  'No shared cache may keep the data of a customer for others',
  { endpoints: [...CONSENTS, ...DATA] },
  (exchange) => {
    if (![...CONSENTS, ...DATA].includes(exchange.endpoint) || !succeeded(exchange))
      return undefined
    const directives = directivesOf(exchange)
    const has = (...names: string[]) => names.some((name) => directives.includes(name))
    if (!has('public', 's-maxage') || has('no-store', 'private', 'no-cache')) return []
    if (/authorization|\*/i.test(header(exchange, 'vary') ?? '')) return []
    // What is old at once is asked for again.
    if (/max-?age\s*=\s*"?0\b/i.test(header(exchange, 'cache-control') ?? '')) return []
    const message = 'shared caches may store the answer'
    return [{ message, expected: 'no public and no s-maxage', actual: directives.join(', ') }]
  },
)

rule(
  'GEN-28/recorded',
  'How soon the bank accepts requests that name a new client, consent or token is recorded',
  { endpoints: ['token', ...CONSENTS, ...DATA] },
  (exchange, { observe }) => {
    const { deviation, soon } = exchange.about
    const judged = ['token', ...CONSENTS, ...DATA].includes(exchange.endpoint)
    if (!judged || deviation !== undefined || !succeeded(exchange)) return undefined
    if (soon) {
      observe('seconds until what is new was accepted', soon.seconds.toFixed(1))
    }
    return []
  },
)

/** Every answer of these endpoints, including errors, with a JSON body. Fails: an object has a name twice. */
rule(
  'GEN-17/unique-names',
  'No object of a JSON response has two members of the same name',
  { endpoints: ['discovery', 'jwks', 'registration', 'token', ...CONSENTS, ...DATA] },
  (exchange) => {
    const judged = ['discovery', 'jwks', 'registration', 'token', ...CONSENTS, ...DATA]
    if (!judged.includes(exchange.endpoint)) return undefined
    return namesOnce(exchange)
  },
)
