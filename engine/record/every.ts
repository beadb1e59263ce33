/**
 * Looks at something at intervals, for as long as the timer that it returns is not cleared. A look that throws, such as
 * one at a file that cannot be read just now, is made again at the next interval and ends nothing.
 */
export function every(milliseconds: number, look: () => void): NodeJS.Timeout {
  return setInterval(() => {
    try {
      look()
    } catch {
      // Nothing was seen.
    }
  }, milliseconds)
}
