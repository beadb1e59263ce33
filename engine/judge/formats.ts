import { fullFormats } from 'ajv-formats/dist/formats.js'

/** What the schemas demand of a date-time beside the format: a T, an offset with a colon. */
const WITH_T_AND_OFFSET = /^\d{4}-\d{2}-\d{2}T[^ ]+(Z|[+-]\d{2}:\d{2})$/i
const { validate } = fullFormats['date-time'] as { validate(text: string): boolean }

/** RFC 3339 date-time with any offset, as the schemas read it. */
export function isDateTime(text: string): boolean {
  return WITH_T_AND_OFFSET.test(text) && validate(text)
}

/** A decimal number, perhaps signed: 12, -12.50. */
export function isDecimal(text: string): boolean {
  return /^[+-]?\d+(\.\d+)?$/.test(text)
}
