import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { Approval } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat } from '../../../engine/suite-api/expect.ts'
import { blockBy, blockForData, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import {
  brief,
  refused,
  rowsOf,
  rulesBrokenBy,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import {
  accountsOnly,
  basicCredits,
  debitsInPeriod,
  everything,
  noAccounts,
  secondClient,
  secondCustomer,
  WITH_TRANSACTIONS,
} from '../../consents.ts'
import { expectTable } from '../../tables.ts'
import { accountIdInPath } from '../../values/identifier.ts'
import { approvalOf } from '../common/consents/optional-consents.ts'
import { lackingSecondAccount } from '../common/data/asked-account.ts'
import { alikeInCreditLine, steadyBalances } from '../common/data/balance-rows.ts'
import {
  accountIdsIn,
  bulkAgain,
  firstRead,
  pathOf,
  relyOnSameRules,
  requireRows,
  rowsOfStrangers,
  singles,
} from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { unknownAccounts } from '../common/places/account-id-places.ts'

/** GET /balances, GET /accounts/{AccountId}/balances. Requirements: specs/account-information/balances.yaml */

/** Approvals whose accounts GET /accounts lists. */
const LISTED = [basicCredits, debitsInPeriod, secondClient, secondCustomer] as const

/** Approvals with fewer permissions. Those of other clients and customers are judged by DATA-08/other-approvals. */
const NARROW = [basicCredits, debitsInPeriod, noAccounts] as const

/**
 * The approval under which a requirement is judged. Not applicable where it has no accounts
 * permission and the bank refuses its balances: "Permission needed for balance endpoints: not shown."
 */
async function balancesUnder<Used extends (typeof WITH_TRANSACTIONS)[number]>(
  context: Context<Used | typeof everything>,
  consent: Used | typeof everything,
): Promise<Approval> {
  const approval = await approvalOf(context, consent)
  if (consent.name !== noAccounts.name) return approval
  if (refused(await firstRead(approval, '/balances'))) {
    throw new NotApplicable('the bank shows balances together with accounts alone')
  }
  return approval
}

check(
  'BAL-01/answers-200',
  'GET /balances answers 200',
  { uses: [everything], over: NARROW },
  async (context, consent) => {
    expect(await firstRead(await balancesUnder(context, consent), '/balances')).toHaveStatus(200)
  },
)

check(
  'BAL-02/answers-200',
  'GET /accounts/{AccountId}/balances answers 200 for each account of the consent',
  { uses: [everything], over: NARROW },
  async (context, consent) => {
    const answers = await singles(await balancesUnder(context, consent), '/balances')
    for (const answer of answers.values()) expect(answer).toHaveStatus(200)
  },
)

/**
 * The AccountIds in GET /balances are a subset of those in GET /accounts, same token. Blocked by
 * ACC-14/all-accounts where that fails.
 */
check(
  'BAL-03/of-the-consent',
  'GET /balances reports no balance of an account outside the consent',
  { uses: [everything], over: LISTED },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    const answer = await firstRead(approval, '/balances')
    const rows = requireRows(answer, readOwner(approval, '/balances'))
    if (accountIdsIn(rows).length === 0) blockForData('a balance with an AccountId')
    const strangers = await rowsOfStrangers(approval, rows)
    expectThat(strangers.length === 0, {
      message: 'a balance is of an account that the consent does not cover',
      expected: 'AccountIds that GET /accounts lists, or that an address serves',
      actual: brief(strangers[0]),
      exchange: answer,
    })
  },
)

check(
  'BAL-12/recorded',
  'What a consent without ReadBalances gets from GET /balances is recorded',
  { uses: [accountsOnly] },
  async ({ approved, observe }) => {
    const approval = await approved(accountsOnly)
    const deviation = 'a consent without ReadBalances'
    const answer = await approval.get('/balances', { deviation })
    observe('status of GET /balances without ReadBalances', answer.response?.status, answer)
  },
)

check(
  'BAL-12/without-accounts',
  'What a consent with ReadBalances and no permission for accounts gets from GET /balances is recorded',
  { uses: [everything, noAccounts] },
  async (context) => {
    const answer = await firstRead(await approvalOf(context, noAccounts), '/balances')
    context.observe('status of GET /balances without accounts', answer.response?.status, answer)
  },
)

/**
 * Every AccountId of GET /accounts that has a balance at its single
 * address is in GET /balances. Blocked with fewer than two such accounts.
 */
check(
  'BAL-13/all-accounts',
  'GET /balances reports a balance of every account of the consent',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const approval = await balancesUnder(context, consent)
    const answer = await firstRead(approval, '/balances')
    const reported = accountIdsIn(requireRows(answer, readOwner(approval, '/balances')))
    const answers = await singles(approval, '/balances')
    const wanted = [...answers]
      .filter(([id, single]) =>
        accountIdsIn(requireRows(single, readOwner(approval, pathOf(id, '/balances')))).includes(
          id,
        ),
      )
      .map(([id]) => id)
    if (wanted.length < 2) {
      await relyOnUsedCards(
        approval,
        [...answers.keys()].filter((id) => !wanted.includes(id)),
      )
      lackingSecondAccount(context, 'two accounts with a balance')
    }
    const missing = wanted.filter((id) => !reported.includes(id))
    expectThat(missing.length === 0, {
      message: `${missing.length} of ${wanted.length} accounts have no balance in the bulk answer`,
      expected: `a balance of ${missing[0]}`,
      actual: `balances of ${brief(reported)}`,
      exchange: answer,
    })
  },
)

