import { check } from '../../../engine/suite-api/check.ts'
import { expectThat } from '../../../engine/suite-api/expect.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { rowsOf, succeeded } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { hidesCard } from '../common/data/account-comparisons.ts'
import { firstRead, requireRows } from '../common/data/data-reads.ts'
import {
  relyOnRightExchange,
  requireDirectionsAlone,
  TRIED_CODE,
  triedCode,
} from '../common/tokens/tried-code.ts'

/** Two approvals in one browser session. Requirements: specs/account-information/data.yaml */

/**
 * “everything” was approved first, and then in the same browser session a consent for ReadAccountsBasic and for
 * directions alone. Before the customer decides, the request of “everything” is opened again in another tab. Fails: the
 * token of the second gives both the digits of a card and transactions, as that of the first. Either of them alone is
 * judged by ACC-20 and TXN-14.
 */
check(
  'DATA-08/one-browser',
  'A consent that is approved in the browser session of another one gives its own data alone',
  {
    registers: 'where allowed',
    uses: [everything],
    grants: [TRIED_CODE],
    needs: ['authorisation.two-at-once'],
    follows: ['TXN-14/without-permission'],
  },
  async (context) => {
    const tried = await triedCode(context)
    relyOnRightExchange(tried)
    const { accounts, transactions } = requireDirectionsAlone(tried)
    if (!tried.sameBrowser) {
      throw new NotApplicable('a second visit in one browser session gives no code')
    }
    const detail = await firstRead(await context.approved(everything), '/accounts')
    if (requireRows(detail, OWNERS.accounts).every(hidesCard)) {
      throw new NotApplicable('no account shows the digits of its card')
    }
    const given = transactions.filter((answer) => succeeded(answer) && rowsOf(answer).length > 0)
    const [exchange] = given
    expectThat(exchange === undefined || rowsOf(accounts).every(hidesCard), {
      message: 'the token gives what another consent of the browser session permits',
      expected: 'accounts without the digits of a card, and no transactions',
      actual: 'the digits of a card, and transactions',
      exchange,
    })
  },
)
