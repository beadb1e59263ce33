import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Approval, NamedConsent } from '../../../../engine/suite-api/consents.ts'
import { requireValue } from '../../../../engine/suite-api/flow.ts'

/**
 * Continues with an access token that comes of a refresh: what a consent allows is the same. False where
 * the bank gives none, which other checks judge.
 */
export async function goOnRefreshed(approval: Approval): Promise<boolean> {
  const { refreshToken } = await approval.tokens()
  return refreshToken !== undefined && (await approval.refresh()).tokens !== undefined
}

/**
 * The refresh token that an approval holds by now, once a refresh token of it gave an access token. Where each
 * takes the place of the one before, an earlier one would be refused for that alone.
 *
 * @throws Blocked or NotApplicable where none gave one
 */
export async function newestRefreshToken<Named extends NamedConsent>(
  { steps, approved }: Context<Named>,
  named: Named,
): Promise<string> {
  requireValue(await steps.refresh(named))
  return (await (await approved(named)).tokens()).refreshToken ?? ''
}
