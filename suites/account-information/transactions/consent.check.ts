import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { Approval } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import {
  blockBy,
  blockForData,
  blockForFreedom,
  NotApplicable,
} from '../../../engine/suite-api/outcomes.ts'
import {
  bookedAt,
  bookingTimes,
  brief,
  type Exchange,
  isBooked,
  isBookedAtSomeTime,
  marginsIn,
  type Row,
  refused,
  rowsOf,
} from '../../../engine/suite-api/responses.ts'
import {
  basicCredits,
  codeOfAnotherClient,
  debitsInPeriod,
  everything,
  narrowOfSeconds,
  noAccounts,
  secondCustomer,
} from '../../consents.ts'
import { listsOfOne } from '../../ended-consents.ts'
import { OWNERS } from '../../owners.ts'
import { approvedUnlessRefused } from '../common/consents/optional-consents.ts'
import { numberOf } from '../common/data/account-comparisons.ts'
import { blockForBookings, dueIfAny, NEAR, queryOf, settled } from '../common/data/booking-times.ts'
import {
  atOtherAmounts,
  keyAcrossConsents,
  relyOnOneResponse,
  relyOnSameAccounts,
} from '../common/data/completeness.ts'
import {
  accountIdsIn,
  firstRead,
  requireAccountIds,
  rowsOfStrangers,
} from '../common/data/data-reads.ts'
import { endsAtNinetyDays, HISTORY, requireWholeHistories } from '../common/data/history.ts'
import {
  beyond,
  expectPeriod,
  isCredit,
  isWithin,
  lacksNone,
  periodOf,
  readPeriod,
  readSinglesToo,
  relyOnRules,
} from '../common/data/period-reads.ts'
import {
  between,
  bookedIn,
  bulk,
  expectNone,
  relyOnFilters,
  relyOnSteadyRows,
} from '../common/data/transaction-readings.ts'
import { approvedAfterTries } from '../common/tokens/codes.ts'
import { goOnRefreshed } from '../common/tokens/refreshed-access.ts'

/**
 * A consent's own period and direction, compared with the transactions that the unlimited
 * consent of the same customer shows. Requirements: specs/account-information/transactions.yaml
 */

const periodOwner = 'TXN-14/detail-alone'

/**
 * Consent with a period inside the data. Requests without query, with a wider query and with
 * one that overlaps its start show every row of the unlimited consent of the same customer
 * in that time. Accounts of two consents are matched by their rows, not by AccountId.
 * Blocked by TXN-17/both where that fails, and without rows inside and outside the period.
 */
check(
  'TXN-20/nothing-missing',
  'Under a consent with a period every transaction of the period is reported, whatever the query',
  { uses: [everything, debitsInPeriod] },
  async ({ approved }) => {
    const whole = await approved(everything)
    const limited = await approved(debitsInPeriod)
    const { from, to } = periodOf(limited)
    const shown = bookedIn(await firstRead(whole, bulk), OWNERS.transactions)
    const times = bookingTimes(shown.filter((row) => !isCredit(row) && isWithin(row, from, to)))
    // Between the first and the last row: the period may begin long before the data.
    const middle = ((times[0] ?? from) + (times.at(-1) ?? to)) / 2
    const queries = [
      {},
      beyond({ from, to }),
      { ...beyond({ from, to }), ...queryOf({ to: middle }) },
    ]
    for (const [index, query] of queries.entries()) {
      const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk, { query }))
      if (index === 0) relyOn(periodOwner, answer).toSucceed()
      // A query that is refused under any consent is judged by TXN-15/each-combination and TXN-47/out-of-range.
      else if (refused(answer) && refused(await whole.get(bulk, { query }))) continue
      expect(answer).toSucceed()
      bookedIn(answer, periodOwner)

      const end = index === 2 ? middle : to
      const debits = rows.filter((row) => row.CreditDebitIndicator === 'Debit')
      const margin = marginsIn(rows, NEAR)
      const inPeriod = debits.filter((row) => isWithin(row, from + margin(row), end - margin(row)))
      if (index === 2 && inPeriod.length === 0) continue
      if (inPeriod.length === 0) {
        await requireWholeHistories(whole)
        blockForBookings('a booked debit within the period of the consent', rows)
      }
      if (inPeriod.length === debits.length) blockForData('a booked debit outside the period')
      if (lacksNone(answer, inPeriod)) continue
      await requireWholeHistories(limited)
      relyOnRules(answer, 'TXN-25/direction', 'TXN-20/inside')
      await relyOnSameAccounts(whole, limited)
      await relyOnSteadyRows(whole)
      if (index > 0) await relyOnFilters(whole, 'from', 'to', 'both')
      expect(answer).toHoldRows(inPeriod, keyAcrossConsents)
    }
    await readSinglesToo(limited, queries.slice(0, 2))
  },
)

