import { DAY } from '../../../../engine/suite-api/clock.ts'
import {
  brief,
  type Exchange,
  instantOf,
  isDateTime,
  isOfDay,
  marginOf,
  type Row,
  remembered,
} from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'

/**
 * A finding for the latest date-time of the rows if it is later than the
 * end of the exchange; undefined where no row has an RFC 3339 date-time. A time that tells a day, such as its noon, is
 * as early as that day.
 *
 * @param clockTolerance seconds.
 */
export function laterThanNow(
  { startedAt, durationMs }: Exchange,
  { rows, field, clockTolerance }: { rows: Row[]; field: Field; clockTolerance: number },
): Finding[] | undefined {
  const end = Date.parse(startedAt) + durationMs + clockTolerance * 1000
  const latest = LATEST[field](rows)
  if (!latest) return undefined
  const { row, text } = latest
  const at = instantOf(text)
  const isDay = field === 'DateTime' ? isOfDay(at) : marginOf(row, rows) > 0
  if (at - (isDay ? at % DAY : 0) <= end) return []
  return [
    {
      message: `${field} is in the future`,
      expected: `not later than ${new Date(end).toISOString()}`,
      actual: brief(text),
    },
  ]
}

type Field = 'DateTime' | 'BookingDateTime'

const LATEST = { DateTime: latestOf('DateTime'), BookingDateTime: latestOf('BookingDateTime') }

/** The row with the latest RFC 3339 date-time, and that as it is written. */
function latestOf(field: Field): (rows: Row[]) => { row: Row; text: string } | undefined {
  return remembered((rows) => {
    let latest: { row: Row; text: string } | undefined
    let at = -Infinity
    for (const row of rows) {
      const text = row[field]
      if (typeof text !== 'string' || !isDateTime(text)) continue
      latest ??= { row, text }
      const instant = instantOf(text)
      if (!(instant > at)) continue
      latest = { row, text }
      at = instant
    }
    return latest
  })
}
