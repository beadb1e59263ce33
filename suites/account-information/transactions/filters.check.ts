import { check } from '../../../engine/suite-api/check.ts'
import { DAY, HOUR, now } from '../../../engine/suite-api/clock.ts'
import type { Approval } from '../../../engine/suite-api/consents.ts'
import { expect, matchers, relyOn } from '../../../engine/suite-api/expect.ts'
import { blockBy, blockForData, Nonconformance } from '../../../engine/suite-api/outcomes.ts'
import {
  bookedAt,
  bookingTimes,
  type Exchange,
  isBooked,
  isBookedAtSomeTime,
  missingFrom,
  type Row,
  refused,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { everything, OF_EVERYBODY, WITH_TRANSACTIONS } from '../../consents.ts'
import { approvalOf } from '../common/consents/optional-consents.ts'
import { ABSENT, dueWhileAbsent, lessWhileAbsent } from '../common/data/absent-reads.ts'
import {
  type Bounds,
  blockForBookings,
  boundsFor,
  dueIfAny,
  emptyWindow,
  FILTERS,
  inUtc,
  justBefore,
  queryOf,
  settled,
} from '../common/data/booking-times.ts'
import { expectLeapDay, lastDayOfOddYear } from '../common/data/calendar-days.ts'
import { relyOnWholeAnswers } from '../common/data/completeness.ts'
import { requireRows, servedRead } from '../common/data/data-reads.ts'
import { HISTORY, needsLogin, ofNinetyDays } from '../common/data/history.ts'
import { readOwner } from '../common/data/read-owners.ts'
import {
  addresses,
  between,
  bulk,
  expectNone,
  filtered,
  filterFinding,
  filterWrong,
  latest,
  NEEDED,
  relyOnFilters,
  relyOnSteadyRows,
} from '../common/data/transaction-readings.ts'

/**
 * fromBookingDateTime and toBookingDateTime on both transaction endpoints. No instant
 * equals the time of a booking. Requirements: specs/account-information/transactions.yaml
 */

check(
  'TXN-15/each-combination',
  'Each filter alone and both together are accepted on both transaction endpoints',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    for (const kind of ['from', 'to', 'both'] as const) {
      for (const { answer } of await filtered(approval, kind)) expect(answer).toSucceed()
    }
    if (consent !== everything) return
    await expectLeapDay((instant) =>
      approval.get(bulk, { query: { fromBookingDateTime: instant } }),
    )
  },
)

/**
 * On both endpoints: all, filtered, all. The instant is five minutes after a booking
 * (before one, for TXN-17/to-alone), so that a time zone shift shows, in the summer if
 * possible, with rows on both sides and none at the instant. The filtered answer has
 * no row before it, and lacks no row after it. Blocked without rows on both sides.
 */
check(
  'TXN-16/from-alone',
  'fromBookingDateTime alone drops what was booked before it and keeps the rest',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    await expectFilter(approval, 'from')
    if (consent !== everything) return
    await expectFilterWithoutCustomer(approval, 'from')
    await expectYearOfDay(approval)
  },
)

check(
  'TXN-17/to-alone',
  'toBookingDateTime alone drops what was booked after it and keeps the rest',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    await expectFilter(approval, 'to')
    if (consent === everything) await expectFilterWithoutCustomer(approval, 'to')
  },
)

/**
 * On both endpoints, a window with rows before, in and after it: no row outside it, and no row
 * inside missing. Blocked by TXN-16/from-alone or TXN-17/to-alone where one of them fails.
 */
check(
  'TXN-17/both',
  'Both filters together keep what was booked between them and nothing else',
  {
    uses: [everything],
    over: WITH_TRANSACTIONS,
    follows: ['TXN-16/from-alone', 'TXN-17/to-alone'],
  },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    await relyOnFilters(approval, 'from', 'to')
    await expectFilter(approval, 'both')
    if (consent === everything) await expectFilterWithoutCustomer(approval, 'both')
  },
)

/**
 * From long before the first booking, to a day ahead, each alone and both: every row booked
 * between the two is shown. A bank that refuses one of them is judged by TXN-15/each-combination.
 */
