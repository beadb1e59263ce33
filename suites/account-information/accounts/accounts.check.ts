import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { Approval } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireExchange, requireValue } from '../../../engine/suite-api/flow.ts'
import {
  blockBy,
  blockForData,
  blockForTarget,
  NotApplicable,
} from '../../../engine/suite-api/outcomes.ts'
import {
  brief,
  type Exchange,
  type Row,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import {
  accountsOnly,
  basicCredits,
  debitsInPeriod,
  everything,
  narrowOfSeconds,
  noAccounts,
  reconfirmed,
  secondClient,
  secondCustomer,
  WITH_ACCOUNTS,
} from '../../consents.ts'
import { accountsOwner, OWNERS } from '../../owners.ts'
import { expectTable } from '../../tables.ts'
import { accountIdInPath } from '../../values/identifier.ts'
import { approvalOf, approvedUnlessRefused } from '../common/consents/optional-consents.ts'
import { ABSENT } from '../common/data/absent-reads.ts'
import {
  described,
  differ,
  documented,
  hidesCard,
  idsAroundRefresh,
  type Levels,
  levelsAtSingles,
  levelsOfDetail,
  paths,
  refreshedAtOnce,
  relyOnIdsAfterRefresh,
  showsMore,
} from '../common/data/account-comparisons.ts'
import { lackingSecondAccount } from '../common/data/asked-account.ts'
import {
  accountIdsIn,
  accountsTwice,
  expectServed,
  firstRead,
  pathOf,
  relyOnSameRules,
  requireAccountIds,
  requireRows,
  singles,
} from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { unknownAccounts } from '../common/places/account-id-places.ts'
import { withoutRefreshTokens } from '../common/registration/narrow-registration.ts'
import { goOnRefreshed } from '../common/tokens/refreshed-access.ts'
import { relyOnRightExchange, TRIED_CODE, triedCode } from '../common/tokens/tried-code.ts'
import { nobodyLogsIn, relyOnNoCode } from '../common/visits/visits.ts'

/** GET /accounts, GET /accounts/{AccountId}. Requirements: specs/account-information/accounts.yaml */

check(
  'ACC-01/answers-200',
  'GET /accounts answers 200',
  { uses: [everything] },
  async ({ steps }) => {
    expect(requireExchange(await steps.accounts(everything))).toHaveStatus(200)
  },
)

check(
  'ACC-02/answers-200',
  'GET /accounts/{AccountId} answers 200 for each account of the consent',
  { uses: [everything] },
  async ({ approved }) => {
    const answers = await singles(await approved(everything), '')
    for (const answer of answers.values()) expect(answer).toHaveStatus(200)
  },
)

check(
  'ACC-04/second-call',
  'A second GET /accounts gives the same AccountIds',
  { uses: [everything], over: WITH_ACCOUNTS },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    const [first, second] = await accountsTwice(approval)
    const before = accountIdsIn(requireRows(first, readOwner(approval, '/accounts')))
    const after = accountIdsIn(requireRows(second, readOwner(approval, '/accounts')))
    expectThat(before.join() === after.join(), {
      message: 'the AccountIds changed between two calls with one access token',
      expected: brief(before),
      actual: brief(after),
      exchange: second,
    })
  },
)

/**
 * The AccountIds before and after a refresh_token grant are equal. Not applicable
 * without a refresh token. Judged only when ACC-04/second-call passes.
 */
check(
  'ACC-04/after-refresh',
  'The AccountIds are the same under a refreshed access token',
  { uses: [everything], over: [secondClient, narrowOfSeconds] },
  async (context, consent) => {
    const { before, after, exchange } = await refreshed(context, consent)
    relyOnNoneLost(before, after)
    expectThat(before.join() === after.join(), {
      message: 'the AccountIds changed with the access token, under the same consent',
      expected: brief(before),
      actual: brief(after),
      exchange,
    })
  },
)

/**
 * A refresh_token grant, then GET /accounts/{AccountId} and its balances and transactions with the new access
 * token, before any list: each is served. Not applicable without a refresh token. Blocked where
 * the list is not served under the new token either.
 */
