import type { Approval } from '../../../../engine/suite-api/consents.ts'
import type { CallDeviation } from '../../../../engine/suite-api/flow.ts'
import {
  bookedAt,
  type Exchange,
  instantOf,
  isBooked,
  OF_LATE,
  type Row,
  rowsOf,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import { everything, OF_EVERYBODY } from '../../../consents.ts'
import { firstRead, once, pathOf, requireAccountIds } from './data-reads.ts'
import { HISTORY } from './history.ts'
import { everyPath, otherThanAround } from './same-rows.ts'
import type { Wrong } from './transaction-readings.ts'

/** A request without the customer, which a limit may refuse: there is no waiting for the end of the limit. */
export const ABSENT = { customerPresent: false, retry: 'not-429' } as const

const FROM = { fromBookingDateTime: '2020-01-01T00:00:00Z' }
const TO = { toBookingDateTime: '2099-12-31T00:00:00Z' }

/** Each filter alone, and both. */
const FILTERS = [{ query: FROM }, { query: TO }, { query: { ...FROM, ...TO } }]

/**
 * The ways to send a request that must be refused: plain, without the customer, and, if the address
 * has filters, with each filter and with both. A gateway may have a separate rule for each.
 */
export function waysToAsk(path: string): readonly CallDeviation[] {
  return [{}, ABSENT, ...filtersOf(path)]
}

/** The ways with filters. */
export function filtersOf(path: string): readonly CallDeviation[] {
  return path.endsWith('/transactions') ? FILTERS : []
}

/** The lists and the addresses of one account: which ways exist does not depend on the account. */
export function ofOneAccount<Each extends { path: string }>(requests: readonly Each[]): Each[] {
  const accountIn = ({ path }: Each) => /^\/accounts\/([^/]+)/.exec(path)?.[1]
  const last = requests.map(accountIn).findLast((id) => id !== undefined)
  return requests.filter((one) => [undefined, last].includes(accountIn(one)))
}

/** An answer to a request without the customer, between two with the customer. */
export interface AbsentRead {
  path: string
  before: Exchange
  absent: Exchange
  /** `before` itself, if there is no difference that another answer could explain. */
  after: Exchange
}

/** Each endpoint once without the customer: banks allow few such requests. */
export function absentReads(approval: Approval): Promise<AbsentRead[]> {
  return once(approval, 'absent', async () => {
    // With all permissions: one account, and the transactions of the last used one. Otherwise only the lists.
    const whole = [everything, ...OF_EVERYBODY].some(({ name }) => name === approval.name)
    const ids = whole ? await requireAccountIds(approval).catch(() => []) : []
    const lively = await lastUsed(approval, ids)
    const paths = everyPath(approval, ids.findLast((id) => id !== lively) ?? lively)
    const latest = lively && pathOf(lively, '/transactions')
    if (latest && !paths.includes(latest)) paths.push(latest)
    const reads: AbsentRead[] = []
    for (const path of paths) {
      const before = await approval.get(path)
      const absent = await approval.get(path, ABSENT)
      const same =
        succeeded(absent) && !otherWhileAbsent(approval, { path, before, absent, after: before })
      reads.push({ path, before, absent, after: same ? before : await approval.get(path) })
    }
    return reads
  })
}

/** The account with the newest booking: old rows may be missing while the customer is absent. */
async function lastUsed(approval: Approval, ids: string[]): Promise<string | undefined> {
  if (ids.length === 0) return undefined
  const rows = rowsOf(await firstRead(approval, '/transactions'))
  const known = rows.filter((row) => isBooked(row) && ids.includes(String(row.AccountId)))
  const [newest] = known.sort((one, other) => (bookedAt(other) ?? 0) - (bookedAt(one) ?? 0))
  return newest ? String(newest.AccountId) : ids.at(-1)
}

/**
 * How an answer without the customer differs from both answers around it. No requirement says that it is up to
 * date: rows booked in the last two days may be missing, and a balance may be an earlier one with its earlier time.
 */
export async function lessWhileAbsent(approval: Approval): Promise<Wrong | undefined> {
  for (const read of await absentReads(approval)) {
    const { path, absent } = read
    const finding = otherWhileAbsent(approval, read)
    if (finding && !(await movesOn(approval, path, absent))) return { ...finding, exchange: absent }
  }
  return undefined
}

/** How one answer without the customer differs from those around it. */
function otherWhileAbsent(approval: Approval, { path, before, absent, after }: AbsentRead) {
  if (!succeeded(before) || !succeeded(absent)) return undefined
  const due = path.endsWith('/transactions') ? bookedBefore(absent) : notEarlierIn(absent)
  return otherThanAround(approval, path, [before, absent, after], due)
}

/** The transactions that every answer of an address without the customer must show. */
export async function dueWhileAbsent(
  approval: Approval,
  path: string,
): Promise<(row: Row) => boolean> {
  const reads = (await absentReads(approval)).filter(
    (read) => read.path.endsWith('/transactions') && succeeded(read.absent),
  )
  const read = reads.find((one) => one.path === path) ?? reads[0]
  return read ? bookedBefore(read.absent) : () => true
}

/** Do balances differ again in a second request? Then they change back and forth by themselves. */
async function movesOn(approval: Approval, path: string, absent: Exchange): Promise<boolean> {
  if (!path.endsWith('/balances')) return false
  const twice = await approval.get(path, ABSENT)
  // After a limit this is unknown.
  if (!succeeded(twice)) return twice.response?.status === 429
  return otherThanAround(approval, path, [absent, twice, absent]) !== undefined
}

/**
 * Was the row booked two or more days before the request, and within the
 * history? How far that reaches is open; without a login it may be ninety days.
 */
function bookedBefore(absent: Exchange): (row: Row) => boolean {
  const asked = Date.parse(absent.startedAt)
  const shown = rowsOf(absent).map((row) => bookedAt(row) ?? asked)
  const oldest = shown.reduce((one, other) => Math.min(one, other), asked)
  const begins = Math.min(oldest, asked - HISTORY)
  return (row) => {
    const at = bookedAt(row) ?? 0
    return at >= begins && at <= asked - OF_LATE
  }
}

/** Does the answer have no older balance of that kind and account? */
function notEarlierIn(absent: Exchange): (row: Row) => boolean {
  const kindOf = ({ AccountId, Type }: Row) => JSON.stringify([AccountId, Type])
  const momentOf = ({ DateTime }: Row) => instantOf(String(DateTime))
  const shown = new Map(rowsOf(absent).map((row) => [kindOf(row), momentOf(row)]))
  return (row) => !((shown.get(kindOf(row)) ?? Number.NaN) < momentOf(row))
}
