/** Names of the listeners; which of them a layout starts is in bank/listeners/endpoints.ts. */
export type ListenerName =
  | 'api'
  | 'authorisation'
  | 'discovery'
  | 'products'
  | 'registration'
  | 'token'
  | 'operator'

/**
 * What a bank may choose without replacing a policy. `Alteration.settings` overrides the defaults below, member by
 * member. An unknown member is an error.
 */
export interface Settings {
  /** Which half of the document's address table the bank serves. Default production. */
  layout: 'production' | 'sandbox'
  /** Fixed ports of single listeners. The others use base port + n, or a free port. */
  ports: Partial<Record<ListenerName, number>>

  /**
   * Behind a gateway: the addresses at which it serves the listeners, which then speak plain HTTP
   * (bank/listeners/gateway.ts). Default none: the bank ends TLS itself.
   */
  gateway: Partial<Record<ListenerName, string>>

  /** Lowest and highest TLS version of every HTTPS listener. */
  tlsMinVersion: 'TLSv1.2' | 'TLSv1.3'
  tlsMaxVersion: 'TLSv1.2' | 'TLSv1.3'
  /**
   * Can a TLS session of one HTTPS listener be resumed at another, as behind one gateway with one set of ticket keys?
   * If so, a session that began without a certificate can be resumed where one is required. Default false.
   */
  sharedTlsSessions: boolean
  /**
   * How a missing or wrong transport certificate is refused: during the handshake, or with status 401 afterwards. If
   * the token endpoint asks for no certificate and shares a listener with the API, always with the status.
   */
  tlsRefusal: 'handshake' | 'status'
  /** Does the token endpoint ask for a transport certificate? Default true. */
  tokenEndpointMtls: boolean
  /** Does the product interface ask for a transport certificate? Default false. */
  productsMtls: boolean
  /** Do the configuration and the bank's JWKS ask for a transport certificate? Default false. */
  discoveryMtls: boolean
  /**
   * Are access tokens bound to the transport certificate (RFC 8705)? Default true. Whether a client may use another
   * organisation's certificate is decided by the policy `transportBelongsTo`.
   */
  certificateBoundTokens: boolean

  /** Seconds. */
  accessTokenLifetime: number
  clientTokenLifetime: number
  refreshTokenLifetime: number
  codeLifetime: number
  idTokenLifetime: number
  /** Tolerance for the clocks of TPPs, in seconds. */
  clockTolerance: number
  /** Does an authorization_code grant yield a refresh token, and does using it replace it? */
  refreshTokens: 'issued' | 'rotated' | 'none'
  idTokenInTokenResponse: boolean
  tokenTypeInResponse: boolean

  /** Number of keys in the JWKS. The bank signs with the first. */
  jwksKeys: number
  /** The issuer; `{discovery_url}` is the address below which the configuration is served, and the default. */
  issuer: string
  /** Additional members of the discovery document, or other values; undefined removes a member. */
  discovery: Record<string, unknown>
  /**
   * What a refusal may be based on: a sentence of the documents or a clause that they refer to, or also FAPI 1.0
   * Advanced
   * 5.2.2 (a request object has nbf, and exp at most 60 minutes later).
   */
  strict: 'documents' | 'fapi'

  /** `immediate`: /authorize redirects to the address of the login form; `forms`: it answers with the form itself. */
  loginPage: 'forms' | 'immediate'
  /** Delay of every answer in milliseconds. */
  responseDelayMs: number
  /** Requests without the customer present: at most `threshold` in `window` seconds per client. */
  rateLimit: { threshold: number; window: number; retryAfter: boolean }
  /** Days after which a consent must be re-confirmed. */
  reconfirmationDays: number

  /** Limits on what customers have: cards each, and transactions on each card. */
  data: { accounts?: number; transactions?: number }
  /** Path or paths of funds confirmation consents below /open-banking/v3.1; DELETE may use other ones. */
  fundsConfirmationPaths: Record<'create' | 'delete', string | string[]>
}

export const defaults: Settings = {
  layout: 'production',
  ports: {},
  gateway: {},
  tlsMinVersion: 'TLSv1.2',
  tlsMaxVersion: 'TLSv1.3',
  sharedTlsSessions: false,
  tlsRefusal: 'handshake',
  tokenEndpointMtls: true,
  productsMtls: false,
  discoveryMtls: false,
  certificateBoundTokens: true,
  accessTokenLifetime: 3600,
  clientTokenLifetime: 3600,
  refreshTokenLifetime: 90 * 86_400,
  codeLifetime: 60,
  idTokenLifetime: 600,
  clockTolerance: 10,
  refreshTokens: 'issued',
  idTokenInTokenResponse: true,
  tokenTypeInResponse: true,
  jwksKeys: 1,
  issuer: '{discovery_url}',
  discovery: {},
  strict: 'documents',
  loginPage: 'immediate',
  responseDelayMs: 0,
  rateLimit: { threshold: 60, window: 60, retryAfter: true },
  reconfirmationDays: 90,
  data: {},
  fundsConfirmationPaths: {
    create: 'cbpii/funds-confirmation-consents',
    delete: ['cbpii/funds-confirmation-consents', 'aisp/funds-confirmation-consents'],
  },
}

/** The defaults with each layer of overrides applied in order. Throws on an unknown setting. */
export function settingsFrom(...layers: (Record<string, unknown> | undefined)[]): Settings {
  const settings: Record<string, unknown> = { ...defaults }
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer ?? {})) {
      if (!(name in defaults)) throw new TypeError(`unknown setting of the bank: ${name}`)
      const before = settings[name]
      settings[name] = isRecord(before) && isRecord(value) ? { ...before, ...value } : value
    }
  }
  return settings as unknown as Settings
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
