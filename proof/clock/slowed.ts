/** Milliseconds: of each of these spans a slowed process runs for the first part alone. */
const SPAN = 100
const RUNS = 10

/**
 * Lets whatever gets the signals run for a tenth of its time.
 *
 * @returns what ends it.
 */
export function slowed(send: (signal: 'SIGSTOP' | 'SIGCONT') => void): () => void {
  const timer = setInterval(() => {
    send('SIGCONT')
    setTimeout(send, RUNS, 'SIGSTOP')
  }, SPAN)
  return () => clearInterval(timer)
}
