import { check } from '../../engine/journey/context.ts'
import { expect, expectThat } from '../../engine/judge/expect.ts'
import { lacking } from '../../engine/judge/outcome.ts'
import { brief } from '../../engine/judge/schemas.ts'
import { accountsOnly, everything } from '../consents.ts'
import { steadyBalances } from './common/balance-rows.ts'
import {
  accountIds,
  accountIdsIn,
  askedForUnknownAccount,
  blameRules,
  firstRead,
  listed,
  rowsOfStrangers,
  singles,
} from './common/readings.ts'

/** GET /balances, GET /accounts/{AccountId}/balances. Requirements: specs/account-information/balances.yaml */

const bulkOwner = 'BAL-01/answers-200'
const singleOwner = 'BAL-02/answers-200'

check(
  'BAL-01/answers-200',
  'GET /balances answers 200',
  { uses: ['everything'] },
  async ({ approved }) => {
    expect(await firstRead(await approved(everything), '/balances')).toHaveStatus(200)
  },
)

check(
  'BAL-02/answers-200',
  'GET /accounts/{AccountId}/balances answers 200 for each account of the consent',
  { uses: ['everything'] },
  async ({ approved }) => {
    const answers = await singles(await approved(everything), '/balances')
    for (const answer of answers.values()) expect(answer).toHaveStatus(200)
  },
)

check(
  'BAL-03/of-the-consent',
  'GET /balances reports no balance of an account outside the consent',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const answer = await firstRead(approval, '/balances')
    const rows = listed(answer, bulkOwner)
    if (accountIdsIn(rows).length === 0) lacking('a balance with an AccountId')
    const strangers = await rowsOfStrangers(approval, rows)
    expectThat(strangers.length === 0, {
      message: 'a balance is of an account that the consent does not cover',
      expected: `AccountIds out of ${brief(await accountIds(approval))}`,
      actual: brief(strangers[0]),
      exchange: answer,
    })
  },
)

check(
  'BAL-12/recorded',
  'What a consent without ReadBalances gets from GET /balances is recorded',
  { uses: ['accounts only'] },
  async ({ approved, observe }) => {
    const approval = await approved(accountsOnly)
    const deviation = 'a consent without ReadBalances'
    const answer = await approval.get('/balances', { deviation })
    observe('status of GET /balances without ReadBalances', answer.response?.status, answer)
  },
)

check(
  'BAL-13/all-accounts',
  'GET /balances reports a balance of every account of the consent',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const answer = await firstRead(approval, '/balances')
    const reported = accountIdsIn(listed(answer, bulkOwner))
    const wanted = [...(await singles(approval, '/balances'))]
      .filter(([id, single]) => accountIdsIn(listed(single, singleOwner)).includes(id))
      .map(([id]) => id)
    if (wanted.length < 2) lacking('two accounts with a balance')
    const missing = wanted.filter((id) => !reported.includes(id))
    expectThat(missing.length === 0, {
      message: `${missing.length} of ${wanted.length} accounts have no balance in the bulk answer`,
      expected: `a balance of ${missing[0]}`,
      actual: `balances of ${brief(reported)}`,
      exchange: answer,
    })
  },
)

check(
  'BAL-14/bulk-equals-single',
  'The single answer shows the balances of an account as the bulk answer does',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const bulk = await firstRead(approval, '/balances')
    const answers = await singles(approval, '/balances')
    const again = await approval.get('/balances')
    const accounts = steadyBalances(listed(bulk, bulkOwner), listed(again, bulkOwner))
    let compared = 0
    for (const { accountId, rows, key } of accounts) {
      const answer = answers.get(accountId)
      const shown = answer ? listed(answer, singleOwner) : []
      // An account that BAL-13 or BAL-02 condemns is theirs.
      if (!answer || accountIdsIn(shown).join() !== accountId) continue
      compared += 1
      if (key(shown) === key(rows)) continue
      blameRules(answer, bulk, 'BAL-')
      expectThat(false, {
        message: 'the single answer shows other balances of the account than the bulk answer',
        expected: key(rows),
        actual: key(shown),
        exchange: answer,
      })
    }
    if (compared === 0) lacking('an account that both bulk answers show alike')
  },
)

check(
  'BAL-15/unknown-id',
  'An AccountId that names no account of the consent is refused',
  { uses: ['everything'] },
  async ({ approved, observe }) => {
    const answer = await askedForUnknownAccount(await approved(everything), {
      tail: '/balances',
      owner: singleOwner,
      rule: 'BAL-02/asked-account-only',
    })
    observe('status for an unknown AccountId', answer.response?.status, answer)
    expect(answer).toBeRefused()
  },
)
