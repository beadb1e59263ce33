import type { Addresses, TargetDocument } from './target.ts'

/**
 * Where each operation of the documents stands, as absolute URLs without a trailing slash. A URL is
 * empty where the target gives no address for it: then it declares that part absent.
 */
export interface Endpoints {
  discovery: string
  registration: string
  authorisation: string
  token: string
  /** Below it: /account-access-consents, /accounts, /balances, /transactions. */
  aisp: string
  /**
   * Whole URLs of /funds-confirmation-consents, most likely first. The document gives three
   * addresses: below /cbpii, below /aisp/cbpii, and the sample request below /aisp.
   */
  cbpii: { create: string[]; delete: string[] }
  /** The list itself: …/consumer-credit-cards. */
  products: string
}

export type Layout = 'production' | 'sandbox'

const VERSION = '/open-banking/v3.1'
const WELL_KNOWN = '/.well-known/openid-configuration'

/** Production when any production placeholder is there; the sandbox has none of them. */
export function layoutOf(addresses: Addresses): Layout {
  const production = addresses.base_url ?? addresses.auth_url ?? addresses.discovery_url
  const sandbox =
    addresses.sandbox_api_url ??
    addresses.sandbox_discovery_url ??
    addresses.sandbox_registration_url ??
    addresses.sandbox_token_url
  return production === undefined && sandbox !== undefined ? 'sandbox' : 'production'
}

/**
 * Resolves the placeholders of the document's table "Addresses" into the URLs of its table
 * "Endpoints".
 */
export function endpointsOf(document: TargetDocument): Endpoints {
  const { addresses, fundsConfirmation } = document
  const overrides = addresses.overrides ?? {}
  const shown = layoutOf(addresses) === 'sandbox' ? sandbox(addresses) : production(addresses)
  const aisp = trimmed(overrides.aisp) ?? shown.aisp
  const cbpii = trimmed(overrides.cbpii)
  const candidates = fundsConfirmationCandidates(aisp, cbpii)
  const products =
    trimmed(overrides.products) ?? below(addresses.product_api_url, '/open-banking/v1')
  return {
    discovery: trimmed(overrides.discovery) ?? shown.discovery,
    registration: trimmed(overrides.registration) ?? shown.registration,
    authorisation: trimmed(overrides.authorisation) ?? shown.authorisation,
    token: trimmed(overrides.token) ?? shown.token,
    aisp,
    cbpii: {
      create: named(aisp, fundsConfirmation?.create) ?? candidates,
      delete: named(aisp, fundsConfirmation?.delete) ?? candidates,
    },
    products: products === '' ? '' : `${products}/consumer-credit-cards`,
  }
}

type Shown = Pick<Endpoints, 'discovery' | 'registration' | 'authorisation' | 'token' | 'aisp'>

function production(addresses: Addresses): Shown {
  return {
    discovery: below(addresses.discovery_url, WELL_KNOWN),
    registration: below(addresses.base_url, '/open-banking/oauth/register'),
    authorisation: below(addresses.auth_url, '/authorize'),
    token: below(addresses.base_url, '/open-banking/oauth/token'),
    aisp: below(addresses.base_url, `${VERSION}/aisp`),
  }
}

/** "{sandbox_registration_url} … served on port 4501", "{sandbox_token_url} … on port 4201". */
function sandbox(addresses: Addresses): Shown {
  return {
    discovery: below(addresses.sandbox_discovery_url, WELL_KNOWN),
    registration: below(
      onPort(addresses.sandbox_registration_url, 4501),
      '/dynamic-client-registration/v3.1/register',
    ),
    authorisation: below(addresses.sandbox_discovery_url, '/auth'),
    token: below(onPort(addresses.sandbox_token_url, 4201), '/token'),
    // The document shows no path below {sandbox_api_url}: "A sandbox mirrors production."
    aisp: below(addresses.sandbox_api_url, `${VERSION}/aisp`),
  }
}

function fundsConfirmationCandidates(aisp: string, cbpii: string | undefined): string[] {
  if (cbpii !== undefined) return [`${cbpii}/funds-confirmation-consents`]
  if (aisp === '') return []
  const version = aisp.endsWith('/aisp') ? aisp.slice(0, -'/aisp'.length) : aisp
  return [
    `${version}/cbpii/funds-confirmation-consents`,
    `${aisp}/cbpii/funds-confirmation-consents`,
    `${aisp}/funds-confirmation-consents`,
  ]
}

/** A path that the target names: below the address of consent endpoints, or a whole URL. */
function named(aisp: string, path: string | undefined): string[] | undefined {
  if (path === undefined) return undefined
  if (URL.canParse(path)) return [path]
  return [`${aisp}${path.startsWith('/') ? '' : '/'}${path}`]
}

function below(address: string | undefined, path: string): string {
  return address === undefined ? '' : `${address.replace(/\/+$/, '')}${path}`
}

function trimmed(address: string | undefined): string | undefined {
  return address?.replace(/\/+$/, '')
}

/** Adds the documented port to an address that names none. */
function onPort(address: string | undefined, port: number): string | undefined {
  if (address === undefined || !URL.canParse(address)) return address
  if (/^[a-z]+:\/\/[^/]*:\d+/i.test(address)) return address
  const url = new URL(address)
  url.port = String(port)
  return url.href
}
