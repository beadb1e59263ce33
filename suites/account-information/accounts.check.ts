import type { Approval } from '../../engine/journey/approvals.ts'
import { check } from '../../engine/journey/context.ts'
import { accountsOwner, exchangeOf, OWNERS, taken } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { Blocked, lacking } from '../../engine/judge/outcome.ts'
import { brief } from '../../engine/judge/schemas.ts'
import {
  accountsOnly,
  basicCredits,
  debitsInPeriod,
  everything,
  noAccounts,
  reconfirmed,
  secondClient,
  secondCustomer,
} from '../consents.ts'
import {
  blameRefresh,
  documented,
  idsAroundRefresh,
  levelsOfDetail,
  paths,
} from './common/account-comparisons.ts'
import { approvedUnlessRefused } from './common/lawful-refusal.ts'
import {
  accountIds,
  accountIdsIn,
  accountsTwice,
  askedForUnknownAccount,
  blameRules,
  firstRead,
  listed,
  pathOf,
  singles,
} from './common/readings.ts'
import { nobodyLogsIn, relyOnNoCode } from './common/visits.ts'

/** GET /accounts, GET /accounts/{AccountId}. Requirements: specs/account-information/accounts.yaml */

check(
  'ACC-01/answers-200',
  'GET /accounts answers 200',
  { uses: ['everything'] },
  async ({ steps }) => {
    expect(exchangeOf(await steps.accounts(everything))).toHaveStatus(200)
  },
)

check(
  'ACC-02/answers-200',
  'GET /accounts/{AccountId} answers 200 for each account of the consent',
  { uses: ['everything'] },
  async ({ approved }) => {
    const answers = await singles(await approved(everything), '')
    for (const answer of answers.values()) expect(answer).toHaveStatus(200)
  },
)

check(
  'ACC-04/second-call',
  'A second GET /accounts gives the same AccountIds',
  { uses: ['everything'] },
  async ({ approved }) => {
    const [first, second] = await accountsTwice(await approved(everything))
    const before = accountIdsIn(listed(first, OWNERS.accounts))
    const after = accountIdsIn(listed(second, OWNERS.accounts))
    expectThat(before.join() === after.join(), {
      message: 'the AccountIds changed between two calls with one access token',
      expected: brief(before),
      actual: brief(after),
      exchange: second,
    })
  },
)

check(
  'ACC-04/after-refresh',
  'The AccountIds are the same under a refreshed access token',
  { uses: ['everything'] },
  async ({ approved }) => {
    const { before, after, exchange } = await idsAroundRefresh(await approved(everything))
    expectThat(before.join() === after.join(), {
      message: 'the AccountIds changed with the access token, under the same consent',
      expected: brief(before),
      actual: brief(after),
      exchange,
    })
  },
)

check(
  'ACC-04/after-reconfirmation',
  'The AccountIds are the same after the customer has re-confirmed the consent',
  { uses: ['everything', 're-confirmed'] },
  async ({ approved, steps }) => {
    const again = await approved(reconfirmed)
    const before = [...new Set(taken(await steps.accounts(everything)))].sort()
    const after = await accountIds(again)
    if (before.join() !== after.join()) await blameRefresh(again)
    expectThat(before.join() === after.join(), {
      message: 'the AccountIds changed when the consent was re-confirmed',
      expected: brief(before),
      actual: brief(after),
    })
  },
)

check(
  'ACC-10/detail-shows-more',
  'ReadAccountsDetail shows members of an account that ReadAccountsBasic alone does not',
  { uses: ['everything', 'basic credits'] },
  async ({ approved, observe }) => {
    const { detail, basic } = await levelsOfDetail(approved)
    const more = paths(detail).filter((path) => !paths(basic).includes(path))
    observe('members that only ReadAccountsDetail shows', more.join(', ') || 'none')
    expectThat(more.length > 0, {
      message: 'an account looks the same under ReadAccountsDetail and under ReadAccountsBasic',
      expected: 'a member that only ReadAccountsDetail shows',
      actual: `the members ${paths(basic).join(', ')} under both`,
    })
  },
)

check(
  'ACC-20/basic-hides-card',
  'Under ReadAccountsBasic alone no account shows the identification of its card',
  { uses: ['everything', 'basic credits'] },
  async ({ approved }) => {
    const { detail, basic, answer } = await levelsOfDetail(approved)
    if (paths(detail).every((path) => paths(basic).includes(path))) {
      const id = 'ACC-10/detail-shows-more'
      throw new Blocked({ kind: 'check', id }, 'the consent’s level of detail makes no difference')
    }
    expect(answer).toHoldOnly('an account without Account', (row) => row.Account === undefined)
  },
)

check(
  'ACC-11/basic-alone',
  'The accounts endpoints serve a consent with ReadAccountsBasic and without ReadAccountsDetail',
  { uses: ['everything', 'basic credits'] },
  async ({ approved }) => {
    await expectServed(await approved(basicCredits), await approved(everything))
  },
)

check(
  'ACC-11/detail-alone',
  'The accounts endpoints serve a consent with ReadAccountsDetail and without ReadAccountsBasic',
  { uses: ['everything', 'accounts only'] },
  async ({ approved }) => {
    await expectServed(await approved(accountsOnly), await approved(everything))
  },
)

