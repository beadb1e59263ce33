import { randomBytes } from 'node:crypto'
import type { Target, TargetClient } from '../configuration/resolve.ts'
import { urlOf } from './call.ts'
import { type BankFacts, requestObjectClaims } from './claims.ts'
import { jwt, merged, type Signer } from './jwt.ts'
import type { AuthorisationDeviation, AuthorisationRequest } from './messages.ts'

/** The content of an authorisation request; absent members are random or have the usual value. */
export interface AuthorisationMessage {
  consentId: string
  scope?: string
  redirectUri?: string
  state?: string
  nonce?: string
}

/**
 * Lifetime of a request object in seconds: longer where a person must open the link. The shorter one stays below five
 * minutes with a minute of tolerance on both sides, also where iat has a fraction: some banks allow no more.
 */
const LIFETIME = { attended: 3500, unattended: 170 }

const drawn = () => randomBytes(16).toString('base64url')

/** A request to the authorisation endpoint with a signed request object. */
export function authorisationRequest(
  by: { clientId: string; client: TargetClient; signer: Signer; facts: BankFacts; target: Target },
  message: AuthorisationMessage & { redirectUri: string },
  deviation: AuthorisationDeviation,
): AuthorisationRequest {
  const { client, target } = by
  const { consentId, redirectUri, state = drawn(), nonce = drawn() } = message
  const lifetime = target.attended ? LIFETIME.attended : LIFETIME.unattended
  const parameters = {
    response_type: 'code id_token',
    client_id: by.clientId,
    redirect_uri: redirectUri,
    scope: message.scope ?? `openid ${client.scopes.accounts}`,
    state,
  }
  const intent = { [target.intentClaim]: { value: consentId, essential: true } }
  const claims = requestObjectClaims(client, by.facts, lifetime, { ...parameters, nonce }, intent)
  const requestObject = jwt(claims, by.signer, deviation.requestObject)
  const query = merged({ ...parameters, request: requestObject }, deviation.query)
  const url = urlOf('authorisation', target.endpoints, {
    query: query as Record<string, string>,
    ...(deviation.respelled && { respelled: deviation.respelled }),
  })
  return { url, state, nonce, redirectUri, consentId, requestObject }
}