/** The same under a consent of the second client and customer, also after a refresh. */
check(
  'TXN-20/second-client',
  'Under a consent of the second client too every transaction of its period is reported',
  {
    uses: [secondCustomer, narrowOfSeconds],
    needs: ['clients.second', 'customers.second'],
    follows: [
      'TXN-20/nothing-missing',
      'TXN-23/all-accounts',
      'TXN-28/second-read',
      'DATA-09/same-data',
    ],
  },
  async ({ approved }) => {
    const whole = await approved(secondCustomer)
    const limited = await approved(narrowOfSeconds)
    await expectPeriod(whole, limited)
    if (await goOnRefreshed(limited)) await expectPeriod(whole, limited)
  },
)

/**
 * The consent with only an end shows what the unlimited consent shows before that end.
 * What lies after it, even if the query asks for it, is judged by TXN-20/inside; a start
 * alone by TXN-25/complete. Not applicable when the bank refuses such permissions.
 */
check(
  'TXN-20/end-alone',
  'Under a period that has only an end every transaction before it is reported',
  { uses: [everything, noAccounts, debitsInPeriod] },
  async (context) => {
    const whole = await context.approved(everything)
    const limited = await approvedUnlessRefused(context, noAccounts)
    const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
    bookedIn(answer, 'TXN-14/basic-alone')
    const { from, to } = periodOf(limited)
    const margin = marginsIn(rows, NEAR)
    const inPeriod = settled(rows).filter((row) => isWithin(row, from, to - margin(row)))
    if (inPeriod.length === 0) {
      await requireWholeHistories(whole)
      blockForBookings('a booked transaction before the end of the period', rows)
    }
    if (rows.every((row) => isWithin(row, from, to))) blockForData('a booked transaction after it')
    await readPeriod(limited)
    relyOnRules(answer, 'TXN-20/inside')
    if (lacksNone(answer, inPeriod)) return
    await requireWholeHistories(limited)
    await relyOnSteadyRows(whole)
    await relyOnPeriods(whole, await context.approved(debitsInPeriod))
    expect(answer).toHoldRows(inPeriod, keyAcrossConsents)
  },
)

/** Ends the check where rows are also missing under a period with two ends. */
async function relyOnPeriods(whole: Approval, limited: Approval): Promise<void> {
  const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
  const { from, to } = periodOf(limited)
  const margin = marginsIn(rows, NEAR)
  const debits = rows.filter(
    (row) => !isCredit(row) && isWithin(row, from + margin(row), to - margin(row)),
  )
  if (lacksNone(answer, debits)) return
  blockBy('TXN-20/nothing-missing', 'a period with two ends leaves something out too', answer)
}

/** Checks that the unlimited consent shows rows outside the period. The rule of this id judges the answers. */
check(
  'TXN-20/inside',
  'Under a consent with a period no transaction outside it is reported, whatever the query asks',
  { uses: [everything, debitsInPeriod] },
  async ({ approved }) => {
    const whole = await approved(everything)
    const limited = await approved(debitsInPeriod)
    const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
    const { from, to } = periodOf(limited)
    const margin = marginsIn(rows, 1)
    bookedIn(answer, periodOwner)
    expect(answer).toHoldOnly(
      'within the period of the consent',
      (row) => !isBookedAtSomeTime(row) || isWithin(row, from - margin(row), to + margin(row)),
    )
    const debits = rows.filter((row) => !isCredit(row))
    if (debits.every((row) => isWithin(row, from - margin(row), to + margin(row)))) {
      blockForData('a booked debit outside the period of the consent')
    }
  },
)

type OfDirections = Context<typeof everything | typeof debitsInPeriod | typeof basicCredits>

/**
 * The direction that the unlimited consent (with both) shows no rows of, and rows of it under the
 * customer's consent for that direction alone. undefined where both are shown, or no consent shows it.
 */
