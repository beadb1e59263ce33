/** What the user typed cannot be meant. */
export class UsageError extends Error {}

/** A whole number of an option, within bounds. */
export function number(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= most) return value
  throw new UsageError(`${option} takes a whole number from 0 to ${most}, not ${text}`)
}
