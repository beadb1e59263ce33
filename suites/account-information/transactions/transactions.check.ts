import { randomUUID } from 'node:crypto'
import { check } from '../../../engine/suite-api/check.ts'
import { DAY, now } from '../../../engine/suite-api/clock.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { blockForData, blockForFreedom } from '../../../engine/suite-api/outcomes.ts'
import { brief } from '../../../engine/suite-api/responses.ts'
import {
  accountsOnly,
  basicCredits,
  debitsInPeriod,
  everything,
  narrowOfSeconds,
  secondClient,
  WITH_TRANSACTIONS,
} from '../../consents.ts'
import { expectTable } from '../../tables.ts'
import { accountIdInPath } from '../../values/identifier.ts'
import { approvalOf } from '../common/consents/optional-consents.ts'
import { ABSENT } from '../common/data/absent-reads.ts'
import { lackingSecondAccount } from '../common/data/asked-account.ts'
import { inUtc } from '../common/data/booking-times.ts'
import {
  DETAILS,
  missingInBulk,
  pendingOtherwise,
  relyOnOneResponse,
  relyOnWholeAnswers,
  shownOtherwise,
  wholeWrong,
} from '../common/data/completeness.ts'
import {
  accountIdsIn,
  expectServed,
  firstRead,
  pathOf,
  relyOnSameRules,
  requireRows,
  rowsOfStrangers,
  singles,
} from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import {
  bulk,
  expectNone,
  relyOnFilters,
  relyOnSteadyRows,
  unsteady,
} from '../common/data/transaction-readings.ts'
import { unknownAccounts } from '../common/places/account-id-places.ts'
import { goOnRefreshed } from '../common/tokens/refreshed-access.ts'
import {
  relyOnRightExchange,
  requireDirectionsAlone,
  TRIED_CODE,
  triedCode,
} from '../common/tokens/tried-code.ts'

/**
 * GET /transactions, GET /accounts/{AccountId}/transactions: who gets which data. The
 * filters are in filters.check.ts. Requirements: specs/account-information/transactions.yaml
 */

check(
  'TXN-01/answers-200',
  'GET /transactions answers 200',
  { uses: [everything] },
  async ({ approved }) => {
    expect(await firstRead(await approved(everything), bulk)).toHaveStatus(200)
  },
)

check(
  'TXN-02/answers-200',
  'GET /accounts/{AccountId}/transactions answers 200 for each account of the consent',
  { uses: [everything] },
  async ({ approved }) => {
    const answers = await singles(await approved(everything), '/transactions')
    for (const answer of answers.values()) expect(answer).toHaveStatus(200)
  },
)

/**
 * The AccountIds in GET /transactions are a subset of those in GET /accounts, same token. Blocked
 * by ACC-14/all-accounts where that fails.
 */
check(
  'TXN-03/of-the-consent',
  'GET /transactions reports no transaction of an account outside the consent',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    const answer = await firstRead(approval, bulk)
    const rows = requireRows(answer, readOwner(approval, bulk))
    if (accountIdsIn(rows).length === 0) blockForData('a transaction with an AccountId')
    const strangers = await rowsOfStrangers(approval, rows)
    expectThat(strangers.length === 0, {
      message: 'a transaction is of an account that the consent does not cover',
      expected: 'AccountIds that GET /accounts lists, or that an address serves',
      actual: brief(strangers[0]),
      exchange: answer,
    })
  },
)

/**
 * Consent with ReadTransactionsBasic and Credits, not Detail; GET /transactions and GET
 * /accounts/{AccountId}/transactions are 2xx.
 */
check(
  'TXN-14/basic-alone',
  'The transaction endpoints serve a consent with ReadTransactionsBasic alone',
  { uses: [everything, basicCredits] },
  async ({ approved }) => {
    await expectServed(await approved(basicCredits), await approved(everything), '/transactions')
  },
)

check(
  'TXN-14/second-client',
  'The transaction endpoints serve a consent of the second client with ReadTransactionsBasic alone',
  {
    uses: [everything, narrowOfSeconds],
    needs: ['clients.second', 'customers.second'],
    follows: ['TXN-14/basic-alone', 'DATA-08/other-approvals'],
  },
  async ({ approved }) => {
    await expectServed(await approved(narrowOfSeconds), await approved(everything), '/transactions')
  },
)

check(
  'TXN-14/detail-alone',
  'The transaction endpoints serve a consent with ReadTransactionsDetail alone',
  { uses: [everything, debitsInPeriod] },
  async ({ approved }) => {
    await expectServed(await approved(debitsInPeriod), await approved(everything), '/transactions')
  },
)

/**
 * Consent with ReadAccountsDetail and statements, no transaction permission; GET /transactions and
 * GET /accounts/{AccountId}/transactions are refused, after a refresh too.
 */