check(
  'TXN-17/nothing-to-drop',
  'Filters before the first and after the last booking leave nothing out',
  { uses: [everything], over: OF_EVERYBODY },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    await relyOnFilters(approval, 'from', 'to', 'both')
    for (const path of (await addresses(approval)).slice(0, 2)) {
      const to = now() + DAY
      const { rows, read } = await between(approval, path, async ([oldest = to]) => {
        const from = Math.max(YEAR_0, Math.min(YEAR_1990, oldest - DAY))
        const answers: Exchange[] = []
        for (const bounds of [{ from }, { to }, { from, to }])
          answers.push(await approval.get(path, { query: queryOf(bounds) }))
        return answers
      })
      // Rows booked on a future working day are reported elsewhere (TXN-35), and are not expected here.
      const due = rows.filter((row) => (bookedAt(row) ?? 0) < to)
      if (due.length === 0) blockForData('a booked transaction')
      for (const answer of read.filter(succeeded)) {
        const finding = matchers.toHoldRows(answer, dueIfAny(due))
        if (finding) await relyOnSteadyRows(approval)
        expectNone(finding && { ...finding, exchange: answer })
      }
    }
  },
)

/**
 * From later than to, with rows on both sides of each: refused, or 2xx
 * without any Booked row. Blocked by TXN-17/both where that fails.
 */
check(
  'TXN-17/reversed',
  'A fromBookingDateTime later than toBookingDateTime gives no booked transaction',
  { uses: [everything], over: WITH_TRANSACTIONS },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    await relyOnFilters(approval, 'from', 'to', 'both')
    const all = await filtered(approval, 'reversed')
    const readings = all.filter(({ telling }) => telling)
    if (readings.length === 0) {
      blockForBookings(
        'three booked transactions at different times',
        all.flatMap(({ rows }) => rows),
      )
    }
    for (const { answer } of readings) {
      // An answer without a list has no row. TXN-30/array judges it where the window is not reversed.
      if (refused(answer)) continue
      relyOn('TXN-17/both', answer).toSucceed()
      expect(answer).toHoldOnly('a transaction still pending', (row) => !isBooked(row))
    }
  },
)

/**
 * On both endpoints: from 1990, to the next day, and both, as no sentence says how far apart they may be. Earlier and
 * later times are asked by TXN-16/far and TXN-17/far.
 */
