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

/** The endpoint of an exchange for a reader; the path where the documents have none. */
export function endpointName(endpoint: string, request: { method: string; url: string }): string {
  return NAMES[endpoint] ?? `${request.method} ${pathOf(request.url).replace(/[?#].*/s, '')}`
}
