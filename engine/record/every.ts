/**
 * Calls `look` at intervals until the returned timer is cleared. A call that throws, for example because a file cannot
 * be read just now, is repeated at the next interval and ends nothing.
 */
export function every(milliseconds: number, look: () => void): NodeJS.Timeout {
  return setInterval(() => {
    try {
      look()
    } catch {
      // Try again at the next interval.
    }
  }, milliseconds)
}
