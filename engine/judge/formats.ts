import { fullFormats } from 'ajv-formats/dist/formats.js'

/** What the schemas require of a date-time in addition to the format: a T, and an offset with a colon. */
const WITH_T_AND_OFFSET = /^\d{4}-\d{2}-\d{2}T[^ ]+(Z|[+-]\d{2}:\d{2})$/i
const { validate } = fullFormats['date-time'] as { validate(text: string): boolean }

/** RFC 3339 date-time with any offset, as the schemas read it. */
export function isDateTime(text: string): boolean {
  return WITH_T_AND_OFFSET.test(text) && validate(text)
}

/**
 * A date-time in milliseconds since 1970; NaN if it is not valid. A leap second is valid (RFC 3339 5.6) but has no
 * number of its own: it gets the instant at which the next minute begins.
 */
export function instantOf(text: string): number {
  const known = text.includes('.') ? text.replace(BEYOND_MILLISECONDS, '$1') : text
  const minute = known.startsWith(':60', 16) ? LEAP_SECOND.exec(known)?.[1] : undefined
  return minute === undefined
    ? Date.parse(known)
    : Date.parse(`${minute}:59${known.slice(minute.length + 3)}`) + 1000
}

/** Fraction digits beyond milliseconds: Date.parse misreads more than nine digits. */
const BEYOND_MILLISECONDS = /(\.\d{3})\d+/

const LEAP_SECOND = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}):60/i

/** True for a decimal number with an optional sign: 12, -12.50. */
export function isDecimal(text: string): boolean {
  return /^[+-]?\d+(\.\d+)?$/.test(text)
}
