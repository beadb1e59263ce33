import type { Addresses, TargetDocument } from './target.ts'

/**
 * The address of each operation of the documents, as an absolute URL without a trailing slash. A URL is empty if the
 * target gives no address: it then declares that part absent.
 */
export interface Endpoints extends Record<Part, string> {
  /** Base of /account-access-consents, /accounts, /balances, /transactions. */
  aisp: string
  /**
   * Complete URLs of /funds-confirmation-consents, the most likely first. The document gives three addresses: below
   * /cbpii, below /aisp/cbpii, and the sample request below /aisp.
   */
  cbpii: { create: string[]; delete: string[] }
  /** The URL of the list: …/consumer-credit-cards. */
  products: string
}

/** Parts of the interface with their own address in the table "Endpoints". */
export type Part = 'discovery' | 'registration' | 'authorisation' | 'token' | 'aisp' | 'products'

export type Layout = 'production' | 'sandbox'

type Placeholder = Exclude<keyof Addresses, 'overrides'>

/** The placeholders that each layout needs; {product_api_url} belongs to both. */
export const PLACEHOLDERS: Record<Layout, readonly Placeholder[]> = {
  production: ['base_url', 'auth_url', 'discovery_url'],
  sandbox: [
    'sandbox_discovery_url',
    'sandbox_api_url',
    'sandbox_registration_url',
    'sandbox_token_url',
  ],
}

const WELL_KNOWN = '/.well-known/openid-configuration'
const AISP = '/open-banking/v3.1/aisp'

type Address = [below: Placeholder, path: string, port?: number]

/** The table "Endpoints": for each part, its placeholder of "Addresses" and the path below it. */
const SHOWN: Record<Layout, Record<Part, Address>> = {
  production: {
    discovery: ['discovery_url', WELL_KNOWN],
    registration: ['base_url', '/open-banking/oauth/register'],
    authorisation: ['auth_url', '/authorize'],
    token: ['base_url', '/open-banking/oauth/token'],
    aisp: ['base_url', AISP],
    products: ['product_api_url', '/open-banking/v1'],
  },
  // "{sandbox_registration_url} … served on port 4501", "{sandbox_token_url} … on port 4201".
  sandbox: {
    discovery: ['sandbox_discovery_url', WELL_KNOWN],
    registration: ['sandbox_registration_url', '/dynamic-client-registration/v3.1/register', 4501],
    authorisation: ['sandbox_discovery_url', '/auth'],
    token: ['sandbox_token_url', '/token', 4201],
    // The document shows no path below {sandbox_api_url}: "A sandbox mirrors production."
    aisp: ['sandbox_api_url', AISP],
    products: ['product_api_url', '/open-banking/v1'],
  },
}

/** Production if any production placeholder is given; the sandbox has none of them. */
export function layoutOf(addresses: Addresses): Layout {
  const has = (layout: Layout) => PLACEHOLDERS[layout].some((name) => addresses[name] !== undefined)
  return !has('production') && has('sandbox') ? 'sandbox' : 'production'
}

/** The member of a target file that gives the address of a part: `addresses.base_url`. */
export function memberOf(part: Part, addresses: Addresses): string {
  if (addresses.overrides?.[part] !== undefined) return `addresses.overrides.${part}`
  return `addresses.${SHOWN[layoutOf(addresses)][part][0]}`
}

/** The URLs of a target's endpoints. */
export function endpointsOf({ addresses, fundsConfirmation }: TargetDocument): Endpoints {
  const { overrides = {} } = addresses
  const shown = SHOWN[layoutOf(addresses)]
  const at = (part: Part) => {
    const [placeholder, path, port] = shown[part]
    const address = onPort(addresses[placeholder], port)
    return trimmed(overrides[part] ?? (address && `${trimmed(address)}${path}`) ?? '')
  }
  const aisp = at('aisp')
  const candidates = fundsConfirmationCandidates(aisp, overrides.cbpii)
  const products = at('products')
  return {
    discovery: at('discovery'),
    registration: at('registration'),
    authorisation: at('authorisation'),
    token: at('token'),
    aisp,
    cbpii: {
      create: named(aisp, fundsConfirmation?.create) ?? candidates,
      delete: named(aisp, fundsConfirmation?.delete) ?? candidates,
    },
    products: products && `${products}/consumer-credit-cards`,
  }
}

