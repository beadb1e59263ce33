import type { Approval } from '../../engine/journey/approvals.ts'
import { check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { lacking } from '../../engine/judge/outcome.ts'
import { brief } from '../../engine/judge/schemas.ts'
import { accountsOnly, basicCredits, debitsInPeriod, everything } from '../consents.ts'
import { blamePages, missingInBulk, wholeWrong } from './common/one-answer.ts'
import {
  accountIds,
  accountIdsIn,
  askedForUnknownAccount,
  blameRules,
  firstRead,
  listed,
  pathOf,
  rowsOfStrangers,
  singles,
} from './common/readings.ts'
import {
  blameUnsteadiness,
  bulk,
  judge,
  relyOnFilters,
  singleOwner,
  unsteady,
} from './common/transaction-readings.ts'

/**
 * GET /transactions, GET /accounts/{AccountId}/transactions: who gets what. The filters are in
 * transactions.filters.check.ts. Requirements: specs/account-information/transactions.yaml
 */

check(
  'TXN-01/answers-200',
  'GET /transactions answers 200',
  { uses: ['everything'] },
  async ({ approved }) => {
    expect(await firstRead(await approved(everything), bulk)).toHaveStatus(200)
  },
)

check(
  'TXN-02/answers-200',
  'GET /accounts/{AccountId}/transactions answers 200 for each account of the consent',
  { uses: ['everything'] },
  async ({ approved }) => {
    const answers = await singles(await approved(everything), '/transactions')
    for (const answer of answers.values()) expect(answer).toHaveStatus(200)
  },
)

check(
  'TXN-03/of-the-consent',
  'GET /transactions reports no transaction of an account outside the consent',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const answer = await firstRead(approval, bulk)
    const rows = listed(answer, OWNERS.transactions)
    if (accountIdsIn(rows).length === 0) lacking('a transaction with an AccountId')
    const strangers = await rowsOfStrangers(approval, rows)
    expectThat(strangers.length === 0, {
      message: 'a transaction is of an account that the consent does not cover',
      expected: `AccountIds out of ${brief(await accountIds(approval))}`,
      actual: brief(strangers[0]),
      exchange: answer,
    })
  },
)

check(
  'TXN-14/basic-alone',
  'The transaction endpoints serve a consent with ReadTransactionsBasic alone',
  { uses: ['everything', 'basic credits'] },
  async ({ approved }) => {
    await expectServed(await approved(basicCredits), await approved(everything))
  },
)

check(
  'TXN-14/detail-alone',
  'The transaction endpoints serve a consent with ReadTransactionsDetail alone',
  { uses: ['everything', 'debits in a period'] },
  async ({ approved }) => {
    await expectServed(await approved(debitsInPeriod), await approved(everything))
  },
)

/** Ends the check unless both transaction endpoints serve this approval as they serve another. */
async function expectServed(approval: Approval, whole: Approval): Promise<void> {
  relyOn(OWNERS.transactions, await firstRead(whole, bulk))
  expect(await firstRead(approval, bulk)).toSucceed()
  for (const answer of (await singles(whole, '/transactions')).values()) relyOn(singleOwner, answer)
  for (const answer of (await singles(approval, '/transactions')).values()) {
    expect(answer).toSucceed()
  }
}

check(
  'TXN-14/without-permission',
  'The transaction endpoints refuse a consent without a transactions permission',
  { uses: ['accounts only'] },
  async ({ approved }) => {
    const approval = await approved(accountsOnly)
    const deviation = 'a consent without a transactions permission'
    const control = await approval.get('/accounts')
    const [id] = accountIdsIn(listed(control, 'ACC-11/detail-alone'))

    expect(await approval.get(bulk, { deviation })).toBeRefused()
    if (id === undefined) lacking('an account')
    expect(await approval.get(pathOf(id, '/transactions'), { deviation })).toBeRefused()
  },
)

check(
  'TXN-23/all-accounts',
  'GET /transactions reports the transactions of every account of the consent',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const { wrong, accounts } = await missingInBulk(approval)
    if (accounts < 2) lacking('two accounts with booked transactions')
    if (!wrong) return
    await blameUnsteadiness(approval)
    blameRules(wrong.single, wrong.exchange, 'TXN-')
    await blamePages(approval)
    judge(wrong)
  },
)

check(
  'TXN-24/one-response',
  'One answer holds every transaction: no part of the data shows a row that the whole lacks',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const wrong = await wholeWrong(approval)
    judge(wrong)
    // Filters that restrict nothing ask for no part.
    await relyOnFilters(approval, 'from', 'to')
  },
)

check(
  'TXN-27/unknown-id',
  'An AccountId that names no account of the consent is refused',
  { uses: ['everything'] },
  async ({ approved, observe }) => {
    const answer = await askedForUnknownAccount(await approved(everything), {
      tail: '/transactions',
      owner: singleOwner,
      rule: 'TXN-02/asked-account-only',
    })
    observe('status for an unknown AccountId', answer.response?.status, answer)
    expect(answer).toBeRefused()
  },
)

check(
  'TXN-28/second-read',
  'Of three answers the second holds every booked transaction of the first and the third',
  { uses: ['everything'] },
  async ({ approved }) => {
    const wrong = await unsteady(await approved(everything))
    if (wrong === 'no rows') lacking('a booked transaction')
    judge(wrong)
  },
)
