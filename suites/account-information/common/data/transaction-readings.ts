import { DAY, now } from '../../../../engine/suite-api/clock.ts'
import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { matchers } from '../../../../engine/suite-api/expect.ts'
import { blockBy, Nonconformance } from '../../../../engine/suite-api/outcomes.ts'
import {
  bookedAt,
  bookingTimes,
  brief,
  type Exchange,
  isBookedAtSomeTime,
  marginsIn,
  missingFrom,
  type Row,
  rowsOf,
  shared,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { everything } from '../../../consents.ts'
import {
  type Bounds,
  blockForBookings,
  bookedOf,
  boundsFor,
  dueIfAny,
  inUtc,
  type Kind,
  queryOf,
  settled,
} from './booking-times.ts'
import { once, pathOf, requireAccountIds, requireRows, singles } from './data-reads.ts'
import { needsLogin } from './history.ts'
import { readOwner } from './read-owners.ts'

/** A finding, with the answer that shows it. */
export type Wrong = Finding & { exchange: Exchange }

export const bulk = '/transactions'

/** Both transaction endpoints: the bulk one, and the single one of each account. */
export async function addresses(approval: Approval): Promise<string[]> {
  return [bulk, ...(await requireAccountIds(approval)).map((id) => pathOf(id, '/transactions'))]
}

/** The booked rows of an answer. */
export function bookedIn(exchange: Exchange, owner: string): Row[] {
  return bookedOf(requireRows(exchange, owner))
}

/** Four consecutive answers of the bulk endpoint. */
export function fourReads(approval: Approval): Promise<Exchange[]> {
  return once(approval, 'four reads', async () => [
    await approval.get(bulk),
    await approval.get(bulk),
    await approval.get(bulk),
    await approval.get(bulk),
  ])
}

/**
 * A finding if the second or third of four answers lacks rows that the answers before and after it have. Of what was
 * booked lately, each server may hear at another time.
 */
export async function unsteady(approval: Approval): Promise<Wrong | 'no rows' | undefined> {
  const answers = await fourReads(approval)
  const owner = readOwner(approval, bulk)
  const [first = [], second = [], third = [], fourth = []] = answers.map((x) => bookedIn(x, owner))
  for (const [index, steady] of [shared(first, third), shared(second, fourth)].entries()) {
    if (steady.length === 0) return 'no rows'
    const exchange = answers[index + 1] as Exchange
    const finding = matchers.toHoldRows(exchange, dueIfAny(steady))
    if (finding) return { ...finding, exchange }
  }
  return undefined
}

/** Ends the check where rows come and go without a reason: then missing rows show nothing. */
export async function relyOnSteadyRows(approval: Approval): Promise<void> {
  const wrong = await unsteady(approval)
  if (!wrong || wrong === 'no rows') return
  blockBy('TXN-28/second-read', 'booked rows come and go', wrong.exchange)
}

/** Ends the check with the finding, if there is one. */
export function expectNone(wrong: Wrong | undefined): void {
  if (wrong) throw new Nonconformance(wrong)
}

/** The latest unfiltered answer of an address. */
export async function latest(approval: Approval, path: string): Promise<{ whole: Exchange }> {
  return once(approval, `latest ${path}`, async () => {
    if (path === bulk) return { whole: (await fourReads(approval)).at(-1) as Exchange }
    const answers = await singles(approval, '/transactions')
    const known = [...answers].find(([id]) => pathOf(id, '/transactions') === path)?.[1]
    return { whole: known ?? (await approval.get(path)) }
  })
}

/** An answer between two unfiltered ones of the same address. */
export interface Filtered {
  path: string
  bounds: Bounds
  /** Does the data exercise the filter? */
  telling: boolean
  answer: Exchange
  /** Booked rows that are in both outer answers. */
  rows: Row[]
}

/**
 * Reads an unfiltered answer, something else, and an unfiltered answer again.
 *
 * @param fits whether the result agrees with the answer before it: then no answer after it is needed.
 */
export async function between<T>(
  approval: Approval,
  path: string,
  read: (times: number[]) => Promise<T>,
  fits: (read: T, before: Row[]) => boolean = () => false,
): Promise<{ rows: Row[]; read: T }> {
  const outer = await latest(approval, path)
  const before = bookedIn(outer.whole, readOwner(approval, path))
  const inner = await read(bookingTimes(before))
  if (fits(inner, before)) return { rows: before, read: inner }
  outer.whole = await approval.get(path)
  return { rows: shared(before, bookedIn(outer.whole, readOwner(approval, path))), read: inner }
}

/**
 * Answers to one kind of query at every address. Without suitable rows, the bounds are 60 and
 * 30 days ago, which need no new login. For approvals other than the first, the bounds are on the other side of a row
 * and in the other order, and accounts are read only until one of them exercises the filter.
 */
export function filtered(approval: Approval, kind: Kind): Promise<Filtered[]> {
  return once(approval, `filtered ${kind}`, async () => {
    const isFirst = approval.name === everything.name
    const all: Filtered[] = []
    for (const path of await addresses(approval)) {
      if (!isFirst && all.slice(1).some(({ telling }) => telling)) break
      const ask = async (times: number[]) => {
        const found = boundsFor(kind, times, isFirst ? 'dropped' : 'kept')
        const bounds = found ?? {
          ...(kind !== 'to' && { from: now() - 60 * DAY }),
          ...(kind !== 'from' && { to: now() - 30 * DAY }),
        }
        const deviation = kind === 'reversed' ? 'from later than to' : undefined
        const query = queryOf(bounds, isFirst ? 'from first' : 'to first')
        const answer = await approval.get(path, { query, deviation })
        return { bounds, telling: found !== undefined, answer }
      }
      const fits = (one: Omit<Filtered, 'path' | 'rows'>, before: Row[]) => {
        if (kind === 'reversed' || !succeeded(one.answer)) return false
        const { outside, missing } = filterFinding({ ...one, rows: before })
        return outside === undefined && missing === undefined
      }
      const first = await between(approval, path, ask, fits)
      // Some time after the login the history may begin later, and the bounds are placed among what is left of it.
      const { rows, read } = needsLogin(first.read.answer)
        ? await between(approval, path, ask, fits)
        : first
      all.push({ path, rows, ...read })
    }
    return all
  })
}

/** The findings for a filtered answer: a row outside the bounds, or a missing row inside them. */
export function filterFinding({ answer, bounds, rows }: Omit<Filtered, 'path' | 'telling'>) {
  const { from = -Infinity, to = Infinity } = bounds
  const isInside = (row: Row, margin: number) => {
    const at = bookedAt(row) ?? from
    return at >= from + margin && at <= to - margin
  }
  const margin = marginsIn(rows.length > 0 ? rows : rowsOf(answer), 0)
  requireRows(answer, 'TXN-15/each-combination')
  const inPeriod = rows.filter((row) => isBookedAtSomeTime(row) && isInside(row, margin(row)))
  const words = [
    ...(bounds.from === undefined ? [] : [`after ${inUtc(bounds.from)}`]),
    ...(bounds.to === undefined ? [] : [`before ${inUtc(bounds.to)}`]),
  ]
  const outside = matchers.toHoldOnly(
    answer,
    `booked ${words.join(' and ')}`,
    (row) => !isBookedAtSomeTime(row) || isInside(row, -margin(row)),
  )
  const missing = outside ? undefined : bookedMissing(answer, inPeriod)
  return { outside, missing }
}

/** A finding if an answer lacks booked rows, or days later still does not show them as Booked. */
export function bookedMissing(answer: Exchange, rows: Row[]): Finding | undefined {
  const finding = matchers.toHoldRows(answer, dueIfAny(rows))
  if (finding) return finding
  const turned = missingFrom(bookedOf(rowsOf(answer)), settled(rows))
  if (turned.length === 0) return undefined
  return {
    message: `${turned.length} of ${rows.length} booked rows are not Booked in it`,
    expected: `Status Booked: ${brief(turned[0])}`,
    actual: 'the row with another Status',
  }
}

/** The finding for one kind of filter, at the first address that has one. */
export async function filterWrong(approval: Approval, kind: Kind): Promise<Wrong | undefined> {
  const all = await filtered(approval, kind)
  const telling = all.filter((each) => each.telling)
  if (telling.length === 0)
    blockForBookings(
      NEEDED[kind],
      all.flatMap(({ rows }) => rows),
    )
  for (const each of telling) {
    const { outside, missing } = filterFinding(each)
    if (missing) await relyOnSteadyRows(approval)
    const finding = outside ?? missing
    if (finding) return { ...finding, exchange: each.answer }
  }
  return undefined
}

export const NEEDED: Record<Kind, string> = {
  from: 'two booked transactions at different times',
  to: 'two booked transactions at different times',
  both: 'three booked transactions at different times',
  reversed: 'three booked transactions at different times',
}

const FILTERS = {
  from: 'TXN-16/from-alone',
  to: 'TXN-17/to-alone',
  both: 'TXN-17/both',
} as const

/** Ends the check where one of these filters is wrong: then that filter is the cause. */
export async function relyOnFilters(
  approval: Approval,
  ...kinds: (keyof typeof FILTERS)[]
): Promise<void> {
  for (const kind of kinds) {
    const wrong = await filterWrong(approval, kind)
    if (wrong) blockBy(FILTERS[kind], `the filter is wrong: ${wrong.message}`, wrong.exchange)
  }
}
