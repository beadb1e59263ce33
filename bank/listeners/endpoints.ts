import type { ListenerName, Settings } from '../state/settings.ts'

/** What a listener serves. */
export type Role = 'api' | 'registration' | 'token' | 'authorisation' | 'discovery' | 'products'

export interface Listener {
  name: Exclude<ListenerName, 'operator'>
  roles: Role[]
  /** Does it request a transport certificate? */
  mutual: boolean
}

/** The paths that differ between the two halves of the document's address table. */
export interface Paths {
  registration: string
  authorisation: string
  token: string
}

/** Absolute addresses of the endpoints, without a slash at the end. */
export interface Endpoints {
  /** Address of the listener for each role. */
  at: Record<Role, string>
  paths: Paths
  issuer: string
  registration: string
  authorisation: string
  token: string
  jwks: string
}

const production: Listener[] = [
  { name: 'api', roles: ['api', 'registration', 'token'], mutual: true },
  { name: 'authorisation', roles: ['authorisation'], mutual: false },
  { name: 'discovery', roles: ['discovery'], mutual: false },
  { name: 'products', roles: ['products'], mutual: false },
]

const sandbox: Listener[] = [
  { name: 'api', roles: ['api'], mutual: true },
  { name: 'registration', roles: ['registration'], mutual: true },
  { name: 'token', roles: ['token'], mutual: true },
  { name: 'discovery', roles: ['discovery', 'authorisation'], mutual: false },
  { name: 'products', roles: ['products'], mutual: false },
]

/** The listeners of a layout, in the order of their ports. */
export function listenersOf(settings: Settings): Listener[] {
  const { layout, tokenEndpointMtls, productsMtls, discoveryMtls } = settings
  const asking: Partial<Record<ListenerName, boolean>> = {
    token: tokenEndpointMtls,
    products: productsMtls,
    ...(discoveryMtls && { discovery: true }),
  }
  return (layout === 'production' ? production : sandbox).map((listener) => ({
    ...listener,
    mutual: asking[listener.name] ?? listener.mutual,
  }))
}

/** `gateway` of the settings: the first listener at the address, the others at the following ports. */
export function gatewayAt(settings: Settings, address: string): Settings['gateway'] {
  const { protocol, hostname, port } = new URL(address)
  const first = Number(port || 443)
  return Object.fromEntries(
    listenersOf(settings).map(({ name }, index) => [
      name,
      new URL(`${protocol}//${hostname}:${first + index}`).origin,
    ]),
  )
}

export function pathsOf({ layout }: Settings): Paths {
  if (layout === 'sandbox') {
    return {
      registration: '/dynamic-client-registration/v3.1/register',
      authorisation: '/auth',
      token: '/token',
    }
  }
  return {
    registration: '/open-banking/oauth/register',
    authorisation: '/authorize',
    token: '/open-banking/oauth/token',
  }
}

/** Path below which consent and data endpoints are. */
export const versionPath = '/open-banking/v3.1'
export const aispPath = `${versionPath}/aisp`

/** Builds the addresses; `origin` returns the address of a listener. */
export function endpointsOf(settings: Settings, origin: (name: ListenerName) => string): Endpoints {
  const paths = pathsOf(settings)
  const at = {} as Record<Role, string>
  for (const { name, roles } of listenersOf(settings)) {
    for (const role of roles) at[role] = origin(name)
  }
  return {
    at,
    paths,
    issuer: settings.issuer.replace('{discovery_url}', at.discovery),
    registration: `${at.registration}${paths.registration}`,
    authorisation: `${at.authorisation}${paths.authorisation}`,
    token: `${at.token}${paths.token}`,
    jwks: `${at.discovery}/jwks`,
  }
}

/** `addresses` of a target: the placeholders of the document. */
export function placeholdersOf(settings: Settings, endpoints: Endpoints): Record<string, string> {
  const { at } = endpoints
  if (settings.layout === 'sandbox') {
    return {
      sandbox_discovery_url: at.discovery,
      sandbox_api_url: at.api,
      sandbox_registration_url: at.registration,
      sandbox_token_url: at.token,
      product_api_url: at.products,
    }
  }
  return {
    base_url: at.api,
    auth_url: at.authorisation,
    discovery_url: at.discovery,
    product_api_url: at.products,
  }
}
