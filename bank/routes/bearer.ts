import type { Context } from 'koa'
import type { AccessToken, ClientCredentials } from 'oidc-provider'
import { Refused } from '../listeners/refusals.ts'
import type { Services } from '../state/services.ts'
import { stateOf } from '../state/state.ts'

/** The value of `Authorization: Bearer …`. Refuses when there is none. */
function bearerOf(ctx: Context): string {
  const header = ctx.get('authorization')
  if (header === '') throw new Refused('token-missing')
  const value = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1]
  if (!value) throw new Refused('token-invalid')
  return value
}

async function check<Token extends AccessToken | ClientCredentials>(
  ctx: Context,
  { provider, policies }: Pick<Services, 'provider' | 'policies'>,
  token: Token | undefined,
  scope: string,
): Promise<Token> {
  const client = token?.clientId ? await provider.Client.find(token.clientId) : undefined
  if (!token || !client) throw new Refused('token-invalid')
  const { transport } = stateOf(ctx)
  const bound = policies.tokenBoundTo(token['x5t#S256'], transport)
  if (!bound || !policies.transportBelongsTo(transport, String(client.org_id))) {
    throw new Refused('token-other-client')
  }
  if (!policies.scopeSuffices(token.scopes, scope)) throw new Refused('scope')
  return token
}

/** "Consent management uses an access token from a client_credentials grant." */
export async function clientToken(
  ctx: Context,
  services: Pick<Services, 'provider' | 'policies'>,
  scope: string,
): Promise<ClientCredentials> {
  const token = await services.provider.ClientCredentials.find(bearerOf(ctx))
  return check(ctx, services, token, scope)
}

/** "Data access uses an access token from an authorization_code grant." */
export async function customerToken(
  ctx: Context,
  services: Pick<Services, 'provider' | 'policies'>,
  scope: string,
): Promise<AccessToken> {
  const token = await services.provider.AccessToken.find(bearerOf(ctx))
  return check(ctx, services, token, scope)
}
