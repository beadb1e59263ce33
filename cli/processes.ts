import { availableParallelism } from 'node:os'
import { number } from './usage.ts'

/**
 * How many processes prove at once: `--processes`, or one for each processor and one more, as now and
 * then each waits for a clock or for another thread.
 */
export function processes(options: { processes?: string }): number {
  return number('--processes', options.processes, 64) || availableParallelism() + 1
}
