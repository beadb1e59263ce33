/**
 * Spaces requests so that no minute has more than a given number of them; each caller waits for its turn, in the order
 * of the calls. Without a number nobody waits.
 */
export function createBudget(requestsPerMinute: number | undefined): () => Promise<void> {
  if (requestsPerMinute === undefined) return () => Promise.resolve()
  const apart = 60_000 / requestsPerMinute
  let free = 0
  return () => {
    const now = performance.now()
    const turn = Math.max(now, free)
    free = turn + apart
    // A timer may fire a millisecond early.
    return new Promise((resolve) => setTimeout(resolve, turn > now ? Math.ceil(turn - now) + 1 : 0))
  }
}
