import type { Row } from '../../../engine/suite-api/responses.ts'

/**
 * Rows that stand in an answer more often than in an earlier one, which has them too. Two rows are one only
 * where they are alike to the last member but TransactionId, which no sentence promises to last: two purchases of
 * one day may differ in little. And there must be more of that time than before: a merchant that comes and goes
 * makes one purchase look like the next. Rows of a time of their own have no twin, so that few are ever written out.
 */
export function moreOften(rows: Row[], earlier: Row[]): Row[] {
  const seen = new Set<unknown>()
  const shared = new Set<unknown>()
  for (const { BookingDateTime: at } of rows) (seen.has(at) ? shared : seen).add(at)
  if (shared.size === 0) return []
  const twins = ({ BookingDateTime: at }: Row) => shared.has(at)
  const before = earlier.filter(twins)
  const now = rows.filter(twins)
  const repeated = beyond(now, before, withoutId)
  const more = new Set(beyond(now, before, kindOf).map(kindOf))
  return repeated.filter((row) => more.has(kindOf(row)))
}

const withoutId = ({ TransactionId: _id, ...row }: Row) => JSON.stringify(row)

const kindOf = ({ BookingDateTime, CreditDebitIndicator }: Row) =>
  JSON.stringify([BookingDateTime, CreditDebitIndicator])

/** Rows whose key was there before, and stands more often now. */
function beyond(now: Row[], before: Row[], keyOf: (row: Row) => string): Row[] {
  const left = new Map<string, number>()
  for (const row of before) left.set(keyOf(row), (left.get(keyOf(row)) ?? 0) + 1)
  return now.filter((row) => {
    const key = keyOf(row)
    const times = left.get(key)
    if (times !== undefined) left.set(key, times - 1)
    return times !== undefined && times < 1
  })
}
