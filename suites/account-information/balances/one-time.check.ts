import { check } from '../../../engine/suite-api/check.ts'
import { expectThat } from '../../../engine/suite-api/expect.ts'
import { blockForData, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, type Row, rowsOf, succeeded } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { steadyBalances, timesOf } from '../common/data/balance-rows.ts'
import { bulkAgain, firstRead, pathOf, requireRows, singles } from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { secondsOf } from '../common/instants.ts'

/** DateTime of GET /balances and GET /accounts/{AccountId}/balances. Requirements: specs/account-information/balances.yaml */

/**
 * Reads the list, the single addresses and the list again. Fails: the balances of an account are the same in all of
 * them, both lists give them one DateTime, and the single address one that is whole hours apart, twice. Not judged: a
 * DateTime within an hour of its answer, which may be the time of reading, or of an answer that is kept; times on
 * the hour, which may be those of batches.
 */
check(
  'BAL-28/one-time',
  'The single answer and the bulk answer give a balance the same DateTime',
  {
    uses: [everything],
    follows: ['BAL-14/bulk-equals-single', 'BAL-21/not-in-future', 'BAL-26/of-a-time'],
  },
  async ({ approved }) => {
    const approval = await approved(everything)
    const owner = readOwner(approval, '/balances')
    const bulk = await firstRead(approval, '/balances')
    const answers = await singles(approval, '/balances')
    const again = requireRows(await bulkAgain(approval, '/balances'), owner)
    const steady = steadyBalances(requireRows(bulk, owner), again)
    if (steady.length === 0) blockForData('an account whose balances both lists show alike')
    let compared = 0
    for (const { accountId, rows, key } of steady) {
      const later = again.filter((row) => row.AccountId === accountId)
      const single = answers.get(accountId)
      const shown = single ? rowsOf(single) : []
      if (!single || key(shown) !== key(rows) || !haveOneTime(rows, later)) continue
      const isOne = haveOneTime(rows, shown)
      if (!haveTimes(shown) || (!isOne && (isFresh(shown, single) || isFresh(rows, bulk)))) continue
      compared += 1
      if (isOne) continue
      // Copies of different ages have times that are not hours apart.
      if (!areHoursApart(rows, shown)) continue
      const twice = await approval.get(pathOf(accountId, '/balances'))
      // The two may come from servers that take turns.
      if (!succeeded(twice) || !haveOneTime(shown, rowsOf(twice))) continue
      expectThat(false, {
        message: 'the single answer gives a balance another DateTime than the bulk answer',
        expected: timesOf(rows),
        actual: timesOf(shown),
        exchange: single,
      })
    }
    if (compared === 0)
      throw new NotApplicable('the DateTime of a balance is the time of its answer')
  },
)

const haveTimes = (rows: Row[]): boolean =>
  rows.every(({ DateTime }) => secondsOf(DateTime) !== undefined)

/** The seconds by which the times of two answers differ, in their order by Type; undefined where they cannot be compared. */
function secondsApart(some: Row[], others: Row[]): number[] | undefined {
  if (!haveTimes(some) || !haveTimes(others)) return undefined
  const [one, other] = [some, others].map((rows) =>
    rows
      .map(({ Type, DateTime }) => ({ type: String(Type), at: secondsOf(DateTime) ?? 0 }))
      .sort((a, b) => a.type.localeCompare(b.type) || a.at - b.at),
  )
  if (one?.map(({ type }) => type).join() !== other?.map(({ type }) => type).join())
    return undefined
  return one?.map(({ at }, index) => Math.abs(at - (other?.[index]?.at ?? 0)))
}

/** Servers may round to a second. */
const haveOneTime = (some: Row[], others: Row[]): boolean =>
  secondsApart(some, others)?.every((apart) => apart <= 1) ?? false

const beyondHours = (seconds: number): number =>
  Math.abs(seconds - Math.round(seconds / 3600) * 3600)

/** Are they apart by the whole hours of a time zone, and not all of them on the hour? */
const areHoursApart = (some: Row[], others: Row[]): boolean =>
  some.some(({ DateTime }) => beyondHours(secondsOf(DateTime) ?? 0) > 1) &&
  (secondsApart(some, others)?.every((apart) => apart <= 14 * 3600 && beyondHours(apart) <= 1) ??
    false)

/** Is a DateTime within an hour of the answer? */
function isFresh(rows: Row[], { startedAt }: Exchange): boolean {
  const asked = Date.parse(startedAt) / 1000
  return rows.some(({ DateTime }) => Math.abs((secondsOf(DateTime) ?? 0) - asked) < 3600)
}
