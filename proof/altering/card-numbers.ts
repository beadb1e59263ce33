import { luhn } from '../../engine/wire/secret-patterns.ts'

/** Fifteen digits and the check digit that makes them the number of a card. */
export function withCheckDigit(digits: string): string {
  return [...'0123456789'].map((check) => `${digits}${check}`).find(luhn) ?? digits
}