/** Ends the check unless both accounts endpoints serve this approval as they serve another. */
async function expectServed(approval: Approval, whole: Approval): Promise<void> {
  relyOn(OWNERS.accounts, await firstRead(whole, '/accounts'))
  expect(await firstRead(approval, '/accounts')).toSucceed()
  for (const answer of (await singles(whole, '')).values()) relyOn('ACC-02/answers-200', answer)
  for (const answer of (await singles(approval, '')).values()) expect(answer).toSucceed()
}

check(
  'ACC-11/without-permission',
  'The accounts endpoints refuse a consent without an accounts permission',
  { uses: ['everything', 'no accounts'] },
  async (context) => {
    const approval = await approvedUnlessRefused(context, noAccounts)
    const deviation = 'a consent without an accounts permission'
    const control = await approval.get('/transactions')
    const [id] = accountIdsIn(listed(control, 'TXN-14/basic-alone'))

    expect(await approval.get('/accounts', { deviation })).toBeRefused()
    if (id === undefined) lacking('a transaction, whose AccountId can be asked for')
    expect(await approval.get(pathOf(id, ''), { deviation })).toBeRefused()
  },
)

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

check(
  'ACC-13/unknown-id',
  'An AccountId that names no account of the consent is refused',
  { uses: ['everything'] },
  async ({ approved, observe }) => {
    const answer = await askedForUnknownAccount(await approved(everything), {
      tail: '',
      owner: 'ACC-02/answers-200',
      rule: 'ACC-02/asked-account-only',
    })
    observe('status for an unknown AccountId', answer.response?.status, answer)
    expect(answer).toBeRefused()
  },
)

check(
  'ACC-14/all-accounts',
  'GET /accounts reports every account that the customer chose',
  { uses: ['everything'] },
  async ({ approved, target }) => {
    const chosen = target.document.customers.first.accounts
    if (chosen === undefined) lacking('the number of accounts that the first customer chooses')
    if (chosen < 2) lacking('a first customer who chooses two accounts or more')
    await expectAccounts(await approved(everything), chosen)
  },
)

/** Ends the check unless so many accounts are reported. */
async function expectAccounts(approval: Approval, chosen: number): Promise<void> {
  const answer = await firstRead(approval, '/accounts')
  const other = [secondClient, secondCustomer].some(({ name }) => name === approval.name)
  const owner = other ? 'DATA-08/other-approvals' : accountsOwner(approval.facts.permissions)
  const rows = listed(answer, owner)
  // Two with the same AccountId are ACC-03/unique's.
  const reported = new Set(rows.map((row) => row.AccountId ?? row)).size
  expectThat(reported === chosen, {
    message: `${reported} accounts are reported, ${chosen} were chosen`,
    expected: `${chosen} accounts`,
    actual: `${reported} accounts`,
    exchange: answer,
  })
}

check(
  'ACC-14/other-approvals',
  'GET /accounts reports as many accounts under every other approval as its customer chose',
  {
    uses: [
      'everything',
      'basic credits',
      'debits in a period',
      'accounts only',
      'second client',
      'second customer',
    ],
    refusals: ['nobody logs in'],
  },
  async (context) => {
    const { customers } = context.target.document
    const { accounts: chosen } = customers.first
    if (chosen === undefined) lacking('the number of accounts that the first customer chooses')
    const first = await firstRead(await context.approved(everything), '/accounts')
    if (accountIdsIn(listed(first, OWNERS.accounts)).length !== chosen) {
      const because = { kind: 'check', id: 'ACC-14/all-accounts' } as const
      throw new Blocked(because, 'the first approval does not show all accounts', first)
    }
    const ofSecond = context.target.clients.second ? [secondClient] : []
    for (const consent of [basicCredits, debitsInPeriod, accountsOnly, ...ofSecond]) {
      await expectAccounts(await context.approved(consent), chosen)
    }
    if (customers.second?.accounts === undefined) return
    relyOnNoCode('AUTHZ-22/before-login', await nobodyLogsIn(context))
    await expectAccounts(await context.approved(secondCustomer), customers.second.accounts)
  },
)

check(
  'ACC-15/bulk-equals-single',
  'The single answer describes an account as the bulk answer does',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const bulk = await firstRead(approval, '/accounts')
    const answers = await singles(approval, '')
    const after = listed(await approval.get('/accounts'), OWNERS.accounts)
    let compared = 0
    for (const row of listed(bulk, OWNERS.accounts)) {
      const answer = answers.get(String(row.AccountId))
      const again = after.find(({ AccountId }) => AccountId === row.AccountId)
      if (!answer || !again || documented(again) !== documented(row)) continue
      const [single, ...others] = listed(answer, 'ACC-02/answers-200')
      // No account, several, another one: ACC-02/asked-account-only has condemned it.
      if (!single || others.length > 0 || single.AccountId !== row.AccountId) continue
      compared += 1
      if (documented(single) === documented(row)) continue
      blameRules(answer, bulk, 'ACC-')
      expectThat(false, {
        message: 'the single answer describes the account otherwise than the bulk answer',
        expected: documented(row),
        actual: documented(single),
        exchange: answer,
      })
    }
    if (compared === 0) lacking('an account that two bulk answers describe alike')
  },
)
