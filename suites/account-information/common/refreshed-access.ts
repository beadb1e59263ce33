import type { Approval } from '../../../engine/suite-api/consents.ts'

/**
 * Goes on with an access token that comes of a refresh: what a consent allows is the same. False where
 * the bank gives none, which other checks judge.
 */
export async function goOnRefreshed(approval: Approval): Promise<boolean> {
  const { refreshToken } = await approval.tokens()
  return refreshToken !== undefined && (await approval.refresh()).tokens !== undefined
}
