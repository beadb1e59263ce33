import { availableParallelism } from 'node:os'
import { number } from './usage.ts'

/** How many processes prove at once: `--processes`, or one for each processor. */
export function processes(options: { processes?: string }): number {
  return number('--processes', options.processes, 64) || availableParallelism()
}
