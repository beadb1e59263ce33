import { check } from '../../../engine/suite-api/check.ts'
import type { Approval } from '../../../engine/suite-api/consents.ts'
import { expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { type Visit, visitEnd } from '../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import type { Exchange } from '../../../engine/suite-api/responses.ts'
import { codeOfAnotherClient, everything, reconfirmed } from '../../consents.ts'
import {
  confirmedForOne,
  listsOf,
  listsOfOne,
  ONE_AGAIN,
  requireOpen,
} from '../../ended-consents.ts'
import { numberOf } from '../common/data/account-comparisons.ts'
import { lackingSecondAccount } from '../common/data/asked-account.ts'
import {
  accountIdsIn,
  firstRead,
  pathOf,
  requireAccountIds,
  requireRows,
} from '../common/data/data-reads.ts'
import { expectNothingForeign } from '../common/data/foreign-account.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { approvedAfterTries } from '../common/tokens/codes.ts'
import { goOnRefreshed } from '../common/tokens/refreshed-access.ts'

/** A consent for one of several accounts. Requirements: specs/account-information/accounts.yaml */

/** @param visits at which the customer chose. */
function expectOneAccount(
  approval: Approval,
  lists: Awaited<ReturnType<typeof listsOf>>,
  visits: Visit[] = [approval.visit],
): void {
  for (const { path, answer } of lists) {
    const ids = accountIdsIn(requireRows(answer, readOwner(approval, path)))
    if (ids.length <= 1) continue
    if (!visits.some(({ pages }) => pages.some(({ offered = 0 }) => offered > 1))) {
      throw new NotApplicable('the bank, or the driver, shows no choice of accounts')
    }
    expectThat(false, {
      message: `${ids.length} accounts are shown, and the customer chose one`,
      expected: 'one AccountId',
      actual: `${ids.length} AccountIds`,
      exchange: answer,
    })
  }
}

/**
 * The customer selects one of several accounts. The access token from a refresh
 * shows no other account either. Not applicable where the bank offers no choice.
 */
check(
  'ACC-21/selected',
  'Where the customer chose one account for a consent, its lists show that one and no other',
  {
    uses: [everything, codeOfAnotherClient],
    follows: ['BAL-03/of-the-consent', 'TXN-03/of-the-consent'],
  },
  async (context) => {
    const approval = await approvedAfterTries(context)
    await listsOfOne(context)
    const whole = await requireAccountIds(await context.approved(everything))
    if (whole.length < 2) lackingSecondAccount(context, 'a customer with two accounts')
    expectOneAccount(approval, await listsOfOne(context))
    if (await goOnRefreshed(approval)) expectOneAccount(approval, await listsOf(approval))
  },
)

check(
  'ACC-21/re-confirmed',
  'Where a consent for one account is re-confirmed for one account, its lists show one and no other',
  {
    uses: [everything, reconfirmed, codeOfAnotherClient],
    spends: codeOfAnotherClient,
    grants: [ONE_AGAIN],
    follows: [
      'ACC-21/selected',
      'BAL-03/of-the-consent',
      'TXN-03/of-the-consent',
      'AUTHZ-14/authorised',
      'AUTHZ-30/other-customer',
    ],
  },
  async (context) => {
    const { approval, visit, answer, lists } = await confirmedForOne(context)
    relyOnConfirmed(visit, answer)
    const whole = await requireAccountIds(await context.approved(everything))
    if (whole.length < 2) lackingSecondAccount(context, 'a customer with two accounts')
    expectOneAccount(approval, lists, [approval.visit, visit])
  },
)

/** Whether a consent can be re-confirmed and then gives data is judged by AUTHZ-16. */
function relyOnConfirmed(visit: Visit, answer: Exchange | undefined): void {
  const id = 'AUTHZ-16/one-account'
  if (visit.kind !== 'granted') blockBy(id, `the visit ended with ${visitEnd(visit)}`, visit.last)
  if (answer) relyOn(id, answer).toSucceed()
}

const SINGLE = ['', '/balances', '/transactions'] as const

/**
 * Asks with the AccountIds that the customer's other consent shows for the accounts that were not chosen. Under this
 * consent they give nothing, whether or not ids differ per consent. The card number tells which account was chosen.
 */
check(
  'ACC-21/not-beyond',
  'Where the customer chose one account for a consent, the addresses of the others give nothing',
  {
    uses: [everything, codeOfAnotherClient],
    follows: [
      'ACC-21/selected',
      'ACC-13/unknown-id',
      'SEC-07/account',
      'SEC-07/balances',
      'SEC-07/transactions',
    ],
  },
  async (context) => {
    const whole = await context.approved(everything)
    const approval = await approvedAfterTries(context)
    await requireOpen(context, approval)
    expectOneAccount(approval, await listsOf(approval))
    const read = async (one: Approval) =>
      requireRows(await firstRead(one, '/accounts'), readOwner(one, '/accounts'))
    const own = await read(approval)
    const chosen = own.map(numberOf)
    const others = (await read(whole)).filter((row) => !chosen.includes(numberOf(row)))
    if (chosen.includes(undefined) || others.length === 0) {
      throw new NotApplicable('no account can be told from the one that was chosen')
    }
    const ids = accountIdsIn(own)
    const deviation = 'an AccountId of another consent of the customer'
    for (const id of accountIdsIn(others)) {
      for (const tail of SINGLE) {
        const path = pathOf(id, tail)
        relyOn(readOwner(whole, path), await whole.get(path)).toSucceed()
        expectNothingForeign(
          await approval.get(path, { deviation }),
          ids,
          'an account that was not chosen',
        )
      }
    }
  },
)
