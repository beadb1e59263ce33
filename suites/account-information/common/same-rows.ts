import type { Approval } from '../../../engine/suite-api/consents.ts'
import { matchers } from '../../../engine/suite-api/expect.ts'
import {
  type Exchange,
  isBooked,
  member,
  missingFrom,
  type Row,
  shared,
  transactionKey,
} from '../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../engine/suite-api/rule.ts'
import { documented } from './account-comparisons.ts'
import { pathOf, requireRows } from './data-reads.ts'
import { readOwner } from './read-owners.ts'

/** Every data endpoint that a consent opens: each list, and what stands behind one of its accounts. */
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

/** 12.5 and 12.50 are one amount. */
export function amountOf(row: Row): unknown {
  const amount = member(row, 'Amount', 'Amount')
  return isNumber(amount) ? Number(amount) : amount
}

const isNumber = (text: unknown): text is string =>
  typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text)

/** Members sorted by name, decimals as numbers: one value however it is spelled. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (isNumber(value)) return Number(value)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, inner]) => inner !== null)
  return members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, canonical(inner)])
}

/** All documented fields of an account or a balance, as one text; of a transaction those that never change. */
function wholeRow(row: Row): string {
  if ('AccountSubType' in row || 'AccountType' in row) {
    return JSON.stringify([row.AccountId, documented(row)])
  }
  if ('BookingDateTime' in row || 'Status' in row) return transactionKey(row)
  const { AccountId, CreditDebitIndicator, Type, CreditLine } = row
  const lines = canonical([CreditLine ?? []].flat())
  const currency = member(row, 'Amount', 'Currency')
  return JSON.stringify([AccountId, CreditDebitIndicator, Type, amountOf(row), currency, lines])
}

/**
 * What an answer shows otherwise than two around it do, which agree: a row that is not there, or not
 * alike. Pending rows come and go.
 */
export function otherThanAround(
  approval: Approval,
  path: string,
  [before, answer, after]: readonly [Exchange, Exchange, Exchange],
): Finding | undefined {
  const owner = readOwner(approval, path)
  const lasting = (exchange: Exchange) => {
    const rows = requireRows(exchange, owner)
    return path.endsWith('/transactions') ? rows.filter(isBooked) : rows
  }
  const steady = shared(lasting(before), lasting(after), wholeRow)
  const finding = matchers.toHoldRows(answer, steady, wholeRow)
  if (finding || !path.endsWith('/transactions')) return finding
  // Single amounts may change between two answers; all of them never do.
  const alike = shared(lasting(before), lasting(after), withAmount)
  const kept = alike.length - missingFrom(requireRows(answer, owner), alike, withAmount).length
  if (alike.length < 3 || kept > 0) return undefined
  return matchers.toHoldRows(answer, alike, withAmount)
}

const withAmount = (row: Row) => `${transactionKey(row)} ${String(amountOf(row))}`
