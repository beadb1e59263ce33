import type { Level } from '../../engine/suite-api/check.ts'
import type { Part } from './value-type.ts'

/** An instant, from which date-times are made. */
export interface Instant {
  /** Milliseconds since 1970, in a year from 0000 to 9999. */
  instant: number
}

/** An instant in UTC, by the productions of RFC 3339 section 5.6. */
export interface Written extends Instant {
  /** full-date */
  date: string
  /** partial-time, without its fraction */
  time: string
  /** time-secfrac, empty for a whole second */
  fraction: string
  year: string
  month: string
  day: string
  hour: string
  minute: string
  second: string
}

type Spell = (at: Written) => string | undefined

export type Row = readonly [id: string, words: string, spell: Spell, level?: Level]

export function written(instant: number): Written {
  const text = new Date(instant).toISOString()
  const [date = '', rest = ''] = text.split('T')
  const [time = '', milliseconds = ''] = rest.replace('Z', '').split('.')
  const [year = '', month = '', day = ''] = date.split('-')
  const [hour = '', minute = '', second = ''] = time.split(':')
  const fraction = instant % 1000 === 0 ? '' : `.${milliseconds}`
  return { instant, date, time, fraction, year, month, day, hour, minute, second }
}

/** In UTC, with the precision of the instant: `2026-01-05T12:34:56Z`, `2026-01-05T12:34:56.789Z`. */
export const inUtc = ({ date, time, fraction }: Written) => `${date}T${time}${fraction}Z`

/** The same instant with this offset in minutes. */
export function inOffset(minutes: number): Spell {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const offset = [hours, rest].map((each) => String(each).padStart(2, '0')).join(':')
  return ({ instant }) => {
    const { date, time, fraction } = written(instant + minutes * 60_000)
    return `${date}T${time}${fraction}${minutes < 0 ? '-' : '+'}${offset}`
  }
}

const TYPE =
  '“| ExpirationDateTime | date-time | optional |”, “fromBookingDateTime and toBookingDateTime (RFC 3339, both optional)”'

/** Rows that are not a date-time. A bank that accepts one breaks a should, unless a row has another level. */
export function wrong(part: string, clause: string, rows: readonly Row[]): Part<Instant, string> {
  return { part, rows: rows.map((row) => made(row, clause, 'should')) }
}

/** Rows that mean the same instant. */
export function same(part: string, clause: string, rows: readonly Row[]): Part<Instant, string> {
  return {
    part,
    rows: rows.map((row) => ({ ...made(row, clause, 'must'), lawful: true })),
  }
}

function made([id, words, spell, level]: Row, clause: string, usual: Level) {
  return {
    ...{ id, words, level: level ?? usual, because: `${TYPE}; ${clause}` },
    make: ({ instant }: Instant) => spell(written(instant)),
  }
}
