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
 * What a bank may choose without replacing a policy. `Alteration.settings` overrides the defaults
 * below, member by member; an unknown member is an error.
 */
export interface Settings {
  /** Which half of the document's address table the bank serves. Default production. */
  layout: 'production' | 'sandbox'
  /** Fixed ports of single listeners; the others take base port + n, or a free one. */
  ports: Partial<Record<ListenerName, number>>

  /**
   * Behind a gateway: the addresses at which it serves the listeners, which speak plain HTTP then
   * (bank/listeners/gateway.ts). Default none: the bank ends TLS itself.
   */
  gateway: Partial<Record<ListenerName, string>>

  /** Lowest and highest TLS version of every HTTPS listener. */
  tlsMinVersion: 'TLSv1.2' | 'TLSv1.3'
  tlsMaxVersion: 'TLSv1.2' | 'TLSv1.3'
  /**
   * Do the HTTPS listeners resume each other's TLS sessions, as behind one gateway with one set of ticket keys? One that
   * began without a certificate is resumed where one is required, then. Default false.
   */
  sharedTlsSessions: boolean
  /**
   * How a missing or wrong transport certificate is refused: while the connection is made, or by
   * status 401 afterwards. With a token endpoint that asks for no certificate on the same listener
   * as the API, always by status.
   */
  tlsRefusal: 'handshake' | 'status'
  /** Does the token endpoint ask for a transport certificate? Default true. */
  tokenEndpointMtls: boolean
  /** Does the product interface ask for one? Default false. */
  productsMtls: boolean
  /** Does the configuration ask for one, and the bank's JWKS beside it? Default false. */
  discoveryMtls: boolean
  /**
   * Are access tokens bound to the transport certificate (RFC 8705)? Default true. Whether a client
   * may speak through another organisation's certificate is the policy `transportBelongsTo`.
   */
  certificateBoundTokens: boolean

  /** Seconds. */
  accessTokenLifetime: number
  clientTokenLifetime: number
  refreshTokenLifetime: number
  codeLifetime: number
  idTokenLifetime: number
  /** Seconds by which clocks of TPPs may differ. */
  clockTolerance: number
  /** Whether an authorization_code grant yields a refresh token, and whether using it replaces it. */
  refreshTokens: 'issued' | 'rotated' | 'none'
  idTokenInTokenResponse: boolean
  tokenTypeInResponse: boolean

  /** Keys published in the JWKS; the bank signs with the first. */
  jwksKeys: number
  /** More members of the discovery document, or other values; undefined removes one. */
  discovery: Record<string, unknown>
  /**
   * What a refusal may rest on: a sentence of the documents or a clause that they lean on, or FAPI 1.0
   * Advanced 5.2.2 as well (a request object has nbf, and exp at most 60 minutes later).
   */
  strict: 'documents' | 'fapi'

  /** `immediate`: /authorize redirects to the forms' own address; `forms` shows them at once. */
  loginPage: 'forms' | 'immediate'
  /** Milliseconds before every answer. */
  responseDelayMs: number
  /** Requests without the customer present: at most `threshold` in `window` seconds per client. */
  rateLimit: { threshold: number; window: number; retryAfter: boolean }
  /** Days after which a consent must be re-confirmed. */
  reconfirmationDays: number

  /** Limits on what customers have: cards each, and transactions on each card. */
  data: { accounts?: number; transactions?: number }
  /** Path of funds confirmation consents below /open-banking/v3.1, or paths, and whether DELETE differs. */
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

/** The defaults with each layer of overrides applied in turn; throws on an unknown setting. */
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