async function lackingDirection(context: OfDirections) {
  const answer = await firstRead(await context.approved(everything), bulk)
  const rows = bookedIn(answer, OWNERS.transactions)
  const directions = new Set(rows.map(({ CreditDebitIndicator }) => CreditDebitIndicator))
  const missing = ['Credit', 'Debit'].filter((each) => !directions.has(each))
  const [direction] = missing
  if (missing.length !== 1 || direction === undefined) return undefined
  const limited =
    direction === 'Debit'
      ? await context.approved(debitsInPeriod)
      : await approvedUnlessRefused(context, basicCredits)
  const shown = settled(rowsOf(await firstRead(limited, bulk))).filter(isBooked)
  const others = shown.filter(({ CreditDebitIndicator }) => CreditDebitIndicator === direction)
  return others.length > 0 ? { answer, direction, others } : undefined
}

const DIRECTIONS = { uses: [everything, debitsInPeriod, basicCredits] } as const

/** Blocked unless consents of the customer show a booked credit and a booked debit. */
check(
  'TXN-25/both',
  'A consent with ReadTransactionsCredits and ReadTransactionsDebits reports both directions',
  DIRECTIONS,
  async (context) => {
    const whole = await context.approved(everything)
    const lacking = await lackingDirection(context)
    if (!lacking) {
      const rows = bookedIn(await firstRead(whole, bulk), OWNERS.transactions)
      if (rows.some(isCredit) && !rows.every(isCredit)) return
      blockForBookings('booked transactions of both directions', rows)
    }
    await requireWholeHistories(whole)
    const { answer, direction, others } = lacking
    expectThat(false, {
      message: `no ${direction} is reported, and the consent for them alone shows ${others.length}`,
      expected: brief(others[0]),
      actual: 'the other direction alone',
      exchange: answer,
    })
  },
)

/** Ends the check where the bank omits one direction. */
async function relyOnBothDirections(context: OfDirections): Promise<void> {
  const lacking = await lackingDirection(context).catch(() => undefined)
  if (lacking) blockBy('TXN-25/both', `no ${lacking.direction} is reported`, lacking.answer)
}

/**
 * The same under Debits alone; blocked where the unlimited consent
 * of the same customer shows no credit in the same period.
 */
check(
  'TXN-25/direction',
  'Under ReadTransactionsCredits or ReadTransactionsDebits alone the other direction is absent',
  DIRECTIONS,
  async (context) => {
    const whole = await context.approved(everything)
    const limited = await context.approved(debitsInPeriod)
    const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
    const { from, to } = periodOf(limited)
    bookedIn(answer, periodOwner)
    expect(answer).toHoldOnly('a Debit', (row) => !isCredit(row))
    // A bank may show less some time after the login: what it showed before counts as far back as this answer reaches.
    const [oldest = Number.POSITIVE_INFINITY] = bookingTimes(rowsOf(answer))
    const first = rowsOf(await firstRead(whole, bulk)).filter(isBookedAtSomeTime)
    const shown = [...rows, ...first.filter((row) => (bookedAt(row) ?? 0) >= oldest)]
    const isOfPeriod = (row: Row) => isWithin(row, from, to)
    if (shown.some((row) => isCredit(row) && isOfPeriod(row))) return
    await relyOnBothDirections(context)
    const reaches = [...rows, ...first].some(isOfPeriod) || rowsOf(answer).length === 0
    if (!reaches) blockForFreedom('a history that reaches as far as the period of another consent')
    blockForBookings('a booked credit within the period of the consent', rows)
  },
)

/** One of them has a period that starts before everything that a bank shows by default. */
check(
  'TXN-21/open-ends',
  'A consent without a period reports whatever a consent with a period reports',
  { uses: [everything, debitsInPeriod], over: [basicCredits], follows: ['TXN-25/both'] },
  async (context, consent) => {
    const whole = await context.approved(everything)
    const limited =
      consent.name === basicCredits.name
        ? await approvedUnlessRefused(context, basicCredits)
        : await context.approved(debitsInPeriod)
    const read = () => between(limited, bulk, () => whole.get(bulk))
    let { rows, read: answer } = await read()
    rows = dueIfAny(rows)
    if (rows.length === 0) blockForData('a booked transaction under the consent with a period')
    bookedIn(answer, OWNERS.transactions)
    // The length of the history may depend on whether the token comes from a login.
    if (!lacksNone(answer, rows) && (await goOnRefreshed(limited))) {
      ;({ rows, read: answer } = await read())
      rows = dueIfAny(rows)
    }
    if (lacksNone(answer, rows)) return expectNone(await atOtherAmounts(limited, answer))
    const [stranger] = await rowsOfStrangers(limited, rows)
    if (stranger) blockBy('TXN-03/of-the-consent', 'a row is of no account of the consent', answer)
    await requireWholeHistories(whole)
    await relyOnSameAccounts(whole, limited)
    await relyOnSteadyRows(whole)
    await relyOnOneResponse(whole)
    expect(answer).toHoldRows(rows, keyAcrossConsents)
  },
)

