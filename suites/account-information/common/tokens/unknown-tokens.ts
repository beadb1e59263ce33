/** What was done to a token of `inOtherCase`. */
export const SWAPPED = 'with its letters in the other case'

/**
 * The token with capitals for small letters and the reverse. None where all its letters are of one case: whoever
 * decodes hexadecimal digits, a UUID or base32 reads the same in the other.
 */
export function inOtherCase(issued: string): string[] {
  if (!/[a-z]/.test(issued) || !/[A-Z]/.test(issued)) return []
  const swap = (one: string) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())
  return [issued.replace(/[a-z]/gi, swap)]
}