check(
  'TXN-14/without-permission',
  'The transaction endpoints refuse a consent without a transactions permission',
  { uses: [accountsOnly] },
  async (context) => {
    const approval = await context.approved(accountsOnly)
    const deviation = 'a consent without a transactions permission'
    const control = await approval.get('/accounts')
    const ids = accountIdsIn(requireRows(control, 'ACC-11/detail-alone'))
    const query = { fromBookingDateTime: inUtc(now() - 180 * DAY) }

    for (const path of [bulk, ...ids.map((id) => pathOf(id, '/transactions'))]) {
      expect(await approval.get(path, { deviation })).toBeRefused()
      for (const more of context.cases([{ query }, {}])) {
        expect(await approval.get(path, { ...more, deviation })).toBeRefused()
      }
    }
    expect(await approval.get(bulk, { ...ABSENT, deviation })).toBeRefused()
    if (await goOnRefreshed(approval)) {
      relyOn('ACC-11/detail-alone', await approval.get('/accounts')).toSucceed()
      for (const path of [bulk, ...ids.map((id) => pathOf(id, '/transactions'))]) {
        expect(await approval.get(path, { deviation })).toBeRefused()
      }
    }
    if (ids.length === 0) blockForData('an account')
  },
)

/**
 * Permissions for credits and debits, but neither Basic nor Detail; not applicable
 * where the bank refuses to create or to authorise such a consent (AMB-13).
 */
check(
  'TXN-14/directions-alone',
  'The transaction endpoints refuse a consent that says which transactions, but neither Basic nor Detail',
  {
    registers: 'where allowed',
    uses: [everything],
    grants: [TRIED_CODE],
    follows: ['TXN-14/without-permission', 'DATA-08/one-browser'],
  },
  async (context) => {
    const tried = await triedCode(context)
    relyOnRightExchange(tried)
    const { transactions } = requireDirectionsAlone(tried)
    for (const answer of transactions) expect(answer).toBeRefused()
    if (transactions.length < 2) blockForData('an account')
  },
)

/**
 * Single addresses, list, single addresses: rows in both single answers of an account are in the
 * list. Blocked with rows in fewer than two accounts, and by TXN-24/one-response where that fails.
 */
check(
  'TXN-23/all-accounts',
  'GET /transactions reports the transactions of every account of the consent',
  { uses: [everything], over: WITH_TRANSACTIONS, follows: ['ACC-14/all-accounts'] },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    const { wrong, accounts } = await missingInBulk(approval)
    if (!wrong && accounts < 2)
      lackingSecondAccount(context, 'two accounts with booked transactions')
    if (!wrong) return
    await relyOnSteadyRows(approval)
    relyOnSameRules(wrong.single, wrong.exchange, 'TXN-')
    await relyOnOneResponse(approval)
    expectNone(wrong)
  },
)

/**
 * On both endpoints: halves of the time (split at the median by from and to),
 * whole, halves. Rows in both readings of a half are in the whole, and rows of an
 * account in the list are in its single answer. Blocked by ENV-07/one-page,
 * TXN-16/from-alone, TXN-17/to-alone where they fail, and with fewer than two rows.
 */
check(
  'TXN-24/one-response',
  'One answer holds every transaction: no part of the data has a row that the whole answer lacks',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    const wrong = await wholeWrong(approval)
    expectNone(wrong)
    // Filters that are ignored do not ask for a part.
    await relyOnFilters(approval, 'from', 'to')
  },
)

/**
 * List, single addresses, list: booked rows that both lists show with the same amount
 * have it in the single answer too. Rows that it lacks are judged by TXN-24/one-response.
 */
check(
  'TXN-39/bulk-equals-single',
  'The single answer shows a booked transaction as the bulk answer does, its amount included',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const wrong = await shownOtherwise(await approvalOf(context, consent))
    if (wrong === 'no rows') blockForData('a booked transaction that two bulk answers show alike')
    expectNone(wrong)
  },
)

/** Only where both show it: no requirement says that they do, and banks may add it later. */
check(
  'TXN-44/as-bulk',
  'The single answer names merchant and address of a booked transaction as the bulk answer does',
  { uses: [everything], over: WITH_TRANSACTIONS, follows: ['TXN-39/bulk-equals-single'] },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    let compared = false
    for (const told of DETAILS) {
      const wrong = await shownOtherwise(approval, told)
      if (wrong === 'no rows') continue
      compared = true
      expectNone(wrong)
    }
    if (!compared)
      blockForFreedom('a booked transaction whose merchant or address both answers name')
  },
)

check(
  'TXN-40/bulk-and-single',
  'What is pending at one of the two transaction endpoints is pending at the other',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    const wrong = await pendingOtherwise(approval)
    if (wrong === 'no rows') blockForData('a transaction still pending')
    if (wrong) await relyOnSteadyRows(approval)
    if (wrong) await relyOnWholeAnswers(approval)
    expectNone(wrong)
  },
)

/** The ids of the table that are drawn for this address. Rows of another account are judged by the rule. */
check(
  'TXN-27/unknown-id',
  'An AccountId that names no account of the consent is refused',
  { asks: [accountIdInPath], uses: [everything], beside: [secondClient] },
  async (context) => {
    const approval = await context.approved(everything)
    const nobody = pathOf(randomUUID(), '/transactions')
    const query = { fromBookingDateTime: '2020-01-01T00:00:00Z' }
    const deviation = 'an unknown AccountId, and a filter'
    expect(await approval.get(nobody, { query, deviation })).toBeRefused()
    const parts = {
      owner: 'TXN-27/unknown-id',
      tail: '/transactions',
      consents: [everything, secondClient],
    } as const
    await expectTable(context, unknownAccounts(context, parts))
  },
)

check(
  'TXN-28/second-read',
  'An answer between two others holds every booked transaction that both of them hold',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const wrong = await unsteady(await approvalOf(context, consent))
    if (wrong === 'no rows') blockForData('a booked transaction')
    expectNone(wrong)
  },
)
