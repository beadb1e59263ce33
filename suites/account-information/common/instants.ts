import { instantOf, isDateTime } from '../../../engine/suite-api/responses.ts'

/** Whole seconds since the epoch of an RFC 3339 date-time; undefined for anything else. */
export function secondsOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !isDateTime(value)) return undefined
  return Math.floor(instantOf(value) / 1000)
}

/** Are they one instant, as far as both of them tell it? A server may leave out fractions of a second. */
export function sameInstant(one: string, other: string): boolean {
  const digits = Math.min(...[one, other].map((text) => /\.(\d+)/.exec(text)?.[1]?.length ?? 0))
  const unit = 10 ** Math.max(0, 3 - digits)
  const told = (text: string) => Math.floor(instantOf(text) / unit)
  return told(one) === told(other)
}

/** What is written in UTC, with “Z”, in other spellings of the same instant. */
const SPELLINGS: readonly ((utc: string) => string)[] = [
  (utc) => utc,
  (utc) => utc.replace(/Z$/, '+00:00'),
  // A fraction that is there says when.
  (utc) => (utc.includes('.') ? utc : utc.replace(/Z$/, '.000000Z')),
]

/** One of them, another one in each draw. */
export const spellingFor =
  (place: number) =>
  (seed: number): ((utc: string) => string) =>
    SPELLINGS[(place + seed) % SPELLINGS.length] ?? ((utc) => utc)
