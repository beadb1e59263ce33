import type { Context } from 'koa'
import type { Consent } from '../state/consents.ts'
import { stateOf } from '../state/state.ts'

/** Who sent a request with an access token, as far as the token shows it. */
export interface TokenInfo {
  /** Name of the TPP in the directory. */
  client: 'first' | 'second'
  clientId: string
  /** Present when the token was issued for a consent. */
  consent?: Consent
  /** Does the token come from a refresh_token grant? */
  refreshed: boolean
  scopes: string[]
}

/**
 * Looks up the access token of a request, valid or not: for alterations that take effect only for one client, under one
 * consent or after a refresh. Undefined when the bank never issued the token.
 */
export function tokenInfoOf(ctx: Context): TokenInfo | undefined {
  const { records, consents, directory } = stateOf(ctx).bank.services
  const value = ctx.get('authorization').replace(/^Bearer +/i, '')
  const token = records.peek('AccessToken', value) ?? records.peek('ClientCredentials', value)
  if (!token?.clientId) return undefined
  const consent = token.grantId ? consents.ofGrant(token.grantId) : undefined
  const owner = records.peek('Client', token.clientId)
  return {
    client: owner?.org_id === directory.clients.second.organisationId ? 'second' : 'first',
    clientId: token.clientId,
    refreshed: String(token.gty ?? '').endsWith('refresh_token'),
    scopes: String(token.scope ?? '').split(' '),
    ...(consent ? { consent } : {}),
  }
}
