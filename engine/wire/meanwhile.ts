/**
 * Does something while the bank handles the next request: after two turns of the event loop, because undici passes that
 * request to its socket in the first.
 */
export function meanwhile(work: () => void): void {
  setImmediate(() => setImmediate(work))
}