/** Placeholders that end with a path that is added to them: it would come twice. */
export function repeatedPaths(addresses: Addresses): { name: Placeholder; path: string }[] {
  const { overrides = {} } = addresses
  const parts = Object.entries(SHOWN[layoutOf(addresses)]) as [Part, Address][]
  return parts.flatMap(([part, [name, path]]) => {
    if (overrides[part] !== undefined) return []
    // A path of one step, such as /auth, may belong to the address as well.
    const telling = [path, path.replace(/\/aisp$/, '')].filter((each) => each.lastIndexOf('/') > 0)
    const found = telling.find((each) => trimmed(addresses[name] ?? '').endsWith(each))
    return found === undefined ? [] : [{ name, path: found }]
  })
}

/** Parts in the order in which their URLs are used to find the placeholders. */
const TELLING: readonly Part[] = [
  'discovery',
  'aisp',
  'token',
  'registration',
  'authorisation',
  'products',
]

/** The content of `addresses` in a target file for which its endpoints are known URLs. */
export interface StatedAddresses {
  layout: Layout
  placeholders: Partial<Record<Placeholder, string>>
  /** Complete URLs of parts that are not at the documents' paths. */
  overrides: Partial<Record<Part, string>>
}

/**
 * Derives the addresses of a bank from URLs of its endpoints: the reverse of endpointsOf.
 *
 * @param urls complete URLs; one that does not end with the path of the documents becomes an override
 * @param layout default: the layout that more of the URLs fit, production if both fit equally
 */
export function addressesFrom(
  urls: Partial<Record<Part, string>>,
  layout?: Layout,
): StatedAddresses {
  if (layout === undefined) {
    const [production, sandbox] = [
      addressesFrom(urls, 'production'),
      addressesFrom(urls, 'sandbox'),
    ]
    const count = ({ overrides }: StatedAddresses) => Object.keys(overrides).length
    return count(sandbox) < count(production) ? sandbox : production
  }
  const found: StatedAddresses = { layout, placeholders: {}, overrides: {} }
  const { placeholders, overrides } = found
  for (const part of TELLING) {
    const url = trimmed(urls[part] ?? '')
    if (url === '') continue
    const [placeholder, path, port] = SHOWN[layout][part]
    const below = url.endsWith(path) ? url.slice(0, -path.length) : undefined
    const known = placeholders[placeholder] ?? below
    if (known !== undefined && `${trimmed(onPort(known, port) ?? '')}${path}` === url) {
      placeholders[placeholder] = known
    } else overrides[part] = url
  }
  // Placeholders are required even if all their parts are elsewhere; only the API's own URL gives that of the API.
  const ofApi = urls.aisp === undefined ? SHOWN[layout].aisp[0] : undefined
  for (const [part, url] of Object.entries(overrides) as [Part, string][]) {
    const [placeholder] = SHOWN[layout][part]
    if (placeholder !== ofApi && URL.canParse(url))
      placeholders[placeholder] ??= new URL(url).origin
  }
  return found
}

function fundsConfirmationCandidates(aisp: string, cbpii: string | undefined): string[] {
  if (cbpii !== undefined) return [`${trimmed(cbpii)}/funds-confirmation-consents`]
  if (aisp === '') return []
  const version = aisp.replace(/\/aisp$/, '')
  return [`${version}/cbpii`, `${aisp}/cbpii`, aisp].map(
    (address) => `${address}/funds-confirmation-consents`,
  )
}

/** A path that the target names: below the address of consent endpoints, or a complete URL. */
function named(aisp: string, path: string | undefined): string[] | undefined {
  if (path === undefined) return undefined
  return [URL.canParse(path) ? path : `${aisp}/${path.replace(/^\//, '')}`]
}

function trimmed(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '')
}

/** Adds the documented port to an address that names none. */
function onPort(address: string | undefined, port: number | undefined): string | undefined {
  if (!port || address === undefined || !URL.canParse(address)) return address
  if (/^[a-z]+:\/\/[^/]*:\d+/i.test(address)) return address
  const url = new URL(address)
  url.port = String(port)
  return url.href
}
