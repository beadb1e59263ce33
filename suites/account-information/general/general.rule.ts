import { matchers } from '../../../engine/suite-api/expect.ts'
import { header, notJson, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { namesOnce } from '../../names-once.ts'
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

/** Every answer of these endpoints, including errors, with a JSON body. Fails: an object has a name twice. */
rule(
  'GEN-17/unique-names',
  'No object of a JSON response has two members of one name',
  { endpoints: ['discovery', 'jwks', 'registration', 'token', ...CONSENTS, ...DATA] },
  (exchange) => {
    const judged = ['discovery', 'jwks', 'registration', 'token', ...CONSENTS, ...DATA]
    if (!judged.includes(exchange.endpoint)) return undefined
    return namesOnce(exchange)
  },
)
