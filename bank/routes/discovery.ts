import type { Context } from 'koa'
import { bindsTokens } from '../authorisation-server.ts'
import type { Inside } from '../inside.ts'
import { grantTypes } from '../registered.ts'

/**
 * What the library answers as the configuration, put right: the endpoints have listeners of their
 * own, implicit is no grant of the token endpoint, and answers go by fragment alone.
 */
export function mendDiscovery(ctx: Context, { places, settings }: Inside): void {
  const document: Record<string, unknown> = {
    ...(ctx.body as Record<string, unknown>),
    authorization_endpoint: places.authorisation,
    token_endpoint: places.token,
    registration_endpoint: places.registration,
    jwks_uri: places.jwks,
    grant_types_supported: grantTypes,
    response_modes_supported: ['fragment'],
    tls_client_certificate_bound_access_tokens: bindsTokens(settings),
    ...settings.discovery,
  }
  ctx.body = document
}
