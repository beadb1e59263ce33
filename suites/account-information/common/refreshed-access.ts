import type { Approval } from '../../../engine/suite-api/consents.ts'
import { refreshed } from '../../../engine/suite-api/flow.ts'

/**
 * Goes on with an access token that comes of a refresh: what a consent allows is the same. False where
 * the bank gives none, which other checks judge.
 */
export async function goOnRefreshed(approval: Approval): Promise<boolean> {
  const held = await approval.tokens()
  if (held.refreshToken === undefined) return false
  const grant = { grant_type: 'refresh_token', refresh_token: held.refreshToken } as const
  const tokens = refreshed(held, await approval.tpp.token(grant))
  if (tokens) approval.use(tokens)
  return tokens !== undefined
}
