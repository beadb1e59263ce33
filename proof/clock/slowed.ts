/** A slowed process runs only for the first RUNS milliseconds of each SPAN. */
const SPAN = 100
const RUNS = 10

/**
 * Lets the process that gets the signals run for a tenth of its time.
 *
 * @returns a function that ends this.
 */
export function slowed(send: (signal: 'SIGSTOP' | 'SIGCONT') => void): () => void {
  const timer = setInterval(() => {
    send('SIGCONT')
    setTimeout(send, RUNS, 'SIGSTOP')
  }, SPAN)
  return () => clearInterval(timer)
}
