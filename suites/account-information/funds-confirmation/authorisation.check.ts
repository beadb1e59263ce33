import { check } from '../../../engine/suite-api/check.ts'
import { expectThat, requireReachable } from '../../../engine/suite-api/expect.ts'
import { tokensOf } from '../../../engine/suite-api/flow.ts'
import { rowsOf, succeeded } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { atWork, newFundsId } from '../common/consents/funds-consents.ts'
import { exchangeCode, expectAnswered, wrongVisit } from '../common/visits/visits.ts'

/**
 * Funds confirmation consents at the authorisation endpoint.
 * Requirements: specs/account-information/funds-confirmation.yaml
 */

const AS_ACCOUNTS = 'a funds confirmation consent in a request for accounts'

/** Fails: the token of this visit reads a row of accounts or transactions. A code alone is recorded. */
check(
  'FCC-29/no-account-data',
  'A funds confirmation consent gives no account data where a request for accounts names it',
  { uses: [everything], refusals: [AS_ACCOUNTS] },
  async (context) => {
    const caller = await atWork(context)
    const consentId = await newFundsId(caller)
    const visit = await wrongVisit(context, { purpose: AS_ACCOUNTS, consentId, deviation: {} })
    context.observe(AS_ACCOUNTS, visit.kind === 'granted' ? 'a code' : 'no code', visit.last)
    if (visit.kind !== 'granted') return expectAnswered(visit)
    const tokens = tokensOf(await exchangeCode(caller, visit, AS_ACCOUNTS))
    if (!tokens) return
    for (const path of ['/accounts', '/transactions']) {
      const request = { bearer: tokens.accessToken, deviation: AS_ACCOUNTS }
      const answer = await caller.get(path, request)
      requireReachable(answer)
      const rows = succeeded(answer) ? rowsOf(answer).length : 0
      expectThat(rows === 0, {
        message: `GET ${path} gave data under a funds confirmation consent`,
        expected: 'no data: the consent has no permission',
        actual: `${rows} rows`,
        exchange: answer,
      })
    }
  },
)
