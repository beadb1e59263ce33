import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Approval, NamedConsent } from '../../../../engine/suite-api/consents.ts'
import { requireValue } from '../../../../engine/suite-api/flow.ts'

/**
 * Continues with an access token from a refresh; the consent allows
 * the same. False where the bank gives none, which other checks judge.
 */
export async function goOnRefreshed(approval: Approval): Promise<boolean> {
  const { refreshToken } = await approval.tokens()
  return refreshToken !== undefined && (await approval.refresh()).tokens !== undefined
}

/**
 * The newest refresh token of an approval, after a refresh has given an access token.
 * With rotation, an earlier one would be refused only because it is not the newest.
 *
 * @throws Blocked or NotApplicable where no refresh gave one
 */
export async function newestRefreshToken<Named extends NamedConsent>(
  { steps, approved }: Context<Named>,
  named: Named,
): Promise<string> {
  requireValue(await steps.refresh(named))
  return (await (await approved(named)).tokens()).refreshToken ?? ''
}
