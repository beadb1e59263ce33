import { instantOf, isDateTime } from '../../../engine/suite-api/responses.ts'

/** Whole seconds since 1970 of an RFC 3339 date-time; undefined for anything else. */
export function secondsOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !isDateTime(value)) return undefined
  return Math.floor(instantOf(value) / 1000)
}

/** Are they the same instant, to the precision of both? A server may leave out fractions of a second. */
export function sameInstant(one: string, other: string): boolean {
  const digits = Math.min(...[one, other].map((text) => /\.(\d+)/.exec(text)?.[1]?.length ?? 0))
  const unit = 10 ** Math.max(0, 3 - digits)
  const told = (text: string) => Math.floor(instantOf(text) / unit)
  return told(one) === told(other)
}

/**
 * Are they one instant, as servers store it? To 10 ms where both have a fraction, since databases round differently;
 * without one it may have been rounded to a second.
 */
export function nearlySameInstant(one: string, other: string): boolean {
  const exact = [one, other].every((text) => /\.\d*[1-9]/.test(text))
  return Math.abs(instantOf(one) - instantOf(other)) <= (exact ? 10 : 1000)
}

/** Spellings of an instant that is written in UTC, with “Z”. */
const SPELLINGS: readonly ((utc: string) => string)[] = [
  (utc) => utc,
  (utc) => utc.replace(/Z$/, '+00:00'),
  // An existing fraction is part of the instant.
  (utc) => (utc.includes('.') ? utc : utc.replace(/Z$/, '.000000Z')),
]

/** One of these spellings; each draw uses another one. */
export const spellingFor =
  (place: number) =>
  (seed: number): ((utc: string) => string) =>
    SPELLINGS[(place + seed) % SPELLINGS.length] ?? ((utc) => utc)
