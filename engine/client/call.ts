import { randomUUID } from 'node:crypto'
import type { Endpoints } from '../configuration/addresses.ts'
import { percentDecoded, percentEncoded } from '../record/percent.ts'
import type { Endpoint } from '../wire/exchange.ts'

/** Operations that `call` can send: those without their own kind of body. */
export type CallEndpoint = Exclude<Endpoint, 'registration' | 'token'>

export interface CallOptions {
  /** AccountId or ConsentId in the path. */
  subject?: string
  /** Spelling of the subject in the path; default: fully percent-encoded. */
  segment?: string
  /** Query parameters; an undefined value omits one, an array repeats it. */
  query?: Record<string, string | string[] | undefined>
  /** Changes the spelling of the query. */
  respelled?: (text: string) => string
  /** JSON of the request body; a string is sent unchanged. */
  body?: unknown
  /** Access token; null or absent: no Authorization header. */
  bearer?: string | null
  /** Headers that replace the documented ones, with names compared without case; undefined removes one. */
  headers?: Record<string, string | undefined>
  /** Changes the spelling of all header names. */
  headerNames?: (name: string) => string
  /** Client certificate that is offered; default: the client's own where the document requires mutual TLS. */
  identity?: string
  method?: string
  /** Path below the address of the endpoint's family, or a complete URL, instead of the documented path. */
  path?: string
  /** If not false, x-fapi-customer-ip-address is sent: "signals that the customer is present". */
  customerPresent?: boolean
}

/** The operations of the endpoints table, as the documents write them; `{subject}` is replaced. */
const DOCUMENTED: Partial<Record<CallEndpoint, string>> = {
  'create-account-access-consent': 'POST /account-access-consents',
  'query-account-access-consent': 'GET /account-access-consents/{subject}',
  'delete-account-access-consent': 'DELETE /account-access-consents/{subject}',
  'create-funds-confirmation-consent': 'POST /funds-confirmation-consents',
  'delete-funds-confirmation-consent': 'DELETE /funds-confirmation-consents/{subject}',
  accounts: 'GET /accounts',
  account: 'GET /accounts/{subject}',
  balances: 'GET /balances',
  'account-balances': 'GET /accounts/{subject}/balances',
  transactions: 'GET /transactions',
  'account-transactions': 'GET /accounts/{subject}/transactions',
}

/** The path of an operation below the address of its family, as in the document: `/accounts/{AccountId}`. */
export function documentedPath(endpoint: CallEndpoint): string {
  const subject = endpoint.endsWith('-consent') ? '{ConsentId}' : '{AccountId}'
  return DOCUMENTED[endpoint]?.replace(/^\w+ /, '').replace('{subject}', subject) ?? ''
}

const PATTERNS = Object.entries(DOCUMENTED).map(([endpoint, line]) => ({
  endpoint: endpoint as CallEndpoint,
  pattern: new RegExp(`^${line.replace('{subject}', '([^/]+)')}$`),
}))

/** The operation for a method and path of the endpoints table; `elsewhere` for any other. */
export function routeOf(
  method: string,
  path: string,
): { endpoint: CallEndpoint; subject?: string; segment?: string } {
  for (const { endpoint, pattern } of PATTERNS) {
    const found = pattern.exec(`${method} ${path}`)
    if (!found) continue
    const [, segment] = found
    return { endpoint, ...(segment !== undefined && { subject: percentDecoded(segment), segment }) }
  }
  return { endpoint: 'elsewhere' }
}

/** True if the document serves this operation over mutual TLS. */
export function overMutualTls(endpoint: CallEndpoint): boolean {
  return endpoint in DOCUMENTED
}

export function methodOf(endpoint: CallEndpoint): string {
  return DOCUMENTED[endpoint]?.split(' ')[0] ?? 'GET'
}

/**
 * URL of an operation, with its subject and query.
 *
 * @throws TypeError when the path needs a subject and none is given, or when the endpoint has no address except the one
 *   in `path` (jwks, elsewhere).
 */
export function urlOf(endpoint: CallEndpoint, endpoints: Endpoints, options: CallOptions): string {
  const url = address(endpoint, endpoints, options)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(options.query ?? {})) {
    for (const one of value === undefined ? [] : [value].flat()) query.append(name, one)
  }
  // RFC 3986 encodes a space as %20 in a query; only forms use +.
  const text = query.toString().replaceAll('+', '%20')
  if (text === '') return url
  const { respelled = (same: string) => same } = options
  return `${url}${url.includes('?') ? '&' : '?'}${respelled(text)}`
}

function address(endpoint: CallEndpoint, endpoints: Endpoints, options: CallOptions): string {
  const { path, subject, segment } = options
  if (path !== undefined && /^https?:/i.test(path)) return path
  const base = baseOf(endpoint, endpoints)
  if (base === undefined) throw new TypeError(`${endpoint} needs a whole URL in path`)
  // Funds confirmation consents have their own complete addresses.
  const documented = DOCUMENTED[endpoint]?.replace(/^\w+ (\/funds-confirmation-consents)?/, '')
  const template = path ?? documented ?? ''
  if (!template.includes('{subject}')) return `${base}${template}`
  if (subject === undefined) throw new TypeError(`${endpoint} needs a subject`)
  return `${base}${template.replace('{subject}', () => segment ?? percentEncoded(subject))}`
}

function baseOf(endpoint: CallEndpoint, endpoints: Endpoints): string | undefined {
  const { discovery, authorisation, products, cbpii, aisp } = endpoints
  const bases: Partial<Record<CallEndpoint, string | undefined>> = {
    ...{ discovery, authorisation, products, jwks: undefined, elsewhere: undefined },
    'create-funds-confirmation-consent': cbpii.create[0],
    'delete-funds-confirmation-consent': cbpii.delete[0],
  }
  return endpoint in bases ? bases[endpoint] : aisp
}

/** A documentation address (RFC 5737), for a customer who is present. */
const CUSTOMER_ADDRESS = '203.0.113.7'

/**
 * The headers that the documents name for an operation, with the caller's changes, and x-fapi-interaction-id, by which
 * a bank can find a request again (GEN-20 omits it).
 */
export function headersOf(
  endpoint: CallEndpoint,
  method: string,
  options: CallOptions,
): [string, string][] {
  const { bearer, body, customerPresent } = options
  const json = 'application/json'
  const products = endpoint === 'products'
  const own = {
    Authorization: typeof bearer === 'string' ? `Bearer ${bearer}` : undefined,
    ...(products && { 'Content-Type': json }),
    Accept: json,
    ...(!products && (method === 'POST' || body !== undefined) && { 'Content-Type': json }),
    ...(overMutualTls(endpoint) && {
      'x-fapi-interaction-id': randomUUID(),
      'x-fapi-customer-ip-address': customerPresent === false ? undefined : CUSTOMER_ADDRESS,
    }),
  }
  return withHeaders(own, options.headers, options.headerNames)
}

/** Merges headers; names are compared without case, undefined removes one, and `spelled` spells all names. */
export function withHeaders(
  own: Record<string, string | undefined>,
  over: Record<string, string | undefined> = {},
  spelled = (name: string) => name,
): [string, string][] {
  const headers = new Map<string, [string, string | undefined]>()
  for (const [name, value] of [...Object.entries(own).filter(hasValue), ...Object.entries(over)]) {
    headers.set(name.toLowerCase(), [spelled(name), value])
  }
  return [...headers.values()].filter(hasValue)
}

function hasValue(header: [string, string | undefined]): header is [string, string] {
  return header[1] !== undefined
}
