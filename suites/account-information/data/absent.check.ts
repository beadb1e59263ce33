import { check } from '../../../engine/suite-api/check.ts'
import { relyOn } from '../../../engine/suite-api/expect.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, refused, succeeded } from '../../../engine/suite-api/responses.ts'
import { accountsOnly, everything, noAccounts, WITH_TRANSACTIONS } from '../../consents.ts'
import { approvalOf } from '../common/consents/optional-consents.ts'
import { absentReads, lessWhileAbsent } from '../common/data/absent-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { expectNone, relyOnSteadyRows } from '../common/data/transaction-readings.ts'

/** Data while the customer is absent. Requirements: specs/account-information/data.yaml */

check(
  'DATA-08/absent',
  'While the customer is absent a token gets what it gets while the customer is present',
  {
    uses: [everything],
    over: [...WITH_TRANSACTIONS, accountsOnly],
    follows: ['ACC-20/basic-hides-card', 'ACC-04/second-call'],
  },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    let compared = 0
    for (const { path, before, absent, after } of await absentReads(approval)) {
      // Whether balances need a permission for accounts as well is open.
      if (consent === noAccounts && path === '/balances' && refused(before)) continue
      relyOn(readOwner(approval, path), before).toSucceed()
      if (absent.response?.status === 429) continue
      if (!succeeded(absent)) {
        // What is also refused while the customer is present, or to another token, has another reason.
        if (bearerOf(after) !== bearerOf(absent)) continue
        relyOn(readOwner(approval, path), after).toSucceed()
        relyOn('RATE-05/with-and-without', absent).toSucceed()
      }
      compared += 1
    }
    const wrong = await lessWhileAbsent(approval)
    if (wrong) await relyOnSteadyRows(approval)
    expectNone(wrong)
    if (compared === 0) {
      throw new NotApplicable('the rate limit of the bank leaves no request without the customer')
    }
  },
)

const bearerOf = ({ request }: Exchange) =>
  request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1]
