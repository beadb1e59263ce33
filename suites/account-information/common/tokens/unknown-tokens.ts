/** Describes a token from `inOtherCase`. */
export const SWAPPED = 'with its letters in the other case'

/**
 * The token with upper and lower case swapped. None where all its letters are of
 * one case: hexadecimal digits, a UUID or base32 mean the same in both cases.
 */
export function inOtherCase(issued: string): string[] {
  if (!/[a-z]/.test(issued) || !/[A-Z]/.test(issued)) return []
  const swap = (one: string) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())
  return [issued.replace(/[a-z]/gi, swap)]
}
