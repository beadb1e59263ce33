import { merged } from './jwt.ts'

/** The grants that the document refers to, with the fields of its token request. */
export type Grant =
  | { grant_type: 'client_credentials'; scope?: string }
  | { grant_type: 'authorization_code'; code: string; redirect_uri: string }
  | { grant_type: 'refresh_token'; refresh_token: string }

/** "Must be the JWT-bearer assertion type URN". */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** How the client authenticates; private_key_jwt is right, the others are deviations. */
export type Authentication =
  | 'private_key_jwt'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'none'

/** The form of a token request. */
export function tokenForm(message: {
  grant: Grant
  clientId: string
  /** Made when private_key_jwt is used. */
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
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
