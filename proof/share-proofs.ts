import { join } from 'node:path'
import type { Job } from './jobs.ts'
import type { Proof } from './prove.ts'
import { shareAmong } from './worker-pool.ts'

/** Milliseconds, longer than any whole run takes on a busy machine: what is still under way by then hangs. */
const PATIENCE = 120_000

/**
 * Shares what is to be proven at banks among processes.
 *
 * @param again what is to be done with faults that others hid, from the first such round on.
 */
export async function runInWorkers(
  jobs: Job[],
  processes: number,
  done: (proof: Proof) => void,
  again: (hidden: string[], round: number) => Job[],
): Promise<void> {
  const script = import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js'
  for (let round = 1, rest = jobs; rest.length > 0; round += 1) {
    const hidden: string[] = []
    await shareAmong<Job, Proof>({
      script: join(import.meta.dirname, script),
      jobs: rest,
      processes,
      // A group that does not hold is parted again and again: twice as many runs as it has members.
      patience: ({ ids }) => PATIENCE * 2 * ids.length,
      done: (proof) => (proof.hidden ? hidden.push(proof.id) : done(proof)),
      lost,
    })
    rest = hidden.length > 0 ? again(hidden, round) : []
  }
}

function lost({ kind, ids }: Job, why: string): Proof[] {
  return ids.map((id) => ({
    id,
    kind,
    judged: {
      id,
      fails: [],
      warns: [],
      blocks: [],
      errors: [],
      fired: 0,
      exitCode: 5,
      requests: 0,
      milliseconds: 0,
      messages: {},
      leftBehind: 0,
    },
    complaints: [why],
  }))
}
