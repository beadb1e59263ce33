import type { CallEndpoint } from '../client/call.ts'

/** A path of the documents, as an operation and the id in it. */
export interface Route {
  endpoint: CallEndpoint
  subject?: string
}

const COLLECTIONS: Record<string, CallEndpoint> = {
  'POST /account-access-consents': 'create-account-access-consent',
  'POST /funds-confirmation-consents': 'create-funds-confirmation-consent',
  'GET /accounts': 'accounts',
  'GET /balances': 'balances',
  'GET /transactions': 'transactions',
}

const ITEMS: [RegExp, CallEndpoint][] = [
  [/^GET \/account-access-consents\/([^/]+)$/, 'query-account-access-consent'],
  [/^DELETE \/account-access-consents\/([^/]+)$/, 'delete-account-access-consent'],
  [/^DELETE \/funds-confirmation-consents\/([^/]+)$/, 'delete-funds-confirmation-consent'],
  [/^GET \/accounts\/([^/]+)$/, 'account'],
  [/^GET \/accounts\/([^/]+)\/balances$/, 'account-balances'],
  [/^GET \/accounts\/([^/]+)\/transactions$/, 'account-transactions'],
]

/** The operation behind a method and a path of the endpoints table; `elsewhere` for any other. */
export function routeOf(method: string, path: string): Route {
  const line = `${method} ${path}`
  const collection = COLLECTIONS[line]
  if (collection) return { endpoint: collection }
  for (const [pattern, endpoint] of ITEMS) {
    const subject = pattern.exec(line)?.[1]
    if (subject !== undefined) return { endpoint, subject: decodeURIComponent(subject) }
  }
  return { endpoint: 'elsewhere' }
}

/** Does the operation need an access token from the client_credentials grant? */
export function isManagement(path: string): boolean {
  return /^\/(account-access-consents|funds-confirmation-consents)(\/|$)/.test(path)
}
