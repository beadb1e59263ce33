import { pathOf } from './queries.ts'

/** Endpoints as the documents write them. */
const NAMES: Record<string, string> = {
  discovery: 'GET /.well-known/openid-configuration',
  jwks: 'GET the keys of the bank',
  registration: 'POST /register',
  authorisation: 'GET /authorize',
  token: 'POST /token',
  'create-account-access-consent': 'POST /account-access-consents',
  'query-account-access-consent': 'GET /account-access-consents/{ConsentId}',
  'delete-account-access-consent': 'DELETE /account-access-consents/{ConsentId}',
  'create-funds-confirmation-consent': 'POST /funds-confirmation-consents',
  'delete-funds-confirmation-consent': 'DELETE /funds-confirmation-consents/{ConsentId}',
  accounts: 'GET /accounts',
  account: 'GET /accounts/{AccountId}',
  balances: 'GET /balances',
  'account-balances': 'GET /accounts/{AccountId}/balances',
  transactions: 'GET /transactions',
  'account-transactions': 'GET /accounts/{AccountId}/transactions',
  products: 'GET /products',
}

/** A path segment that names a resource, not a customer's session, account or consent. */
const NAMING = /^(?:\.?[a-z]{1,20}(?:[-_.][a-z]{1,20}){0,4}|v\d{1,2}(?:\.\d{1,2}){0,2}|)$/

/**
 * The endpoint of an exchange for a reader. If it is not in the documents, its path without the segments that identify
 * a customer: addresses of a visit may contain the value of a cookie.
 */
export function endpointName(endpoint: string, request: Named): string {
  const name = NAMES[endpoint]
  if (name !== undefined) return name
  const { method, url, headers = [] } = request
  const cookies = headers.filter(([header]) => header.toLowerCase() === 'cookie')
  const values = cookies.flatMap(([, value]) => value.split(/[=;]/)).map((value) => value.trim())
  const segments = pathOf(url)
    .replace(/[?#].*/s, '')
    .split('/')
  const named = (segment: string) => NAMING.test(segment) && !(segment && values.includes(segment))
  return `${method} ${segments.map((one) => (named(one) ? one : '{…}')).join('/')}`
}

interface Named {
  method: string
  url: string
  headers?: [string, string][]
}
