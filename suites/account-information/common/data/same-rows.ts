import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { matchers } from '../../../../engine/suite-api/expect.ts'
import {
  bookedAt,
  brief,
  type Exchange,
  isBooked,
  member,
  missingFrom,
  OF_LATE,
  type Row,
  rulesBrokenBy,
  shared,
  transactionKey,
} from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { described } from './account-comparisons.ts'
import { leanIn } from './balance-rows.ts'
import { pathOf, requireRows } from './data-reads.ts'
import { readOwner } from './read-owners.ts'
import { bookedMissing } from './transaction-readings.ts'

/** Every data endpoint that a consent opens: each list, and the addresses of one account. */
export function everyPath(approval: Approval, accountId: string | undefined): string[] {
  const { permissions } = approval.facts
  const opened = [
    { path: '/accounts', tail: '', by: 'ReadAccounts' },
    { path: '/balances', tail: '/balances', by: 'ReadBalances' },
    { path: '/transactions', tail: '/transactions', by: 'ReadTransactions' },
  ] as const
  return opened
    .filter(({ by }) => permissions.some((one) => one.startsWith(by)))
    .flatMap(({ path, tail }) => [
      path,
      ...(accountId === undefined ? [] : [pathOf(accountId, tail)]),
    ])
}

/** 12.5 and 12.50 are the same amount. */
export function amountOf(row: Row): unknown {
  const amount = member(row, 'Amount', 'Amount')
  return isNumber(amount) ? Number(amount) : amount
}

const isNumber = (text: unknown): text is string =>
  typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text)

/** Members sorted by name, decimals as numbers: equal values give the same result. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (isNumber(value)) return Number(value)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, inner]) => inner !== null)
  return members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, canonical(inner)])
}

/**
 * The key that identifies rows of a path: all documented fields of an account or a balance, and those of
 * a transaction that never change. Optional details that only one of two answers shows are not compared.
 */
function keyOf(path: string, one: Row[], other: Row[]): (row: Row) => string {
  if (path.endsWith('/transactions')) return transactionKey
  if (!path.endsWith('/balances')) return (row) => JSON.stringify([row.AccountId, described(row)])
  const lean = leanIn(one, other)
  return (row) => balanceKey(lean(row))
}

function balanceKey(row: Row): string {
  const { AccountId, CreditDebitIndicator, Type, CreditLine } = row
  const lines = canonical([CreditLine ?? []].flat())
  const currency = member(row, 'Amount', 'Currency')
  return JSON.stringify([AccountId, CreditDebitIndicator, Type, amountOf(row), currency, lines])
}

/**
 * How an answer differs from the two around it, which agree: a row is missing or different. Pending rows come and go.
 *
 * @param due must the answer have this row?
 */
export function otherThanAround(
  approval: Approval,
  path: string,
  [before, answer, after]: readonly [Exchange, Exchange, Exchange],
  due: (row: Row) => boolean = () => true,
): Finding | undefined {
  const owner = readOwner(approval, path)
  const lasting = (exchange: Exchange) => {
    const rows = requireRows(exchange, owner)
    return path.endsWith('/transactions') ? rows.filter(isBooked) : rows
  }
  const inBoth = (key: (row: Row) => string) =>
    shared(lasting(before), lasting(after), key).filter(due)
  const steady = inBoth(keyOf(path, lasting(before), lasting(after)))
  if (!path.endsWith('/transactions')) {
    const finding = matchers.toHoldRows(answer, steady, keyOf(path, steady, lasting(answer)))
    return finding ?? moreThanAround([before, answer, after].map((one) => lasting(one).length))
  }
  const finding = bookedMissing(answer, steady)
  if (finding) return finding
  // Single amounts may change between two answers, but never all of them.
  const alike = inBoth(withAmount)
  const kept = alike.length - missingFrom(requireRows(answer, owner), alike, withAmount).length
  if (alike.length >= 3 && kept === 0) return matchers.toHoldRows(answer, alike, withAmount)
  // A repeated row is judged by TXN-28/once, one beyond the consent by the rule that it breaks.
  const added = addedBeyond([before, answer, after], owner)
  if (added.length === 0 || rulesBrokenBy(answer).length > 0) return undefined
  return {
    message: `${added.length} rows more than in the answers around it`,
    expected: 'rows of either answer around it',
    actual: brief(added[0]),
  }
}

/**
 * Booked rows, two days old or more, that neither answer around it shows, not even as
 * pending: one of several servers may book a row of any age before the others do.
 */
function addedBeyond(
  [before, answer, after]: readonly [Exchange, Exchange, Exchange],
  owner: string,
): Row[] {
  const [earlier, rows, later] = [before, answer, after].map((one) => requireRows(one, owner)) as [
    Row[],
    Row[],
    Row[],
  ]
  const latest = Date.parse(answer.startedAt) - OF_LATE
  const settled = rows.filter((row) => isBooked(row) && (bookedAt(row) ?? latest) < latest)
  const added = missingFrom(later, missingFrom(earlier, settled))
  // A pending row need not have a BookingDateTime: an added row may be one that is no longer pending.
  const pending = (all: Row[]) => all.filter((row) => !isBooked(row)).length
  const noLongerPending = Math.max(pending(earlier), pending(later)) - pending(rows)
  return added.length > noLongerPending ? added : []
}

/** A finding if there are more accounts or balances than in both answers around it. */
function moreThanAround([before = 0, now = 0, after = 0]: number[]): Finding | undefined {
  if (before !== after || now <= before) return undefined
  return {
    message: `${now - before} rows more than in the answers around it`,
    expected: `${before} rows`,
    actual: `${now} rows`,
  }
}

const withAmount = (row: Row) => `${transactionKey(row)} ${String(amountOf(row))}`
