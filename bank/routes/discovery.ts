import type { Context } from 'koa'
import { grantTypes } from '../authorisation-server/registered.ts'
import type { Services } from '../state/services.ts'

/**
 * Corrects the configuration that the library returns: the endpoints have listeners of their own, implicit is not a
 * grant type of the token endpoint, and answers use fragment only, without the issuer (RFC 9207), which the documents
 * do not mention.
 */
export function mendDiscovery(
  ctx: Context,
  { endpoints, settings }: Pick<Services, 'endpoints' | 'settings'>,
): void {
  const {
    userinfo_endpoint: _,
    authorization_response_iss_parameter_supported: __,
    ...described
  } = ctx.body as Record<string, unknown>
  const document: Record<string, unknown> = {
    ...described,
    authorization_endpoint: endpoints.authorisation,
    token_endpoint: endpoints.token,
    registration_endpoint: endpoints.registration,
    jwks_uri: endpoints.jwks,
    grant_types_supported: grantTypes,
    response_modes_supported: ['fragment'],
    tls_client_certificate_bound_access_tokens: settings.certificateBoundTokens,
    ...settings.discovery,
  }
  ctx.body = document
}
