import type { Row } from '../../../engine/suite-api/responses.ts'

/**
 * Rows that occur more often than in an earlier answer that also has them. Rows are the same only if all members
 * except TransactionId are equal (no requirement says that it stays the same): two purchases of one day may differ
 * in little. There must also be more rows of that time than before: if the merchant appears and disappears,
 * different purchases may look alike. A row with a unique time has no twin, so only few rows are serialised.
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

/** Rows whose key occurred before, and now occurs more often. */
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
