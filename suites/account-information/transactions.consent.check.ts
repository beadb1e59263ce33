import type { Approval } from '../../engine/journey/approvals.ts'
import { check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { rulesBrokenBy } from '../../engine/journey/trace.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { succeeded } from '../../engine/judge/matchers.ts'
import { lacking } from '../../engine/judge/outcome.ts'
import { bookedAt, missingFrom, type Row, rowsOf } from '../../engine/judge/rows.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { basicCredits, debitsInPeriod, everything, noAccounts } from '../consents.ts'
import { bookingTimes, isBookedAtSomeTime, NEAR, queryOf } from './common/booking-times.ts'
import { approvedUnlessRefused } from './common/lawful-refusal.ts'
import { blamePages, keyAcrossConsents, relyOnSameAccounts, settled } from './common/one-answer.ts'
import { accountIdsIn, firstRead, listed, pathOf } from './common/readings.ts'
import {
  between,
  blameUnsteadiness,
  blockedBy,
  bookedIn,
  bulk,
  ownerOf,
  relyOnFilters,
} from './common/transaction-readings.ts'

/**
 * What a consent's own period and direction leave of the transactions that the unlimited consent of
 * the same customer shows. Requirements: specs/account-information/transactions.yaml
 */

const periodOwner = 'TXN-14/detail-alone'

check(
  'TXN-20/nothing-missing',
  'Under a consent with a period every transaction of the period is reported, whatever the query',
  { uses: ['everything', 'debits in a period'] },
  async ({ approved }) => {
    const whole = await approved(everything)
    const limited = await approved(debitsInPeriod)
    const { from, to } = periodOf(limited)
    const shown = bookedIn(await firstRead(whole, bulk), OWNERS.transactions)
    const times = bookingTimes(shown.filter((row) => !isCredit(row) && isWithin(row, from, to)))
    // Between the first and the last of them: the period may begin long before the data.
    const middle = ((times[0] ?? from) + (times.at(-1) ?? to)) / 2
    const day = 86_400_000
    const queries = [
      {},
      queryOf({ from: from - 10 * day, to: Math.min(to + 10 * day, Date.now()) }),
      queryOf({ from: from - 10 * day, to: middle }),
    ]
    for (const [index, query] of queries.entries()) {
      const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk, { query }))
      if (index === 0) relyOn(periodOwner, answer)
      else if (!succeeded(answer))
        relyOn('TXN-15/each-combination', await whole.get(bulk, { query }))
      expect(answer).toSucceed()
      bookedIn(answer, periodOwner)

      const end = index === 2 ? middle : to
      const debits = rows.filter((row) => row.CreditDebitIndicator === 'Debit')
      const inside = debits.filter((row) => isWithin(row, from + NEAR, end - NEAR))
      if (index === 2 && inside.length === 0) continue
      if (inside.length === 0) lacking('a booked debit within the period of the consent')
      if (inside.length === debits.length) lacking('a booked debit outside the period')
      if (lacksNone(answer, inside)) continue
      blameRuleOf(answer, 'TXN-25/direction', 'TXN-20/inside')
      await relyOnSameAccounts(whole, limited)
      await blameUnsteadiness(whole)
      if (index > 0) await relyOnFilters(whole, 'from', 'to', 'both')
      expect(answer).toHoldRows(inside, keyAcrossConsents)
    }
    await readSinglesToo(limited, queries.slice(0, 2))
  },
)

check(
  'TXN-20/end-alone',
  'A period with an end alone leaves nothing out of what lies before it',
  { uses: ['everything', 'no accounts', 'debits in a period'] },
  async (context) => {
    const whole = await context.approved(everything)
    const limited = await approvedUnlessRefused(context, noAccounts)
    const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
    bookedIn(answer, 'TXN-14/basic-alone')
    const { from, to } = periodOf(limited)
    const inside = settled(rows).filter((row) => isWithin(row, from, to - NEAR))
    if (inside.length === 0) lacking('a booked transaction before the end of the period')
    if (rows.every((row) => isWithin(row, from, to))) lacking('a booked transaction after it')
    blameRuleOf(answer, 'TXN-20/inside')
    if (lacksNone(answer, inside)) return
    await blameUnsteadiness(whole)
    await blamePeriods(whole, await context.approved(debitsInPeriod))
    expect(answer).toHoldRows(inside, keyAcrossConsents)
  },
)

/** Ends the check where a period with two ends leaves something out as well. */
async function blamePeriods(whole: Approval, limited: Approval): Promise<void> {
  const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
  const { from, to } = periodOf(limited)
  const debits = rows.filter((row) => !isCredit(row) && isWithin(row, from + NEAR, to - NEAR))
  if (lacksNone(answer, debits)) return
  blockedBy('TXN-20/nothing-missing', 'a period with two ends leaves something out too', answer)
}

