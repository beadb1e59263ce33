import { type CheckOptions, type Context, check } from '../../../../engine/suite-api/check.ts'
import { basicCredits, noAccounts, secondClient } from '../../../consents.ts'
import { type Ended, revoked, revokedForSecond } from '../../../ended-consents.ts'
import { OWNERS } from '../../../owners.ts'

/** Options of the checks about the revocation of “basic credits”. */
export const REVOKED = {
  uses: [basicCredits],
  spends: basicCredits,
  needs: ['hooks.customer-revokes'],
} as const

/** The same of “second client”. For a target with one customer, that consent is deleted at the end. */
const OF_SECOND = {
  uses: [noAccounts, secondClient],
  needs: ['clients.second', 'customers.second', 'hooks.customer-revokes'],
  last: true,
} as const

/** A consent that its customer revoked, and the checks that judge its queries before and after. */
export interface Revocation extends Ended {
  owners: { before: string; after: string }
}

type Named = readonly [id: string, title: string, options?: Pick<CheckOptions, 'needs' | 'follows'>]

/**
 * Defines two checks with one body: about a consent of the first client that its customer revokes, and about one of
 * the second client. The second check follows the first.
 */
export function revocationChecks(
  [id, title, { needs = [], follows = [] } = {}]: Named,
  [ownId, ownTitle, own = {}]: Named,
  body: (revocation: Revocation, context: Context) => Promise<void> | void,
): void {
  const options = { ...REVOKED, needs: [...REVOKED.needs, ...needs], follows }
  check(id, title, options, async (context) => {
    const owners = { before: OWNERS.query, after: 'CLC-10/sees-revoked' }
    await body({ ...(await revoked(context)), owners }, context)
  })
  const ofSecond = { ...OF_SECOND, follows: [id, ...(own.follows ?? [])] }
  check(ownId, ownTitle, ofSecond, async (context: Context<(typeof OF_SECOND.uses)[number]>) => {
    const owners = { before: 'CONS-22/after-approval', after: 'CLC-10/second-client' }
    await body({ ...(await revokedForSecond(context)), owners }, context)
  })
}
