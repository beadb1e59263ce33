import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { Approval, NamedConsent } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { blockBy } from '../../../engine/suite-api/outcomes.ts'
import {
  type Exchange,
  missingFrom,
  type Row,
  rowsOf,
  rulesBrokenBy,
} from '../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../engine/suite-api/rule.ts'
import { everything, reconfirmed, secondClient, secondCustomer } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { timesOf } from '../common/data/balance-rows.ts'
import { settled } from '../common/data/booking-times.ts'
import {
  atOtherAmounts,
  keyAcrossConsents,
  relyOnOneResponse,
  relyOnSameAccounts,
} from '../common/data/completeness.ts'
import {
  accountIdsIn,
  firstRead,
  pathOf,
  requireRows,
  singles,
  type Tail,
} from '../common/data/data-reads.ts'
import { requireWholeHistories } from '../common/data/history.ts'
import { amountOf } from '../common/data/same-rows.ts'
import {
  between,
  bookedIn,
  bulk,
  expectNone,
  relyOnSteadyRows,
} from '../common/data/transaction-readings.ts'

/**
 * Every other approval with the permissions of the first gives what the first gives: that of another
 * client, of another customer, of a re-confirmation. Requirements: specs/account-information/data.yaml
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

/** The approvals of the other client and the other customer, where the target has them. */
function others({ target }: Context): (typeof secondClient | typeof secondCustomer)[] {
  return [
    ...(target.clients.second ? [secondClient] : []),
    ...(target.document.customers.second ? [secondCustomer] : []),
  ]
}

/**
 * All six data endpoints, for each account, under the approval of the second client,
 * that of the second customer, and after the re-confirmation: each answers 2xx.
 */
check(
  'DATA-08/other-approvals',
  'Every data endpoint serves the approvals of each client and customer, for each of their accounts',
  {
    uses: [everything, secondClient, secondCustomer, reconfirmed],
    follows: ['CLC-19/others-untouched'],
  },
  async (context) => {
    const first = await context.approved(everything)
    for (const { bulk: path, tail, owner, singleOwner } of ENDPOINTS) {
      relyOn(owner, await firstRead(first, path)).toSucceed()
      for (const answer of (await singles(first, tail)).values())
        relyOn(singleOwner, answer).toSucceed()
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
    blockBy(id, 'the consent has other permissions than those asked for', exchange)
  }
}

/**
 * The second client and the re-confirmed approval have the same permissions of one customer: each
 * shows the booked rows that the other shows both before and after it, and as many accounts.
 */
check(
  'DATA-09/same-data',
  'Two clients with the same permissions of one customer get the same accounts and transactions',
  { uses: [everything, secondClient, reconfirmed], needs: ['clients.second'] },
  async (context) => {
    context.tpp('second')
    const one = await context.approved(reconfirmed)
    const other = await context.approved(secondClient)
    await relyOnSameAccounts(one, other)
    const { rows, read: answer } = await between(one, bulk, () => other.get(bulk))
    await expectHeld(answer, rows, one, other)
    const back = await between(other, bulk, () => one.get(bulk))
    await expectHeld(back.read, back.rows, one, other)
    const once = await otherBalances(one, other)
    // Balances that move within one second may be the same twice by chance.
    const finding = once && (await otherBalances(one, other))
    if (finding) expectThat(false, finding)
  },
)

/** How one client's balances differ from those that the other gets before and after them. */
async function otherBalances(one: Approval, other: Approval): Promise<Finding | undefined> {
  const answers = [
    await one.get('/balances'),
    await other.get('/balances'),
    await one.get('/balances'),
  ].map((answer) => requireRows(answer, OTHER))
  const [before, now, after] = answers.map((rows) => accountIdsIn(rows).length)
  if (before === after && before !== now) {
    return {
      message: 'one client gets balances of more accounts than the other',
      expected: `balances of ${before} accounts`,
      actual: `balances of ${now} accounts`,
    }
  }
  const [timeBefore, time, timeAfter] = answers.map(timesOf)
  // Each client may get the balances of another moment, if they say so.
  if (timeBefore === timeAfter && timeBefore !== time) return undefined
  for (const [words, amountsIn] of AMOUNTS) {
    const [first, others, again] = answers.map(amountsIn)
    if (first === '' || others === '' || first !== again || first === others) continue
    return {
      message: `one client gets other ${words} than the other`,
      expected: String(first),
      actual: String(others),
    }
  }
  return undefined
}

/** The amounts of balances without AccountIds, which may differ between two consents. */
function owedIn(rows: Row[]): string {
  const each = rows.map((row) => `${String(amountOf(row))} ${String(row.CreditDebitIndicator)}`)
  return each.sort().join(', ')
}

/**
 * The same for the credit lines of balances; empty where a balance has none or
 * several: no requirement says that answers have them, or have the same number.
 */
function linesIn(rows: Row[]): string {
  const ofEach = rows.map(({ CreditLine }) => [CreditLine ?? []].flat() as Row[])
  if (ofEach.some(({ length }) => length !== 1)) return ''
  const lines = ofEach.flat()
  const each = lines.map((line) => `${String(line?.Type)} ${String(line && amountOf(line))}`)
  return each.sort().join(', ')
}

const AMOUNTS = [
  ['balances', owedIn],
  ['credit lines', linesIn],
] as const

/** Ends the check unless an answer has what another approval of the customer shows before and after it. */
async function expectHeld(
  answer: Exchange,
  rows: Row[],
  whole: Approval,
  other: Approval,
): Promise<void> {
  bookedIn(answer, OTHER)
  const old = settled(rows)
  if (missingFrom(rowsOf(answer), old, keyAcrossConsents).length === 0) {
    return expectNone(await atOtherAmounts(whole, answer))
  }
  await requireWholeHistories(whole, other)
  await relyOnSteadyRows(whole)
  await relyOnOneResponse(whole)
  expect(answer).toHoldRows(old, keyAcrossConsents)
}