check(
  'ACC-04/before-the-list',
  'A refreshed access token reads an account at its own addresses before it has read a list',
  { uses: [everything], follows: ['ACC-02/answers-200', 'ACC-04/after-refresh'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const [id = ''] = await requireAccountIds(approval)
    for (const tail of ['', '/balances', '/transactions'] as const) {
      const path = pathOf(id, tail)
      relyOn(readOwner(approval, path), await approval.get(path)).toSucceed()
      relyOn(OWNERS.refresh, (await approval.refresh()).exchange).toGiveAToken()
      const answer = await approval.get(path)
      if (!succeeded(answer)) relyOn(OWNERS.accounts, await approval.get('/accounts')).toSucceed()
      expect(answer).toSucceed()
    }
  },
)

type Refreshed = typeof everything | typeof secondClient | typeof narrowOfSeconds

/** The AccountIds around a refresh. Where the run has both approvals of the second client, they are refreshed at once. */
async function refreshed(
  context: Context<Refreshed>,
  consent: Refreshed,
): ReturnType<typeof idsAroundRefresh> {
  const two: Refreshed[] = [secondClient, narrowOfSeconds]
  if (!two.includes(consent) || !two.every(context.has)) {
    return idsAroundRefresh(await approvalOf(context, consent))
  }
  const { around, foreign } = await refreshedAtOnce(context)
  if (foreign.some((rows) => rows.length > 0)) {
    blockBy('DATA-08/refreshes-at-once', 'a refresh gave the token of another consent')
  }
  const one = around[two.indexOf(consent)]
  if (!one) throw new TypeError(`${consent.name} is not refreshed with another`)
  return {
    before: one.ids,
    after: accountIdsIn(requireRows(one.after, readOwner(one.approval, '/accounts'))),
    exchange: one.after,
  }
}

/**
 * The AccountIds before and after the same ConsentId is re-confirmed for the same accounts are
 * equal. Blocked by AUTHZ-16 when re-confirmation fails. Judged only when ACC-04/second-call passes.
 */
check(
  'ACC-04/after-reconfirmation',
  'The AccountIds are the same after the customer has re-confirmed the consent',
  { uses: [everything, reconfirmed] },
  async ({ approved, steps }) => {
    const again = await approved(reconfirmed)
    const before = [...new Set(requireValue(await steps.accounts(everything)))].sort()
    const after = await requireAccountIds(again)
    relyOnNoneLost(before, after)
    if (before.join() !== after.join()) await relyOnIdsAfterRefresh(again)
    expectThat(before.join() === after.join(), {
      message: 'the AccountIds changed when the consent was re-confirmed',
      expected: brief(before),
      actual: brief(after),
    })
  },
)

/** Ends the check where accounts are missing and no id is new: a missing account has not changed its id. */
function relyOnNoneLost(before: string[], after: string[]): void {
  if (after.length >= before.length || after.some((id) => !before.includes(id))) return
  blockBy('TXN-28/kept', `${after.length} of ${before.length} accounts are left`)
}

/**
 * Same customer: GET /accounts under the consent with ReadAccountsDetail and under the one with
 * ReadAccountsBasic alone. The union of member paths (Description, Account.SchemeName, …; array indices dropped)
 * under detail has a path that the union under basic lacks. Records the difference. Where the single addresses
 * show more than the list and differ between the two permissions, the list has no levels of detail, and passes.
 */
check(
  'ACC-10/detail-shows-more',
  'ReadAccountsDetail shows members of an account that ReadAccountsBasic alone does not',
  { uses: [debitsInPeriod, basicCredits] },
  async ({ approved, observe }) => {
    const levels = await levelsOfDetail(approved)
    const { detail, basic } = levels
    const more = paths(detail).filter((path) => !paths(basic).includes(path))
    observe('members that only ReadAccountsDetail shows', more.join(', ') || 'none')
    if (differ(levels)) return
    expectThat(isLean(levels, await levelsAtSingles(approved)), looksTheSame(basic))
  },
)

/** Do the other addresses show more under ReadAccountsDetail than these, and differ between the two permissions? */
function isLean(these: Levels, others: Levels): boolean {
  return showsMore(others.detail, these.detail) && differ(others)
}

check(
  'ACC-10/single-address',
  'At the address of a single account ReadAccountsDetail shows more than ReadAccountsBasic too',
  { uses: [debitsInPeriod, basicCredits], follows: ['ACC-10/detail-shows-more'] },
  async ({ approved }) => {
    const levels = await levelsAtSingles(approved)
    if (differ(levels)) return
    expectThat(isLean(levels, await levelsOfDetail(approved)), looksTheSame(levels.basic))
  },
)

function looksTheSame(basic: Row[]) {
  return {
    message: 'an account looks the same under ReadAccountsDetail and under ReadAccountsBasic',
    expected: 'a member, or a value, that only ReadAccountsDetail shows',
    actual: `the members ${paths(basic).join(', ')} under both`,
  }
}

/**
 * For each client and customer: the lists, and the single addresses where those
 * have levels of detail. Also while the customer is absent, and after a refresh.
 */
check(
  'ACC-20/basic-hides-card',
  'Under ReadAccountsBasic alone no account shows the identification of its card',
  { uses: [debitsInPeriod, basicCredits], over: [narrowOfSeconds] },
  async ({ approved }, consent) => {
    const { answer, ...levels } = await levelsOfDetail(approved)
    const atSingles = await levelsAtSingles(approved)
    if (!differ(levels) && !isLean(levels, atSingles)) {
      const id = 'ACC-10/detail-shows-more'
      blockBy(id, 'the consent’s level of detail makes no difference')
    }
    expectCardHidden(answer)
    const limited = await approved(consent.name === debitsInPeriod.name ? basicCredits : consent)
    const ids = differ(atSingles) ? await requireAccountIds(limited) : []
    const paths = ['/accounts', ...ids.map((id) => pathOf(id, ''))]
    for (const path of paths) {
      expectCardHidden(await limited.get(path))
      expectCardHidden(await limited.get(path, ABSENT))
    }
    if (!(await goOnRefreshed(limited))) return
    for (const path of paths) expectCardHidden(await limited.get(path))
  },
)

function expectCardHidden(answer: Exchange): void {
  expect(answer).toHoldOnly('an account without the digits of its card', hidesCard)
}

/** GET /accounts with the token from the code that others try first, of a client without refresh_token. */
check(
  'ACC-20/another-client',
  'Under ReadAccountsBasic alone another client is not shown the identification of a card either',
  {
    registers: true,
    uses: [everything],
    grants: [TRIED_CODE],
    follows: ['ACC-10/detail-shows-more', 'ACC-20/basic-hides-card', 'DATA-08/one-browser'],
  },
  async (context) => {
    await withoutRefreshTokens(context)
    const tried = await triedCode(context)
    relyOnRightExchange(tried)
    if (!tried.reads) blockBy(OWNERS.exchange, 'the code gave no access token', tried.right)
    const detail = await firstRead(await context.approved(everything), '/accounts')
    if (requireRows(detail, OWNERS.accounts).every(hidesCard)) {
      throw new NotApplicable('no account shows the digits of its card')
    }
    const { accounts } = tried.reads
    if (requireRows(accounts, 'ACC-11/basic-alone').length === 0) blockForData('an account')
    expectCardHidden(accounts)
  },
)

check(
  'ACC-11/basic-alone',
  'The accounts endpoints serve a consent with ReadAccountsBasic and without ReadAccountsDetail',
  { uses: [everything, basicCredits] },
  async ({ approved }) => {
    await expectServed(await approved(basicCredits), await approved(everything), '')
  },
)

check(
  'ACC-11/second-client',
  'The accounts endpoints serve a consent of the second client with ReadAccountsBasic alone',
  {
    uses: [everything, narrowOfSeconds],
    needs: ['clients.second', 'customers.second'],
    follows: ['ACC-11/basic-alone', 'DATA-08/other-approvals'],
  },
  async ({ approved }) => {
    await expectServed(await approved(narrowOfSeconds), await approved(everything), '')
  },
)

check(
  'ACC-11/detail-alone',
  'The accounts endpoints serve a consent with ReadAccountsDetail and without ReadAccountsBasic',
  { uses: [everything, accountsOnly] },
  async ({ approved }) => {
    await expectServed(await approved(accountsOnly), await approved(everything), '')
  },
)

/**
 * Consent with neither permission (only ReadBalances and those for statements and transactions). GET
 * /accounts and GET /accounts/{AccountId} (ids from its transactions and balances) are refused, after a
 * refresh too. Not applicable when the bank refuses to create or to authorise such a consent, as it may.
 */
check(
  'ACC-11/without-permission',
  'The accounts endpoints refuse a consent without an accounts permission',
  { uses: [everything, noAccounts] },
  async (context) => {
    const approval = await approvedUnlessRefused(context, noAccounts)
    const deviation = 'a consent without an accounts permission'
    const control = await approval.get('/transactions')
    const booked = requireRows(control, 'TXN-14/basic-alone')
    // A card that was never used still has a balance.
    const balances = rowsOf(await approval.get('/balances'))
    const ids = accountIdsIn([...booked, ...balances])

    for (const path of ['/accounts', ...ids.map((id) => pathOf(id, ''))]) {
      expect(await approval.get(path, { deviation })).toBeRefused()
      // Once more: the first refusal may have filled a cache.
      expect(await approval.get(path, { deviation })).toBeRefused()
    }
    expect(await approval.get('/accounts', { ...ABSENT, deviation })).toBeRefused()
    if (await goOnRefreshed(approval)) {
      relyOn('TXN-14/basic-alone', await approval.get('/transactions')).toSucceed()
      for (const path of ['/accounts', ...ids.map((id) => pathOf(id, ''))]) {
        expect(await approval.get(path, { deviation })).toBeRefused()
      }
    }
    if (ids.length === 0) blockForData('an AccountId that can be asked for')
  },
)

/**
 * Creates a consent with ReadAccountsBasic and ReadAccountsDetails and records the
 * status. A consent that was created is deleted. CONS-10 never uses this spelling.
 */
check(
  'ACC-12/recorded',
  'Whether a consent may name ReadAccountsDetails is recorded',
  {},
  async ({ caller, observe }) => {
    const body = { Data: { Permissions: ['ReadAccountsBasic', 'ReadAccountsDetails'] }, Risk: {} }
    const deviation = 'the permission ReadAccountsDetails, spelled with an s'
    const answer = await (await caller()).post('/account-access-consents', body, { deviation })
    observe('status of a consent with ReadAccountsDetails', answer.response?.status, answer)
  },
)

/** The ids of the table that are drawn for this address. Rows of another account are judged by the rule. */
check(
  'ACC-13/unknown-id',
  'An AccountId that names no account of the consent is refused',
  { asks: [accountIdInPath], uses: [everything], beside: [secondClient] },
  async (context) => {
    const parts = {
      owner: 'ACC-13/unknown-id',
      tail: '',
      consents: [everything, secondClient],
    } as const
    await expectTable(context, unknownAccounts(context, parts))
  },
)

/** What a target may leave out. Without it, the result cannot be conformant. */
const UNSAID = 'customers.first.accounts: how many accounts the first customer chooses at the bank'

/**
 * The number of accounts equals customers.first.accounts of the target.
 * Blocked when the target does not state it, or states fewer than two.
 */
check(
  'ACC-14/all-accounts',
  'GET /accounts reports every account that the customer chose',
  { uses: [everything] },
  async (context) => {
    const chosen = context.target.document.customers.first.accounts
    if (chosen === undefined) lackingSecondAccount(context, UNSAID, blockForTarget)
    if (chosen < 2)
      lackingSecondAccount(context, 'a first customer who chooses two accounts or more')
    const approval = await context.approved(everything)
    const answer = await firstRead(approval, '/accounts')
    const reported = reportedIn(answer, approval)
    // A driver may tick other boxes as well: terms, for example.
    if (reported !== chosen && approval.visit.pages.some(({ offered }) => offered === reported)) {
      const said = `it says ${chosen}, and ${reported} were ticked on the page of the bank`
      blockForTarget(`the right number under customers.first.accounts: ${said}`)
    }
    await expectAccounts(approval, chosen)
  },
)

/** Number of accounts in an answer. Rows with the same AccountId count once: ACC-03/unique judges them. */
function reportedIn(answer: Exchange, approval: Approval): number {
  const other = [secondClient, secondCustomer, narrowOfSeconds].some(
    ({ name }) => name === approval.name,
  )
  const owner = other ? 'DATA-08/other-approvals' : accountsOwner(approval.facts.permissions)
  return new Set(requireRows(answer, owner).map((row) => row.AccountId ?? row)).size
}

/** Ends the check unless this number of accounts is reported. */
async function expectAccounts(approval: Approval, chosen: number): Promise<void> {
  const answer = await firstRead(approval, '/accounts')
  const reported = reportedIn(answer, approval)
  expectThat(reported === chosen, {
    message: `${reported} accounts are reported, ${chosen} were chosen`,
    expected: `${chosen} accounts`,
    actual: `${reported} accounts`,
    exchange: answer,
  })
}

/**
 * The same under every other approval that may read accounts; for the second
 * customer with its own number. Blocked by ACC-14/all-accounts where that fails.
 */
check(
  'ACC-14/other-approvals',
  'GET /accounts reports as many accounts under every other approval as its customer chose',
  {
    uses: [everything, basicCredits, debitsInPeriod, accountsOnly, secondClient, secondCustomer],
    beside: [narrowOfSeconds],
    refusals: ['nobody logs in'],
  },
  async (context) => {
    const { customers } = context.target.document
    const { accounts: chosen } = customers.first
    if (chosen === undefined) blockForTarget(UNSAID)
    const first = await firstRead(await context.approved(everything), '/accounts')
    if (accountIdsIn(requireRows(first, OWNERS.accounts)).length !== chosen) {
      blockBy('ACC-14/all-accounts', 'the first approval does not show all accounts', first)
    }
    const ofSecond = context.target.clients.second ? [secondClient] : []
    for (const consent of [basicCredits, debitsInPeriod, accountsOnly, ...ofSecond]) {
      await expectAccounts(await context.approved(consent), chosen)
    }
    if (customers.second?.accounts === undefined) return
    relyOnNoCode('AUTHZ-22/before-login', await nobodyLogsIn(context))
    const ofSecondToo = context.has(narrowOfSeconds) ? [narrowOfSeconds] : []
    for (const consent of [secondCustomer, ...ofSecondToo]) {
      await expectAccounts(await context.approved(consent), customers.second.accounts)
    }
  },
)

/**
 * Reads the list, the single addresses and the list again. Accounts that are equal in both lists have the
 * same documented fields at the single address (absent = absent). Accounts that ACC-02 fails are left out.
 */
check(
  'ACC-15/bulk-equals-single',
  'The single answer describes an account as the bulk answer does',
  { uses: [everything], over: WITH_ACCOUNTS },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    const owner = readOwner(approval, '/accounts')
    const bulk = await firstRead(approval, '/accounts')
    const answers = await singles(approval, '')
    const after = requireRows(await approval.get('/accounts'), owner)
    let compared = 0
    for (const row of requireRows(bulk, owner)) {
      const answer = answers.get(String(row.AccountId))
      const again = after.find(({ AccountId }) => AccountId === row.AccountId)
      if (!answer || !again || described(again) !== described(row)) continue
      const [single, ...others] = requireRows(
        answer,
        readOwner(approval, pathOf(String(row.AccountId), '')),
      )
      // No account, several accounts, or another account: ACC-02/asked-account-only fails it.
      if (!single || others.length > 0 || single.AccountId !== row.AccountId) continue
      compared += 1
      if (described(single) === described(row)) continue
      relyOnSameRules(answer, bulk, 'ACC-')
      // A consent with both levels may show either, but not one in the list and the other here (AMB-44).
      if (holdsBothLevels(approval) && hidesCard(row) !== hidesCard(single)) {
        blockBy(
          'ACC-20/detail-shows-card',
          'the list and the single answer show the card differently',
          answer,
        )
      }
      expectThat(false, {
        message: 'the single answer describes the account differently from the bulk answer',
        expected: documented(row),
        actual: documented(single),
        exchange: answer,
      })
    }
    if (compared === 0) blockForData('an account that two bulk answers describe alike')
  },
)

const holdsBothLevels = ({ facts }: Approval) =>
  ['ReadAccountsBasic', 'ReadAccountsDetail'].every((one) => facts.permissions.includes(one))
