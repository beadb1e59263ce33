/**
 * Does something while the bank is busy with the next request: two rounds of the event loop on, since
 * undici hands that request to its socket in the first.
 */
export function meanwhile(work: () => void): void {
  setImmediate(() => setImmediate(work))
}