/** Ends the check where one of these accounts, which have no balance, has bookings. */
async function relyOnUsedCards(approval: Approval, ids: string[]): Promise<void> {
  const id = 'BAL-31/of-a-used-card'
  if (ids.length > 0) await firstRead(approval, '/transactions')
  for (const accountId of ids) {
    const answer = await approval.get(pathOf(accountId, '/balances'))
    if (rulesBrokenBy(answer).includes(id))
      blockBy(id, 'an account with bookings has no balance', answer)
  }
}

/**
 * Reads the list, the single addresses and the list again. Balances that are equal in
 * both lists are at the single address, which has no other. Amount.Amount, indicator and
 * CreditLine.Amount.Amount are compared only where both lists agree on them; of CreditLine
 * the types and members that both addresses show; amounts are not where the single address says
 * another DateTime than both lists: answers may be cached. Accounts that BAL-13 or BAL-02 fail are left out.
 */
check(
  'BAL-14/bulk-equals-single',
  'The single answer shows the balances of an account as the bulk answer does',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const approval = await balancesUnder(context, consent)
    const owner = readOwner(approval, '/balances')
    const bulk = await firstRead(approval, '/balances')
    const answers = await singles(approval, '/balances')
    const again = await bulkAgain(approval, '/balances')
    const [before, after] = alikeInCreditLine(requireRows(bulk, owner), requireRows(again, owner))
    const accounts = steadyBalances(before, after)
    let compared = 0
    for (const { accountId, rows, keyFor } of accounts) {
      const answer = answers.get(accountId)
      const shown = answer
        ? requireRows(answer, readOwner(approval, pathOf(accountId, '/balances')))
        : []
      // An account that BAL-13 or BAL-02 fails is judged there.
      const others = shown.length > 0 && accountIdsIn(shown).join() !== accountId
      if (!answer || others) continue
      compared += 1
      const key = keyFor(shown)
      const [single, whole] = alikeInCreditLine(shown, rows)
      if (key(single) === key(whole)) continue
      relyOnSameRules(answer, bulk, 'BAL-')
      const twice = await approval.get(pathOf(accountId, '/balances'))
      // The balance may alternate between values: then a second read differs.
      if (!succeeded(twice)) continue
      const [second, first] = alikeInCreditLine(rowsOf(twice), shown)
      if (key(second) !== key(first)) continue
      expectThat(false, {
        message: 'the single answer shows other balances of the account than the bulk answer',
        expected: key(whole),
        actual: key(single),
        exchange: answer,
      })
    }
    if (compared === 0) blockForData('an account that both bulk answers show alike')
  },
)

/** The ids of the table that are drawn for this address. Rows of another account are judged by the rule. */
check(
  'BAL-15/unknown-id',
  'An AccountId that names no account of the consent is refused',
  { asks: [accountIdInPath], uses: [everything], beside: [secondClient] },
  async (context) => {
    const parts = {
      owner: 'BAL-15/unknown-id',
      tail: '/balances',
      consents: [everything, secondClient],
    } as const
    await expectTable(context, unknownAccounts(context, parts))
  },
)
