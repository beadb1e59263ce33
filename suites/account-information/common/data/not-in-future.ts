import {
  brief,
  type Exchange,
  instantOf,
  isDateTime,
  type Row,
  remembered,
} from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'

/**
 * A finding for the latest date-time of the rows if it is later than the
 * end of the exchange; undefined where no row has an RFC 3339 date-time.
 *
 * @param clockTolerance seconds.
 */
export function laterThanNow(
  { startedAt, durationMs }: Exchange,
  { rows, field, clockTolerance }: { rows: Row[]; field: Field; clockTolerance: number },
): Finding[] | undefined {
  const end = Date.parse(startedAt) + durationMs + clockTolerance * 1000
  const latest = LATEST[field](rows)
  if (latest === '') return undefined
  if (instantOf(latest) <= end) return []
  return [
    {
      message: `${field} is in the future`,
      expected: `not later than ${new Date(end).toISOString()}`,
      actual: brief(latest),
    },
  ]
}

type Field = 'DateTime' | 'BookingDateTime'

const LATEST = { DateTime: latestOf('DateTime'), BookingDateTime: latestOf('BookingDateTime') }

/** The latest RFC 3339 date-time of the rows, as written; empty where there is none. */
function latestOf(field: Field): (rows: Row[]) => string {
  return remembered((rows) => {
    let latest = ''
    let at = -Infinity
    for (const { [field]: text } of rows) {
      if (typeof text !== 'string' || !isDateTime(text)) continue
      latest ||= text
      const instant = instantOf(text)
      if (!(instant > at)) continue
      latest = text
      at = instant
    }
    return latest
  })
}