/** Does an unlimited consent show that this one leaves something out? Rules say whether it does. */
check(
  'TXN-20/inside',
  'Under a consent with a period no transaction outside it is reported, whatever the query asks',
  { uses: ['everything', 'debits in a period'] },
  async ({ approved }) => {
    const whole = await approved(everything)
    const limited = await approved(debitsInPeriod)
    const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
    const { from, to } = periodOf(limited)
    bookedIn(answer, periodOwner)
    expect(answer).toHoldOnly(
      'within the period of the consent',
      (row) => !isBookedAtSomeTime(row) || isWithin(row, from - 1, to + 1),
    )
    const debits = rows.filter((row) => !isCredit(row))
    if (debits.every((row) => isWithin(row, from - 1, to + 1))) {
      lacking('a booked debit outside the period of the consent')
    }
  },
)

check(
  'TXN-25/direction',
  'Under ReadTransactionsCredits or ReadTransactionsDebits alone the other direction is absent',
  { uses: ['everything', 'debits in a period'] },
  async ({ approved }) => {
    const whole = await approved(everything)
    const limited = await approved(debitsInPeriod)
    const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
    const { from, to } = periodOf(limited)
    bookedIn(answer, periodOwner)
    expect(answer).toHoldOnly('a Debit', (row) => !isCredit(row))
    if (!rows.some((row) => isCredit(row) && isWithin(row, from, to))) {
      lacking('a booked credit within the period of the consent')
    }
  },
)

check(
  'TXN-21/open-ends',
  'A consent without a period reports whatever a consent with a period reports',
  { uses: ['everything', 'debits in a period'] },
  async ({ approved }) => {
    const whole = await approved(everything)
    const limited = await approved(debitsInPeriod)
    const { rows, read: answer } = await between(limited, bulk, () => whole.get(bulk))
    if (rows.length === 0) lacking('a booked transaction under the consent with a period')
    bookedIn(answer, OWNERS.transactions)
    if (lacksNone(answer, rows)) return
    await relyOnSameAccounts(whole, limited)
    await blameUnsteadiness(whole)
    await blamePages(whole)
    expect(answer).toHoldRows(rows, keyAcrossConsents)
  },
)

check(
  'TXN-25/complete',
  'Under ReadTransactionsCredits alone every credit is reported',
  { uses: ['everything', 'basic credits'] },
  async (context) => {
    const whole = await context.approved(everything)
    const credits = await approvedUnlessRefused(context, basicCredits)
    const { rows, read: answer } = await between(whole, bulk, () => credits.get(bulk))
    const { from, to } = periodOf(credits)
    const inside = settled(rows).filter((row) => isWithin(row, from + NEAR, to - NEAR))
    const wanted = inside.filter((row) => row.CreditDebitIndicator === 'Credit')
    if (wanted.length === 0 || wanted.length === inside.length) {
      lacking('booked transactions of both directions within the period of the consent')
    }
    bookedIn(answer, 'TXN-14/basic-alone')
    await readSinglesToo(credits, [{}])
    if (lacksNone(answer, wanted)) return
    blameRuleOf(answer, 'TXN-25/direction', 'TXN-20/inside')
    await relyOnSameAccounts(whole, credits)
    await blameUnsteadiness(whole)
    await blamePages(whole)
    expect(answer).toHoldRows(wanted, keyAcrossConsents)
  },
)

/** Asks the single endpoint as well: rules judge whether it keeps to the consent. */
async function readSinglesToo(
  approval: Approval,
  queries: Record<string, string>[],
): Promise<void> {
  const ids = accountIdsIn(listed(await firstRead(approval, bulk), ownerOf(approval, bulk)))
  for (const id of ids) {
    for (const query of queries) await approval.get(pathOf(id, '/transactions'), { query })
  }
}

const isCredit = (row: Row) => row.CreditDebitIndicator === 'Credit'

/** The consent's own period, milliseconds since 1970. */
function periodOf({ facts }: Approval): { from: number; to: number } {
  const { transactionFrom, transactionTo } = facts
  const from = transactionFrom === undefined ? -Infinity : Date.parse(transactionFrom)
  const to = transactionTo === undefined ? Infinity : Date.parse(transactionTo)
  return { from, to }
}

function isWithin(row: Row, from: number, to: number): boolean {
  const at = isBookedAtSomeTime(row) ? bookedAt(row) : undefined
  return at !== undefined && at > from && at < to
}

function lacksNone(answer: Exchange, rows: Row[]): boolean {
  return missingFrom(rowsOf(answer), rows, keyAcrossConsents).length === 0
}

/** Ends the check where an answer breaks a rule of the consent: it lacks rows for the same reason. */
function blameRuleOf(answer: Exchange, ...rules: string[]): void {
  const broken = rules.find((rule) => rulesBrokenBy(answer).includes(rule))
  if (broken) blockedBy(broken, `the answer breaks ${broken}`, answer)
}
