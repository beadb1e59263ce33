import { randomUUID } from 'node:crypto'
import type { Endpoints } from '../configuration/addresses.ts'
import type { Endpoint } from '../wire/exchange.ts'

/** Operations that carry no body of their own form: those that `call` can send. */
export type CallEndpoint = Exclude<Endpoint, 'registration' | 'token'>

export interface CallOptions {
  /** AccountId or ConsentId in the path. */
  subject?: string
  /** Query parameters; an undefined value leaves one out, an array repeats it. */
  query?: Record<string, string | string[] | undefined>
  /** JSON of the request body; a string is sent as it is. */
  body?: unknown
  /** Access token; null or absent: no Authorization header. */
  bearer?: string | null
  /** Headers over the documented ones, names compared without case; undefined removes one. */
  headers?: Record<string, string | undefined>
  /** Client certificate that is offered; the client's own where the document asks for mutual TLS. */
  identity?: string
  method?: string
  /** Path below the address of the endpoint's family, or a whole URL, instead of the documented. */
  path?: string
  /** Whether x-fapi-customer-ip-address is sent: "signals that the customer is present". */
  customerPresent?: boolean
}

interface Operation {
  method: string
  /** {subject} is replaced. */
  path: string
  mutual: boolean
}

const CONSENT = '/account-access-consents'

const OPERATIONS: Record<CallEndpoint, Operation> = {
  discovery: { method: 'GET', path: '', mutual: false },
  jwks: { method: 'GET', path: '', mutual: false },
  authorisation: { method: 'GET', path: '', mutual: false },
  products: { method: 'GET', path: '', mutual: false },
  elsewhere: { method: 'GET', path: '', mutual: false },
  'create-account-access-consent': { method: 'POST', path: CONSENT, mutual: true },
  'query-account-access-consent': { method: 'GET', path: `${CONSENT}/{subject}`, mutual: true },
  'delete-account-access-consent': { method: 'DELETE', path: `${CONSENT}/{subject}`, mutual: true },
  'create-funds-confirmation-consent': { method: 'POST', path: '', mutual: true },
  'delete-funds-confirmation-consent': { method: 'DELETE', path: '/{subject}', mutual: true },
  accounts: { method: 'GET', path: '/accounts', mutual: true },
  account: { method: 'GET', path: '/accounts/{subject}', mutual: true },
  balances: { method: 'GET', path: '/balances', mutual: true },
  'account-balances': { method: 'GET', path: '/accounts/{subject}/balances', mutual: true },
  transactions: { method: 'GET', path: '/transactions', mutual: true },
  'account-transactions': { method: 'GET', path: '/accounts/{subject}/transactions', mutual: true },
}

/** Whether the document serves this operation over mutual TLS. */
export function overMutualTls(endpoint: CallEndpoint): boolean {
  return OPERATIONS[endpoint].mutual
}

export function methodOf(endpoint: CallEndpoint): string {
  return OPERATIONS[endpoint].method
}

/**
 * URL of an operation, its subject and query in place.
 *
 * @throws TypeError when the path needs a subject and none is given, or when the endpoint has no
 * address but the one in `path` (jwks, elsewhere).
 */
export function urlOf(endpoint: CallEndpoint, endpoints: Endpoints, options: CallOptions): string {
  const url = address(endpoint, endpoints, options)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(options.query ?? {})) {
    for (const one of value === undefined ? [] : [value].flat()) query.append(name, one)
  }
  // RFC 3986 spells a space %20 in a query; only forms spell it +.
  const text = query.toString().replaceAll('+', '%20')
  if (text === '') return url
  return `${url}${url.includes('?') ? '&' : '?'}${text}`
}

function address(endpoint: CallEndpoint, endpoints: Endpoints, options: CallOptions): string {
  const { path, subject } = options
  if (path !== undefined && /^https?:/i.test(path)) return path
  const template = path ?? OPERATIONS[endpoint].path
  const base = baseOf(endpoint, endpoints)
  if (base === undefined) throw new TypeError(`${endpoint} needs a whole URL in path`)
  if (!template.includes('{subject}')) return `${base}${template}`
  if (subject === undefined) throw new TypeError(`${endpoint} needs a subject`)
  return `${base}${template.replace('{subject}', () => encodeURIComponent(subject))}`
}

function baseOf(endpoint: CallEndpoint, endpoints: Endpoints): string | undefined {
  switch (endpoint) {
    case 'discovery':
      return endpoints.discovery
    case 'authorisation':
      return endpoints.authorisation
    case 'products':
      return endpoints.products
    case 'create-funds-confirmation-consent':
      return endpoints.cbpii.create[0]
    case 'delete-funds-confirmation-consent':
      return endpoints.cbpii.delete[0]
    case 'jwks':
    case 'elsewhere':
      return undefined
    default:
      return endpoints.aisp
  }
}

/** An address of the range for documentation (RFC 5737): a customer who is present. */
const CUSTOMER_ADDRESS = '203.0.113.7'

/** The headers that the documents name for an operation, then the caller's changes. */
export function headersOf(
  endpoint: CallEndpoint,
  method: string,
  options: CallOptions,
): [string, string][] {
  const headers: [string, string][] = []
  if (typeof options.bearer === 'string') {
    headers.push(['Authorization', `Bearer ${options.bearer}`])
  }
  if (endpoint === 'products') headers.push(['Content-Type', 'application/json'])
  headers.push(['Accept', 'application/json'])
  if (endpoint !== 'products' && (method === 'POST' || options.body !== undefined)) {
    headers.push(['Content-Type', 'application/json'])
  }
  if (overMutualTls(endpoint)) {
    headers.push(['x-fapi-interaction-id', randomUUID()])
    if (options.customerPresent !== false) {
      headers.push(['x-fapi-customer-ip-address', CUSTOMER_ADDRESS])
    }
  }
  return withHeaders(headers, options.headers)
}

/** Headers over others, names compared without case; undefined removes one. */
export function withHeaders(
  headers: [string, string][],
  over: Record<string, string | undefined> = {},
): [string, string][] {
  let result = headers
  for (const [name, value] of Object.entries(over)) {
    const at = result.findIndex(([known]) => known.toLowerCase() === name.toLowerCase())
    const rest = result.filter((_, index) => index !== at)
    if (value !== undefined) rest.splice(at < 0 ? rest.length : at, 0, [name, value])
    result = rest
  }
  return result
}