/**
 * The consent with Credits alone shows all Credit rows of the unlimited one, same customer. Not
 * applicable when the bank refuses such a consent. Blocked without rows of both directions.
 */
check(
  'TXN-25/complete',
  'Under ReadTransactionsCredits alone every credit is reported',
  DIRECTIONS,
  async (context) => {
    const whole = await context.approved(everything)
    const credits = await approvedUnlessRefused(context, basicCredits)
    const { rows, read: answer } = await between(whole, bulk, () => credits.get(bulk))
    const { from, to } = periodOf(credits)
    const margin = marginsIn(rows, NEAR)
    const inPeriod = settled(rows).filter((row) =>
      isWithin(row, from + margin(row), to - margin(row)),
    )
    const wanted = inPeriod.filter((row) => row.CreditDebitIndicator === 'Credit')
    if (wanted.length === 0 || wanted.length === inPeriod.length) {
      await relyOnBothDirections(context)
      blockForBookings(
        'booked transactions of both directions within the period of the consent',
        rows,
      )
    }
    bookedIn(answer, 'TXN-14/basic-alone')
    await readPeriod(credits)
    if (lacksNone(answer, wanted)) return
    await requireWholeHistories(credits)
    relyOnRules(answer, 'TXN-25/direction', 'TXN-20/inside')
    await relyOnSameAccounts(whole, credits)
    await relyOnSteadyRows(whole)
    await relyOnOneResponse(whole)
    expect(answer).toHoldRows(wanted, keyAcrossConsents)
  },
)

/**
 * The consent for one account, whose period ends in sixty days, shows what the unlimited consent shows of that account,
 * of which the card number tells. Of a history that reaches back ninety days only those are compared.
 * Not applicable where the bank refuses such a period, or where no card number is shown.
 */
check(
  'TXN-20/ends-later',
  'Under a consent whose period ends in the future the transactions until now are reported',
  {
    uses: [everything, codeOfAnotherClient],
    follows: [
      'ACC-04/same-card',
      'TXN-20/nothing-missing',
      'TXN-20/end-alone',
      'TXN-23/all-accounts',
    ],
  },
  async (context) => {
    const whole = await context.approved(everything)
    const lists = await listsOfOne(context)
    const limited = await approvedAfterTries(context)
    if (limited.facts.transactionTo === undefined) {
      throw new NotApplicable('the bank refuses a period that ends in the future')
    }
    const answerOf = (wanted: string) => lists.find(({ path }) => path === wanted)?.answer
    const [accounts, first] = [answerOf('/accounts'), answerOf(bulk)]
    if (!accounts || !first) throw new TypeError('a list was not read')
    expect(first).toSucceed()
    const chosen = rowsOf(accounts).map(numberOf)
    const listed = rowsOf(await firstRead(whole, '/accounts'))
    const same = listed.filter((row) => chosen.includes(numberOf(row)))
    if (chosen.includes(undefined) || same.length !== chosen.length) {
      throw new NotApplicable('the account that was chosen cannot be told from the others')
    }
    await requireAccountIds(whole)
    const ids = accountIdsIn(same)
    const known = bookedIn(await firstRead(whole, bulk), OWNERS.transactions)
    if (lacksNone(first, dueIn(first, known, ids))) return
    const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
    const due = dueIn(answer, rows, ids)
    await requireWholeHistories(whole, limited)
    relyOnRules(answer, 'TXN-20/inside')
    await relyOnSteadyRows(whole)
    expect(answer).toHoldRows(due, keyAcrossConsents)
  },
)

/** Rows of some accounts that an answer must show, as far as its history reaches back. */
function dueIn(answer: Exchange, rows: Row[], ids: string[]): Row[] {
  const begin = endsAtNinetyDays(answer) ? Date.parse(answer.startedAt) - HISTORY : -Infinity
  const due = settled(rows).filter(
    (row) => ids.includes(String(row.AccountId)) && isWithin(row, begin, Infinity),
  )
  if (due.length > 0) return due
  blockForBookings(
    'a booked transaction of the last ninety days in the account that was chosen',
    rows,
  )
}
