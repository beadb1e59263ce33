import { answerOf, type Exchange, header, member } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'

/** Errors of all endpoints. Requirements: specs/account-information/errors.yaml */

rule('ERR-01/no-5xx', 'No request is answered with a server error', {}, (exchange) => {
  const { response, request } = exchange
  if (!ofThisInterface(exchange) || !response) return undefined
  if (response.status < 500) return []
  // RFC 9110 15.6.2: 501 is the answer to an unknown method.
  if (response.status === 501 && request.method !== METHODS[exchange.endpoint]) return undefined
  const actual = String(response.status)
  const where = `${request.method} ${exchange.endpoint}`
  return [{ message: `${where} answered ${actual}`, expected: 'a status below 500', actual }]
})

/**
 * Records the shape of every 4xx and 5xx of this interface, per endpoint: open banking (Code
 * and Errors), OAuth (error), problem (RFC 9457), other JSON, HTML, other, empty; never fails.
 */
rule(
  'ERR-02/recorded',
  'The shape of error bodies is recorded',
  { unseen: 'no request was answered with an error' },
  (exchange, { observe }) => {
    if (!ofThisInterface(exchange) || (exchange.response?.status ?? 0) < 400) return undefined
    observe(`shape of error bodies of ${exchange.endpoint}`, shapeOf(exchange))
    return []
  },
)

rule(
  'ERR-06/recorded',
  'The answer to each wrong request is recorded',
  { unseen: 'no wrong request was sent', failures: true },
  (exchange, { observe }) => {
    const { deviation } = exchange.about
    if (deviation === undefined || !ofThisInterface(exchange)) return undefined
    observe(`answer of ${exchange.endpoint} to ${deviation}`, answerOf(exchange))
    return []
  },
)

/** The methods of the table of endpoints. Pages of a visit and other addresses are not in it. */
const METHODS: Partial<Record<Exchange['endpoint'], string>> = {
  discovery: 'GET',
  jwks: 'GET',
  registration: 'POST',
  authorisation: 'GET',
  token: 'POST',
  'create-account-access-consent': 'POST',
  'query-account-access-consent': 'GET',
  'delete-account-access-consent': 'DELETE',
  'create-funds-confirmation-consent': 'POST',
  'delete-funds-confirmation-consent': 'DELETE',
  accounts: 'GET',
  account: 'GET',
  balances: 'GET',
  'account-balances': 'GET',
  transactions: 'GET',
  'account-transactions': 'GET',
}

function ofThisInterface({ endpoint, about }: Exchange): boolean {
  return endpoint !== 'products' && !about.check?.startsWith('PROD-')
}

function shapeOf(exchange: Exchange): string {
  const { bytes, json } = exchange.response ?? {}
  if (bytes === 0) return 'empty'
  if (json === undefined)
    return /html/i.test(header(exchange, 'content-type') ?? '') ? 'HTML' : 'other'
  if (member(json, 'Code') !== undefined && Array.isArray(member(json, 'Errors'))) {
    return 'open banking (Code, Errors)'
  }
  if (/problem\+json/i.test(header(exchange, 'content-type') ?? '')) return 'problem (RFC 9457)'
  return typeof member(json, 'error') === 'string' ? 'OAuth (error)' : 'other JSON'
}
