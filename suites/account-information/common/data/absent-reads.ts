import type { Approval } from '../../../../engine/suite-api/consents.ts'
import type { CallDeviation } from '../../../../engine/suite-api/flow.ts'
import {
  bookedAt,
  type Exchange,
  instantOf,
  isBooked,
  type Row,
  rowsOf,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import { everything, OF_EVERYBODY } from '../../../consents.ts'
import { firstRead, once, pathOf, requireAccountIds } from './data-reads.ts'
import { HISTORY } from './history.ts'
import { everyPath, otherThanAround } from './same-rows.ts'
import type { Wrong } from './transaction-readings.ts'

/** A request without the customer, which a limit may refuse: nobody waits until it is over. */
export const ABSENT = { customerPresent: false, retry: 'not-429' } as const

const FROM = { fromBookingDateTime: '2020-01-01T00:00:00Z' }
const TO = { toBookingDateTime: '2099-12-31T00:00:00Z' }

/** Each filter alone, and both. */
const FILTERS = [{ query: FROM }, { query: TO }, { query: { ...FROM, ...TO } }]

/**
 * In which ways an address is asked what nobody may have: as it is, without the customer, and where it
 * takes filters with each of them and with both. A gateway may know each of them by a rule of its own.
 */
export function waysToAsk(path: string): readonly CallDeviation[] {
  return [{}, ABSENT, ...filtersOf(path)]
}

/** The ways of them that filter. */
export function filtersOf(path: string): readonly CallDeviation[] {
  return path.endsWith('/transactions') ? FILTERS : []
}

/** The lists, and the addresses of one account: which ways there are does not depend on the account. */
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
  /** `before` itself, where nothing is otherwise that another answer could explain. */
  after: Exchange
}

/** Each endpoint once without the customer: banks allow few such requests. */
export function absentReads(approval: Approval): Promise<AbsentRead[]> {
  return once(approval, 'absent', async () => {
    // Of the approvals with all permissions one account, and the transactions of the one used last; of others the lists.
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

/** The account whose booking is the newest: rows of a long time ago may be gone while nobody is there. */
async function lastUsed(approval: Approval, ids: string[]): Promise<string | undefined> {
  if (ids.length === 0) return undefined
  const rows = rowsOf(await firstRead(approval, '/transactions'))
  const known = rows.filter((row) => isBooked(row) && ids.includes(String(row.AccountId)))
  const [newest] = known.sort((one, other) => (bookedAt(other) ?? 0) - (bookedAt(one) ?? 0))
  return newest ? String(newest.AccountId) : ids.at(-1)
}

/**
 * What an answer without the customer has otherwise than both of those around it. No sentence promises that it
 * is of this moment: rows that were booked since the day before may lack, and a balance may be an earlier one
 * that says so.
 */
export async function lessWhileAbsent(approval: Approval): Promise<Wrong | undefined> {
  for (const read of await absentReads(approval)) {
    const { path, absent } = read
    const finding = otherWhileAbsent(approval, read)
    if (finding && !(await movesOn(approval, path, absent))) return { ...finding, exchange: absent }
  }
  return undefined
}

/** What one answer without the customer has otherwise than those around it. */
function otherWhileAbsent(approval: Approval, { path, before, absent, after }: AbsentRead) {
  if (!succeeded(before) || !succeeded(absent)) return undefined
  const due = path.endsWith('/transactions') ? bookedBefore(absent) : notEarlierIn(absent)
  return otherThanAround(approval, path, [before, absent, after], due)
}

/** Which transactions every answer of an address without the customer shows. */
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

/** Are balances others yet, when they are asked for once more? Then they go back and forth by themselves. */
async function movesOn(approval: Approval, path: string, absent: Exchange): Promise<boolean> {
  if (!path.endsWith('/balances')) return false
  const twice = await approval.get(path, ABSENT)
  // A limit leaves it open.
  if (!succeeded(twice)) return twice.response?.status === 429
  return otherThanAround(approval, path, [absent, twice, absent]) !== undefined
}

const A_DAY = 24 * 60 * 60 * 1000

/**
 * Was the row booked more than a day before the request, and not before all that the answer shows? How far the
 * history reaches is open, and may be ninety days while nobody is there to log in.
 */
function bookedBefore(absent: Exchange): (row: Row) => boolean {
  const asked = Date.parse(absent.startedAt)
  const shown = rowsOf(absent).map((row) => bookedAt(row) ?? asked)
  const oldest = shown.reduce((one, other) => Math.min(one, other), asked)
  const begins = Math.min(oldest, asked - HISTORY)
  return (row) => {
    const at = bookedAt(row) ?? 0
    return at >= begins && at <= asked - A_DAY
  }
}

/** Has the answer no earlier balance of that kind and account? */
function notEarlierIn(absent: Exchange): (row: Row) => boolean {
  const kindOf = ({ AccountId, Type }: Row) => JSON.stringify([AccountId, Type])
  const momentOf = ({ DateTime }: Row) => instantOf(String(DateTime))
  const shown = new Map(rowsOf(absent).map((row) => [kindOf(row), momentOf(row)]))
  return (row) => !((shown.get(kindOf(row)) ?? Number.NaN) < momentOf(row))
}
