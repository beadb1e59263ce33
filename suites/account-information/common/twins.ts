import type { Row } from '../../../engine/suite-api/responses.ts'

/**
 * Rows that stand in an answer more often than in an earlier one, which has them too. Two rows are one
 * only where they are alike to the last member: two purchases of one day may differ in little. Rows
 * of a time of their own have no twin, so that few are ever written out.
 */
export function moreOften(rows: Row[], earlier: Row[]): Row[] {
  const seen = new Set<unknown>()
  const shared = new Set<unknown>()
  for (const { BookingDateTime: at } of rows) (seen.has(at) ? shared : seen).add(at)
  if (shared.size === 0) return []
  const left = new Map<string, number>()
  for (const row of earlier) {
    if (!shared.has(row.BookingDateTime)) continue
    const text = JSON.stringify(row)
    left.set(text, (left.get(text) ?? 0) + 1)
  }
  return rows.filter((row) => {
    if (!shared.has(row.BookingDateTime)) return false
    const text = JSON.stringify(row)
    const times = left.get(text)
    if (times !== undefined) left.set(text, times - 1)
    return times !== undefined && times < 1
  })
}
