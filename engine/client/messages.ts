import { isObject } from '../record/json.ts'
import { percentEncoded } from '../record/percent.ts'
import type { Retry } from '../wire/retry-after.ts'
import type { WireMessage } from '../wire/wire.ts'
import { type JwtDeviation, merged } from './jwt.ts'

/** What every message may carry for rules; the bank never sees it. */
export interface Told extends Pick<WireMessage, 'about' | 'timeout' | 'newConnection'> {
  /**
   * false: temporary answers (429, 503 and their like) are judged as they come, without a retry; `not-429`: the same for
   * 429 only. Default: retry.
   */
  retry?: Retry
  /** The fault of this message, in words. */
  deviation?: string
}

interface PostDeviation extends Told {
  /** null sends none. */
  contentType?: string | null
  headers?: Record<string, string | undefined>
  /** Changes the spelling of all header names. */
  headerNames?: (name: string) => string
  /** Sent instead of the registration JWT or of the form. */
  body?: string
  identity?: string
  method?: string
}

export interface RegistrationDeviation extends PostDeviation {
  jwt?: JwtDeviation
  /** null omits it. */
  softwareStatement?: string | null | ((statement: string) => string)
}

export interface TokenDeviation extends PostDeviation {
  assertion?: JwtDeviation
  /** Form fields; undefined removes one. */
  form?: Record<string, string | undefined>
  /** Changes the spelling of the form. */
  respelled?: (text: string) => string
  /** Sends the form as the query of the address, and an empty body; by GET no body. */
  inTheQuery?: true
  authentication?: Authentication
}

export interface AuthorisationDeviation {
  requestObject?: JwtDeviation
  /** Query parameters; undefined removes one. */
  query?: Record<string, string | undefined>
  /** Changes the spelling of the query. */
  respelled?: (text: string) => string
}

/** One request to the authorisation endpoint, and the values with which its answer must be compared. */
export interface AuthorisationRequest {
  url: string
  state: string
  nonce: string
  redirectUri: string
  consentId: string
  requestObject: string
}

/** The grants that the document refers to, with the fields of its token request. */
export type Grant =
  | { grant_type: 'client_credentials'; scope?: string }
  | { grant_type: 'authorization_code'; code: string; redirect_uri: string }
  | { grant_type: 'refresh_token'; refresh_token: string }

/** "Must be the JWT-bearer assertion type URN". */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** How the client authenticates; private_key_jwt is correct, the others are deviations. */
export type Authentication =
  | 'private_key_jwt'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'none'

export function tokenForm(message: {
  grant: Grant
  clientId: string
  /** Only called for private_key_jwt. */
  assertion: () => string
  authentication: Authentication
  clientSecret: string
  over: Record<string, string | undefined> | undefined
}): string {
  const { grant, clientId, clientSecret, authentication, over } = message
  const authenticated: Record<Authentication, () => Record<string, string>> = {
    private_key_jwt: () => ({
      client_id: clientId,
      client_assertion_type: JWT_BEARER,
      client_assertion: message.assertion(),
    }),
    client_secret_post: () => ({ client_id: clientId, client_secret: clientSecret }),
    client_secret_basic: () => ({}),
    none: () => ({ client_id: clientId }),
  }
  const form = merged({ ...grant, ...authenticated[authentication]() }, over)
  return new URLSearchParams(form as Record<string, string>).toString()
}

/** The Authorization header of client_secret_basic. */
export function basic(clientId: string, clientSecret: string): string {
  const pair = `${percentEncoded(clientId)}:${percentEncoded(clientSecret)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/** What a bank stores for a client: the members that messages need, and the rest unchanged. */
export interface RegisteredClient {
  client_id: string
  redirect_uris: string[]
  scope?: string
  client_secret?: string
  [member: string]: unknown
}

/**
 * Reads a registration response leniently: the client's own values replace whatever it lacks, except the client_id.
 *
 * @throws TypeError when there is no client_id to continue with.
 */
export function registeredClient(json: unknown): RegisteredClient {
  const { client_id, redirect_uris, scope, client_secret, ...rest } = isObject(json) ? json : {}
  if (typeof client_id !== 'string' || client_id === '') {
    throw new TypeError('the registration response has no client_id')
  }
  return {
    ...rest,
    client_id,
    redirect_uris: Array.isArray(redirect_uris)
      ? redirect_uris.filter((uri): uri is string => typeof uri === 'string' && URL.canParse(uri))
      : [],
    ...(typeof scope === 'string' && { scope }),
    ...(typeof client_secret === 'string' && { client_secret }),
  }
}
