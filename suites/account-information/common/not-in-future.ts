import { brief, type Exchange, isDateTime, type Row } from '../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../engine/suite-api/rule.ts'

/**
 * The first row whose date-time is later than the end of the exchange, as a finding; undefined
 * where no row has an RFC 3339 date-time there.
 *
 * @param clockTolerance seconds.
 */
export function laterThanNow(
  { startedAt, durationMs }: Exchange,
  { rows, field, clockTolerance }: { rows: Row[]; field: string; clockTolerance: number },
): Finding[] | undefined {
  const latest = Date.parse(startedAt) + durationMs + clockTolerance * 1000
  const dates = rows.map((row) => row[field]).filter((value) => typeof value === 'string')
  const readable = dates.filter(isDateTime)
  if (readable.length === 0) return undefined
  const future = readable.find((text) => Date.parse(text) > latest)
  if (future === undefined) return []
  return [
    {
      message: `${field} is in the future`,
      expected: `not later than ${new Date(latest).toISOString()}`,
      actual: brief(future),
    },
  ]
}
