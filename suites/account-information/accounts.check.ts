import { check } from '../../engine/journey/context.ts'
import { exchangeOf } from '../../engine/journey/steps.ts'
import { expect } from '../../engine/judge/expect.ts'
import { everything } from '../consents.ts'

/** GET /accounts, GET /accounts/{AccountId}. Requirements: specs/account-information/accounts.yaml */

check(
  'ACC-01/answers-200',
  'GET /accounts answers 200',
  { uses: ['everything'] },
  async ({ steps }) => {
    expect(exchangeOf(await steps.accounts(everything))).toHaveStatus(200)
  },
)
