import Router from '@koa/router'
import type { Context } from 'koa'
import type {
  AllClientMetadata,
  Client as ClientType,
  Provider,
  RegistrationAccessToken,
} from 'oidc-provider'
import { apiScopes, grantTypes } from '../authorisation-server/registered.ts'
import {
  claimsOf,
  createProver,
  metadata,
  RegistrationRefused,
  refuse,
} from '../authorisation-server/registration-proof.ts'
import type { Advertised, RegistrationRefusal } from '../policies/registration.ts'
import type { Services } from '../state/services.ts'
import { stateOf } from '../state/state.ts'

type Claims = Record<string, unknown>
type RegistrationServices = Omit<Services, 'consents' | 'customers' | 'visitors' | 'secret'>

const advertised: Advertised = {
  grantTypes,
  responseTypes: ['code id_token'],
  scopes: ['openid', ...apiScopes],
  authMethods: ['private_key_jwt'],
  signingAlgorithms: ['PS256'],
}

/** Registration, and the refusal of client management. */
export function registrationRoutes(services: RegistrationServices): Router {
  const { policies, endpoints } = services
  const router = new Router({ sensitive: true })
  const { softwareStatement, proveSender } = createProver(services)

  router.post(endpoints.paths.registration, async (ctx) => {
    ctx.set('cache-control', 'no-store')
    ctx.set('pragma', 'no-cache')
    if (!policies.registrationMediaType(ctx.request.type.toLowerCase())) {
      const description = 'the content type must be application/jwt'
      const detail = `${description}, not ${ctx.request.type || 'none'}`
      stateOf(ctx).refusal = { reason: 'media-type', detail }
      ctx.status = 415
      ctx.body = bodyOf({ error: 'invalid_client_metadata', description })
      return
    }
    try {
      ctx.body = policies.registrationView(await register(ctx))
      ctx.status = 201
    } catch (thrown) {
      if (!(thrown instanceof RegistrationRefused)) throw thrown
      const { error, description } = thrown.refusal
      stateOf(ctx).refusal = { reason: error, detail: description }
      ctx.status = 400
      ctx.body = bodyOf(thrown.refusal)
    }
  })

  // "Client management (reading, updating or deleting a registration) is not supported."
  router.all(`${endpoints.paths.registration}/:clientId`, (ctx) => {
    ctx.status = 405
    ctx.set('allow', '')
    ctx.body = { error: 'invalid_request', error_description: 'client management is not supported' }
  })

  async function register(ctx: Context): Promise<Claims> {
    const { body, transport } = stateOf(ctx)
    const claims = claimsOf(body.trim(), 'the body')
    if (typeof claims.software_statement !== 'string') {
      const description = 'software_statement is missing'
      throw refuse({ error: 'invalid_software_statement', description })
    }
    const statement = await softwareStatement(claims.software_statement, transport.organisationId)
    await proveSender(body.trim(), claims, statement)
    const stated = statement.software_redirect_uris as string[]
    const requested = requestedUris(claims.redirect_uris)
    if (requested && !policies.redirectUrisAcceptable(requested, stated)) {
      const description = 'redirect_uris are not among those of the software statement'
      throw refuse({ error: 'invalid_redirect_uri', description })
    }
    const reason = policies.registrationValueRefusal(claims, advertised)
    if (reason) throw metadata(reason)
    return store(services, claims, statement, policies.redirectUrisStored(requested, stated))
  }

  return router
}

/** Stores the client that a registration asks for. Returns the answer to the TPP. */
async function store(
  { policies, endpoints, provider, records, settings }: RegistrationServices,
  claims: Claims,
  statement: Claims,
  redirectUris: string[],
): Promise<Claims> {
  const wanted = typeof claims.scope === 'string' ? claims.scope.split(' ') : advertised.scopes
  const roles = Array.isArray(statement.software_roles) ? statement.software_roles.map(String) : []
  const grants = (claims.grant_types as string[] | undefined) ?? advertised.grantTypes
  const stored = policies.grantTypesStored(grants)
  const usesCodes = stored.includes('authorization_code')
  const clientId = policies.clientIdFor(statement)
  const values = {
    client_id: clientId,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    client_name: statement.software_client_name ?? statement.software_id,
    redirect_uris: redirectUris,
    grant_types: stored,
    response_types: usesCodes ? ['code id_token'] : [],
    scope: policies.scopesStored(wanted, roles).join(' '),
    jwks_uri: statement.software_jwks_endpoint,
    application_type: 'web',
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'PS256',
    request_object_signing_alg: 'PS256',
    id_token_signed_response_alg: 'PS256',
    tls_client_certificate_bound_access_tokens: settings.certificateBoundTokens,
    software_id: statement.software_id,
    software_client_name: statement.software_client_name,
    software_on_behalf_of: statement.software_on_behalf_of,
    org_id: statement.org_id,
    org_name: statement.org_name,
  }
  // OpenID Connect requires the implicit grant for a response type with an ID token. It is not a grant type of the
  // token endpoint, so the answer leaves it out.
  const all = usesCodes ? [...new Set([...stored, 'implicit'])] : stored
  const known = { ...values, grant_types: all }
  const client = accepted(provider, known as AllClientMetadata)
  await records.adapter('Client').upsert(clientId, client.metadata(), 0)
  const Token = provider.RegistrationAccessToken as unknown as new (of: {
    clientId: string
  }) => RegistrationAccessToken
  const token = new Token({ clientId })
  return {
    ...values,
    registration_access_token: await token.save(),
    registration_client_uri: `${endpoints.registration}/${clientId}`,
  }
}

/** Validates the metadata with the library. Its types lack what its documentation describes. */
function accepted(provider: Provider, known: AllClientMetadata) {
  const Client = provider.Client as unknown as new (values: AllClientMetadata) => ClientType
  try {
    return new Client(known)
  } catch (thrown) {
    const { error, error_description: words } = thrown as {
      error?: string
      error_description?: string
    }
    if (error === 'invalid_redirect_uri') {
      throw refuse({ error, description: words ?? 'redirect_uris are not acceptable' })
    }
    if (error === 'invalid_client_metadata') throw metadata(words ?? 'not acceptable')
    throw thrown
  }
}

const bodyOf = ({ error, description }: RegistrationRefusal) => ({
  error,
  error_description: description,
})

/** `redirect_uris` of the request; absent means all those of the statement. */
function requestedUris(value: unknown): string[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((uri) => typeof uri === 'string')) return value
  throw refuse({ error: 'invalid_redirect_uri', description: 'redirect_uris is not an array' })
}