check(
  'TXN-47/out-of-range',
  'A filter that begins before the first transaction, or ends after the last, is not refused',
  { uses: [everything], follows: ['TXN-01/answers-200', 'TXN-15/each-combination'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    for (const path of (await addresses(approval)).slice(0, 2)) {
      relyOn(readOwner(approval, path), await servedRead(approval, path)).toSucceed()
      const [from, to] = [YEAR_1990, now() + DAY]
      for (const bounds of [{ from }, { to }, { from, to }]) {
        const answer = await approval.get(path, { query: queryOf(bounds) })
        if (!('from' in bounds && needsLogin(answer))) expect(answer).toSucceed()
      }
    }
  },
)

/** Beyond the range of 32-bit seconds, and before any time that can be counted from 1970. */
const FAR = { from: Date.UTC(2040, 0, 1), to: Date.UTC(1965, 0, 1) }

check(
  'TXN-16/far',
  'A fromBookingDateTime in 2040 gives no booked transaction',
  { uses: [everything], follows: ['TXN-16/from-alone'] },
  async ({ approved }) => expectNoneBeyond(await approved(everything), 'from'),
)

check(
  'TXN-17/far',
  'A toBookingDateTime in 1965 gives no booked transaction',
  { uses: [everything], follows: ['TXN-17/to-alone'] },
  async ({ approved }) => expectNoneBeyond(await approved(everything), 'to'),
)

/**
 * Refused, or 2xx without any booked row that its time puts outside of the filter: a row without a date may be shown as of
 * 1900. Blocked if there is no booked row without the filter either.
 */
async function expectNoneBeyond(approval: Approval, end: keyof typeof FAR): Promise<void> {
  const { whole } = await latest(approval, bulk)
  const rows = requireRows(whole, readOwner(approval, bulk))
  if (!rows.some(isBooked)) blockForData('a booked transaction')
  const answer = await approval.get(bulk, { query: queryOf({ [end]: FAR[end] }) })
  if (refused(answer)) return
  requireRows(answer, 'TXN-15/each-combination')
  const far = FAR[end]
  const isInside = (row: Row) => {
    const at = bookedAt(row) ?? Number.NaN
    return end === 'to' ? at <= far : at >= far
  }
  expect(answer).toHoldOnly('a transaction still pending', (row) => !isBooked(row) || isInside(row))
}

/**
 * From and to between two bookings, within the history that the bank shows: 200, no rows. Rows
 * are judged by TXN-17/both and a missing array by TXN-30/array, which then block this check.
 */
check(
  'TXN-22/empty-window',
  'A window without transactions is answered 200 with an empty array',
  { uses: [everything], over: OF_EVERYBODY },
  async (context, consent) => {
    const approval = await approvalOf(context, consent)
    for (const path of (await addresses(approval)).slice(0, 2)) {
      const { whole } = await latest(approval, path)
      const owner = readOwner(approval, path)
      const known = requireRows(whole, owner)
      const window = emptyWindow(ofNinetyDays(known)) ?? emptyWindow(known)
      if (!window)
        blockForBookings(
          'two booked transactions that are six days apart, and none between them',
          rowsOf(whole),
        )
      relyOn(owner, whole).toHaveStatus(200)
      const answer = await approval.get(path, { query: queryOf(window) })
      if (needsLogin(answer) && window.from < now() - HISTORY)
        blockForData(
          'two booked transactions of the last ninety days that are six days apart, and none between them',
        )
      // A bank that refuses every pair of filters is judged by TXN-15/each-combination.
      if (!succeeded(answer)) await relyOnBothFilters(approval)
      expect(answer).toHaveStatus(200)
      const rows = requireRows(answer, 'TXN-15/each-combination')
      const within = (time: number) => time >= window.from && time <= window.to
      const shown = rows.filter((row) => bookingTimes([row]).some(within))
      if (shown.length > 0) {
        // A transaction that was booked late, in the meantime, is no error.
        const now = await approval.get(path)
        relyOn(owner, now).toSucceed()
        if (missingFrom(rowsOf(now), shown).length === 0)
          blockForData('a window in which nothing is booked meanwhile')
        blockBy('TXN-24/one-response', 'all transactions lack one that the window shows', now)
      }
      if (rows.some(isBookedAtSomeTime)) {
        await relyOnFilters(approval, 'from', 'to', 'both')
        blockBy('TXN-17/both', 'a booked transaction lies outside the window', answer)
      }
    }
  },
)

/**
 * Records the effect of from=...+01:00 (taken as the instant, as local time, or refused),
 * from without offset (status), ?unknownParameter=1 (status, same rows or not).
 */
check(
  'TXN-33/recorded',
  'What other filters do is recorded: another offset, no offset, an unknown parameter',
  { uses: [everything] },
  async ({ approved, observe }) => {
    const approval = await approved(everything)
    const { rows, read } = await between(approval, bulk, async (times) => {
      const place = justBefore(times, 1, times.length - 1)
      const instant = place?.instant ?? now() - 180 * DAY
      const ask = (query: Record<string, string>, deviation: string) =>
        approval.get(bulk, { query, deviation })
      const inAnHour = inUtc(instant + HOUR)
      return {
        time: place && times[place.index],
        offset: await ask(
          { fromBookingDateTime: inAnHour.replace('Z', '+01:00') },
          'a filter with the offset +01:00',
        ),
        bare: await ask(
          { fromBookingDateTime: inUtc(instant).replace('Z', '') },
          'a filter without offset',
        ),
        unknown: await ask({ unknownParameter: '1' }, 'an unknown query parameter'),
      }
    })
    const { offset, bare, unknown, time } = read
    const seen = succeeded(offset) && bookingTimes(rowsOf(offset)).includes(time ?? Number.NaN)
    const meaning = seen ? 'as the instant' : 'with the offset ignored'
    const known = succeeded(offset) && time !== undefined
    observe('a filter with +01:00 is taken', known ? meaning : offset.response?.status, offset)
    observe('status of a filter without offset', bare.response?.status, bare)
    observe('status with an unknown query parameter', unknown.response?.status, unknown)
    if (!succeeded(unknown)) return
    const same = rowsOf(unknown).length >= rows.length
    observe('rows with an unknown query parameter', same ? 'the same' : 'fewer', unknown)
  },
)

check(
  'TXN-36/recorded',
  'Whether a transaction booked at the very instant of a filter is in the answer is recorded',
  { uses: [everything] },
  async ({ approved, observe }) => {
    const approval = await approved(everything)
    const { whole: all } = await latest(approval, bulk)
    const rows = requireRows(all, readOwner(approval, bulk))
    const times = bookingTimes(rows)
    const whole = times.filter((time) => time % 1000 === 0)
    const sendable = whole.length > 0 ? whole : times
    const time = sendable[sendable.length >> 1] ?? blockForBookings('a booked transaction', rows)
    const exactly = new Date(time).toISOString().replace('.000Z', 'Z')
    for (const name of Object.values(FILTERS)) {
      const deviation = `${name} at the very instant of a booking`
      const answer = await approval.get(bulk, { query: { [name]: exactly }, deviation })
      const there = succeeded(answer) && bookingTimes(rowsOf(answer)).includes(time)
      const seen = there ? 'in the answer' : 'left out'
      const value = succeeded(answer) ? seen : answer.response?.status
      observe(`a transaction booked at ${name} is`, value, answer)
    }
  },
)

const YEAR_1990 = Date.parse('1990-01-01')

/** RFC 3339 has no earlier year. */
const YEAR_0 = Date.parse('0000-01-01')

async function relyOnBothFilters(approval: Approval): Promise<void> {
  for (const { answer } of await filtered(approval, 'both')) {
    relyOn('TXN-15/each-combination', answer).toSucceed()
  }
}

/** Ends the check with what is wrong with a filter, unless the whole answers lack the same rows. */
async function expectFilter(approval: Approval, kind: 'from' | 'to' | 'both'): Promise<void> {
  const wrong = await filterWrong(approval, kind)
  if (wrong?.message.endsWith('are missing')) await relyOnWholeAnswers(approval)
  expectNone(wrong)
}

/**
 * A filter from a 31 December whose week belongs to the next year. Ends the check where it drops what was booked after that
 * day. How far back a bank looks is open: a refusal shows nothing.
 */
async function expectYearOfDay(approval: Approval): Promise<void> {
  const bounds = { from: lastDayOfOddYear() }
  const ask = () => approval.get(bulk, { query: queryOf(bounds) })
  const { rows, read: answer } = await between(approval, bulk, ask)
  if (!succeeded(answer)) return
  const { missing } = filterFinding({ bounds, rows: settled(rows), answer })
  if (!missing) return
  await relyOnSteadyRows(approval)
  throw new Nonconformance({ ...missing, exchange: answer })
}

/**
 * The same without the customer, at both endpoints. A 429 shows nothing; a refusal counts only if the request
 * without the filter is then served. Where another login is needed, bounds of the last ninety days are asked; blocked where
 * there are none, and nothing else could be judged.
 */
async function expectFilterWithoutCustomer(approval: Approval, kind: 'from' | 'to' | 'both') {
  const telling = (await filtered(approval, kind)).filter((each) => each.telling)
  const single = telling.findLast(({ path }) => path !== bulk)
  const both = [telling.find(({ path }) => path === bulk), single].filter((each) => !!each)
  let [judged, lacking] = [0, 0]
  for (const each of both) {
    const ask = (bounds: Bounds) => approval.get(each.path, { query: queryOf(bounds), ...ABSENT })
    let { bounds } = each
    let answer = await ask(bounds)
    if (needsLogin(answer)) {
      const later = boundsFor(kind, bookingTimes(ofNinetyDays(each.rows)))
      if (!later) {
        lacking += 1
        continue
      }
      bounds = later
      answer = await ask(bounds)
    }
    if (!succeeded(answer)) {
      if (!refused(answer) || answer.response?.status === 429) continue
      if (succeeded(await approval.get(each.path, ABSENT))) expect(answer).toSucceed()
      continue
    }
    judged += 1
    const rows = each.rows.filter(await dueWhileAbsent(approval, each.path))
    const { outside, missing } = filterFinding({ bounds, rows, answer })
    if (missing) {
      await relyOnSteadyRows(approval)
      const whole = await lessWhileAbsent(approval)
      if (whole) blockBy('DATA-08/absent', 'a whole answer lacks rows as well', whole.exchange)
    }
    const finding = outside ?? missing
    if (!finding) continue
    const message = `while the customer is absent: ${finding.message}`
    throw new Nonconformance({ ...finding, message, exchange: answer })
  }
  if (lacking > 0 && judged === 0) blockForData(`${NEEDED[kind]} of the last ninety days`)
}
