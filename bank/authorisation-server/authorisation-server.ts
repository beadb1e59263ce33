import { randomBytes } from 'node:crypto'
import type { Configuration, JWK, Provider as ProviderType } from 'oidc-provider'
import { certificateOf } from '../listeners/transport.ts'
import { problemPage } from '../pages/problem.ts'
import type { Services } from '../state/services.ts'
import { checkIntent, checkRequestObject, checkTokenRequest } from './authorisation-rules.ts'
import { fetchKeySets } from './key-sets.ts'
import { interactionPolicy, Provider } from './oidc-provider.ts'
import { apiScopes, clientMetadata } from './registered.ts'

type Claims = Record<string, unknown>

/** The authorisation server: FAPI 1.0 Advanced hybrid flow on oidc-provider. */
export function createAuthorisationServer(
  services: Omit<Services, 'provider'>,
  shadowed: boolean,
): ProviderType {
  const { settings, endpoints, records, customers, keys, policies } = services
  const configuration: Configuration = {
    adapter: records.adapter,
    jwks: {
      keys: keys.map(
        ({ key, kid }) =>
          ({ ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'PS256' }) as JWK,
      ),
    },
    scopes: ['openid', ...apiScopes],
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'acr', 'auth_time', 'openbanking_intent_id'] },
    acrValues: ['urn:openbanking:psd2:sca', 'urn:openbanking:psd2:ca'],
    responseTypes: ['code id_token'],
    clientAuthMethods: ['private_key_jwt'],
    clockTolerance: settings.clockTolerance,
    routes: {
      authorization: endpoints.paths.authorisation,
      token: endpoints.paths.token,
      jwks: '/jwks',
    },
    clientDefaults: {
      grant_types: ['authorization_code'],
      response_types: ['code id_token'],
      id_token_signed_response_alg: 'PS256',
      token_endpoint_auth_method: 'private_key_jwt',
    },
    enabledJWA: {
      idTokenSigningAlgValues: ['PS256'],
      requestObjectSigningAlgValues: ['PS256'],
      clientAuthSigningAlgValues: ['PS256'],
    },
    extraClientMetadata: { properties: clientMetadata },
    features: featuresOf(services),
    assertJwtClientAuthClaimsAndHeader: async (ctx, claims, header) =>
      checkTokenRequest(services, ctx, claims as Claims, header as Claims),
    interactions: { policy: alwaysAsk(), url: (_ctx, visit) => `/interaction/${visit.uid}` },
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined
    },
    findAccount: (_ctx, id) => {
      if (!customers.some((customer) => customer.id === id)) return undefined
      return {
        accountId: id,
        claims: (_use, _scope, claims) => {
          const wanted = claims.openbanking_intent_id as { value?: string } | null | undefined
          const intent = policies.idTokenClaims(wanted?.value)
          return { sub: id, ...intent }
        },
      }
    },
    expiresWithSession: async () => false,
    rotateRefreshToken: settings.refreshTokens === 'rotated',
    issueRefreshToken: async (_ctx, client) =>
      settings.refreshTokens !== 'none' && client.grantTypeAllowed('refresh_token'),
    ttl: {
      AccessToken: settings.accessTokenLifetime,
      AuthorizationCode: settings.codeLifetime,
      ClientCredentials: settings.clientTokenLifetime,
      RefreshToken: settings.refreshTokenLifetime,
      IdToken: settings.idTokenLifetime,
      Grant: settings.refreshTokenLifetime,
      Interaction: 3600,
      Session: 3600,
    },
    allowOmittingSingleRegisteredRedirectUri: false,
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      short: { signed: true },
      long: { signed: true },
    },
    fetch: fetchKeySets(services, shadowed),
    renderError: (ctx, out) => {
      problemPage(ctx, out.error, out.error_description)
    },
  }
  return new Provider(endpoints.issuer, configuration)
}

/** Which features of oidc-provider are on and off. */
function featuresOf(services: Omit<Services, 'provider'>): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    // No listener serves it. It is on because a request object may lawfully ask for it in `claims`; the bank ignores
    // that.
    userinfo: { enabled: true },
    rpInitiatedLogout: { enabled: false },
    resourceIndicators: { enabled: false },
    clientCredentials: { enabled: true },
    requestObjects: {
      enabled: true,
      requireSignedRequestObject: true,
      assertJwtClaimsAndHeader: async (ctx, claims) =>
        checkRequestObject(services, ctx, claims as Claims),
    },
    claimsParameter: {
      enabled: true,
      assertClaimsParameter: async (ctx, claims) => checkIntent(services, ctx, { claims }),
    },
    fapi: { enabled: true, profile: '1.0 Final' },
    mTLS: {
      enabled: true,
      certificateBoundAccessTokens: services.settings.certificateBoundTokens,
      getCertificate: (ctx) => certificateOf(services.settings, ctx.req),
    },
  }
}

/** Every authorisation is shown to the customer, also when the customer approved an earlier one. */
function alwaysAsk() {
  const { Check, Prompt } = interactionPolicy
  const policy = interactionPolicy.base()
  for (const name of ['login', 'consent']) policy.remove(name)
  const unanswered = new Check(
    'approval',
    'the customer has not approved this request',
    (ctx) => !ctx.oidc.result?.consent?.grantId,
  )
  policy.add(new Prompt({ name: 'login', requestable: true }))
  policy.add(new Prompt({ name: 'consent', requestable: true }, unanswered))
  return policy
}
