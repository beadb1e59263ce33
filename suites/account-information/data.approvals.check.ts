import type { Approval } from '../../engine/journey/approvals.ts'
import type { NamedConsent } from '../../engine/journey/consent.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { rulesBrokenBy } from '../../engine/journey/trace.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { missingFrom, type Row, rowsOf } from '../../engine/judge/rows.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { everything, reconfirmed, secondClient, secondCustomer } from '../consents.ts'
import { blamePages, keyAcrossConsents, relyOnSameAccounts, settled } from './common/one-answer.ts'
import { accountIdsIn, firstRead, listed, pathOf, singles, type Tail } from './common/readings.ts'
import {
  between,
  blameUnsteadiness,
  blockedBy,
  bookedIn,
  bulk,
  filtered,
  filterWrong,
  judge,
  relyOnFilters,
} from './common/transaction-readings.ts'

/**
 * What the first approval gives, every other one of the same permissions gives: that of another client,
 * of another customer, of a re-confirmation. Requirements: specs/account-information/data.yaml
 */

const ENDPOINTS: { bulk: string; tail: Tail; owner: string; singleOwner: string }[] = [
  { bulk: '/accounts', tail: '', owner: OWNERS.accounts, singleOwner: 'ACC-02/answers-200' },
  {
    bulk: '/balances',
    tail: '/balances',
    owner: OWNERS.balances,
    singleOwner: 'BAL-02/answers-200',
  },
  {
    bulk: '/transactions',
    tail: '/transactions',
    owner: OWNERS.transactions,
    singleOwner: 'TXN-02/answers-200',
  },
]

const OTHER = 'DATA-08/other-approvals'

/** The approvals of other clients and customers that the target has. */
function others({ target }: Context): NamedConsent[] {
  return [
    ...(target.clients.second ? [secondClient] : []),
    ...(target.document.customers.second ? [secondCustomer] : []),
  ]
}

check(
  'DATA-08/other-approvals',
  'Every data endpoint serves the approvals of each client and customer, for each of their accounts',
  { uses: ['everything', 'second client', 'second customer', 're-confirmed'] },
  async (context) => {
    const first = await context.approved(everything)
    for (const { bulk: path, tail, owner, singleOwner } of ENDPOINTS) {
      relyOn(owner, await firstRead(first, path))
      for (const answer of (await singles(first, tail)).values()) relyOn(singleOwner, answer)
    }
    for (const consent of [...others(context), reconfirmed]) {
      const approval = await context.approved(consent)
      await relyOnPermissions(context, consent)
      const ids = accountIdsIn(rowsOf(await approval.get('/accounts')))
      for (const { bulk: path, tail } of ENDPOINTS) {
        expect(await approval.get(path)).toSucceed()
        for (const id of ids) expect(await approval.get(pathOf(id, tail))).toSucceed()
      }
    }
  },
)

/** Ends the check where the consent was created with other permissions than those asked for. */
async function relyOnPermissions({ steps }: Context, consent: NamedConsent): Promise<void> {
  const { exchange } = await steps.consent(consent.reconfirms ?? consent)
  const id = 'CONS-08/as-requested'
  if (exchange && rulesBrokenBy(exchange).includes(id)) {
    blockedBy(id, 'the consent has other permissions than those asked for', exchange)
  }
}

check(
  'DATA-08/other-filters',
  'The date filters work for each client and customer alike',
  { uses: ['everything', 'second client', 'second customer'] },
  async (context) => {
    await relyOnFilters(await context.approved(everything), 'from', 'to', 'both')
    const approvals: Approval[] = []
    for (const consent of others(context)) approvals.push(await context.approved(consent))
    if (approvals.length === 0) throw new NotApplicable('there is one client, and one customer')
    const telling: Approval[] = []
    for (const approval of approvals) {
      const readings = await filtered(approval, 'both')
      if (readings.some((reading) => reading.telling)) telling.push(approval)
    }
    if (telling.length === 0) lacking('three booked transactions at different times')
    for (const approval of telling) judge(await filterWrong(approval, 'both'))
  },
)

check(
  'DATA-08/same-data',
  'Two clients with the same permissions of one customer get the same accounts and transactions',
  { uses: ['everything', 'second client', 're-confirmed'] },
  async (context) => {
    context.tpp('second')
    const one = await context.approved(reconfirmed)
    const other = await context.approved(secondClient)
    await relyOnSameAccounts(one, other)
    const { rows, read: answer } = await between(one, bulk, () => other.get(bulk))
    await holds(answer, rows, one)
    const back = await between(other, bulk, () => one.get(bulk))
    await holds(back.read, back.rows, one)
    const [before, now, after] = [
      await one.get('/balances'),
      await other.get('/balances'),
      await one.get('/balances'),
    ].map((answer) => accountIdsIn(listed(answer, OTHER)).length)
    expectThat(before !== after || before === now, {
      message: 'one client gets balances of more accounts than the other',
      expected: `balances of ${before} accounts`,
      actual: `balances of ${now} accounts`,
    })
  },
)

/** Ends the check unless an answer holds what another approval of the customer shows before and after. */
async function holds(answer: Exchange, rows: Row[], whole: Approval): Promise<void> {
  bookedIn(answer, OTHER)
  const old = settled(rows)
  if (missingFrom(rowsOf(answer), old, keyAcrossConsents).length === 0) return
  await blameUnsteadiness(whole)
  await blamePages(whole)
  expect(answer).toHoldRows(old, keyAcrossConsents)
}
