import { join } from 'node:path'
import type { Job } from './jobs.ts'
import type { Proof } from './prove.ts'
import { shareAmong } from './worker-pool.ts'

/** Milliseconds, longer than two whole runs take on a busy machine: what is still under way by then hangs. */
const PATIENCE = 240_000

/**
 * Shares what is to be proven at banks among processes. Faults that others hid come next, once all others are done.
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
  const queue = [...jobs]
  let round = 0
  let hidden: string[] = []
  /** Faults of this round that are not proven yet. */
  let open = faultsIn(jobs)
  const note = (proof: Proof) => {
    if (proof.hidden) hidden.push(proof.id)
    else done(proof)
    if (proof.kind === 'fault') open -= 1
    if (open > 0 || hidden.length === 0) return
    round += 1
    const next = again(hidden, round)
    hidden = []
    open = faultsIn(next)
    queue.unshift(...next)
  }
  await shareAmong<Job, Proof>({
    script: join(import.meta.dirname, script),
    queue,
    processes,
    patience: PATIENCE,
    done: note,
    lost,
  })
}

function faultsIn(jobs: Job[]): number {
  return jobs.reduce((sum, { kind, ids }) => (kind === 'fault' ? sum + ids.length : sum), 0)
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
