import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { TppJob } from '../tpp/grouping.ts'
import type { TppProof } from '../tpp/prove-tpp.ts'
import type { Circumstances } from './circumstances.ts'
import type { Job } from './jobs.ts'
import type { Proof } from './prove.ts'
import { shareAmong } from './worker-pool.ts'

/** Longer than two whole runs on a busy machine: a job that is not done by then hangs. */
const LIMITS = {
  bank: { milliseconds: 240_000, of: 'one bank' },
  tpp: { milliseconds: 600_000, of: 'one client' },
}

/** A job for one process. */
export type Work = Job | TppJob

/** Assigns the circumstances to the jobs in turn; without circumstances the jobs are unchanged. */
export function spread<Each extends Work>(work: Each[], circumstances: Circumstances[]): Each[] {
  return work.map((each, index) => {
    const under = circumstances[index % circumstances.length]
    return under ? { ...each, under } : each
  })
}

export function isOfTpps(work: Work): work is TppJob {
  return work.kind === 'right' || work.kind === 'wrong' || work.kind === 'lawful'
}

/** How a proof is slowed: a hook for its processes, and by which factor a job may take longer. */
export interface Slow {
  began?: (child: ChildProcess) => () => void
  patience?: number
}

/** What is proven at banks. */
export interface BankProofs {
  jobs: Job[]
  done(proof: Proof): void
  /** Makes jobs for faults that others hid; the first round is 1. */
  again(hidden: string[], round: number): Job[]
}

/** What is proven about TPPs. */
export interface TppProofs {
  jobs: TppJob[]
  done(proof: TppProof): void
}

/** Distributes the proofs of banks and TPPs to processes. Faults that others hid follow when all others are done. */
export async function runInWorkers(
  banks: BankProofs | undefined,
  tpps: TppProofs | undefined,
  processes: number,
  slow: Slow = {},
): Promise<void> {
  const queue: Work[] = inTurn(banks?.jobs ?? [], tpps?.jobs ?? [])
  const note = banks && hiddenAgain(banks, (jobs) => queue.unshift(...jobs))
  await shareAmong<Work, Proof | TppProof>({
    script: join(import.meta.dirname, import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js'),
    queue,
    processes,
    limit(work) {
      const { milliseconds, of } = isOfTpps(work) ? LIMITS.tpp : LIMITS.bank
      return { milliseconds: milliseconds * (slow.patience ?? 1), of }
    },
    ...(slow.began && { began: slow.began }),
    done(proof) {
      if ('judged' in proof) note?.(proof)
      else tpps?.done(proof)
    },
    lost: (work, why) => (isOfTpps(work) ? lostTpps(work, why) : lostBanks(work, why)),
  })
}

/**
 * Faults that share a bank come first, because those that others hide can be regrouped only after all were tried; then
 * TPPs that share a client, which take longest; short jobs come last.
 */
function inTurn(banks: Job[], tpps: TppJob[]): Work[] {
  const faults = banks.findLastIndex(({ kind, ids }) => kind === 'fault' && ids.length > 1) + 1
  const long = tpps.findLastIndex(({ ids }) => ids.length > 1) + 1
  return [
    ...banks.slice(0, faults),
    ...tpps.slice(0, long),
    ...banks.slice(faults),
    ...tpps.slice(long),
  ]
}

/** Passes on proofs. When all faults of a round are proven, the hidden ones start another round. */
function hiddenAgain({ jobs, done, again }: BankProofs, next: (jobs: Job[]) => void) {
  let round = 0
  let hidden: string[] = []
  /** Number of faults of this round that are not proven yet. */
  let open = faultsIn(jobs)
  return (proof: Proof) => {
    if (proof.hidden) hidden.push(proof.id)
    else done(proof)
    if (proof.kind === 'fault') open -= 1
    if (open > 0 || hidden.length === 0) return
    round += 1
    const more = again(hidden, round)
    hidden = []
    open = faultsIn(more)
    next(more)
  }
}

function faultsIn(jobs: Job[]): number {
  return jobs.reduce((sum, { kind, ids }) => (kind === 'fault' ? sum + ids.length : sum), 0)
}

const NOTHING = { fails: [], warns: [], requests: 0, milliseconds: 0 }

/** Proofs of banks whose process ended. */
function lostBanks({ kind, ids, under }: Job, why: string): Proof[] {
  const nothing = { ...NOTHING, blocks: [], errors: [], fired: 0, exitCode: 5, messages: {} }
  return ids.map((id) => ({
    id,
    kind,
    judged: { id, ...nothing, leftBehind: 0 },
    complaints: [why],
    under,
  }))
}

/** Proofs of TPPs whose process ended. */
function lostTpps({ kind, ids, under }: TppJob, why: string): TppProof[] {
  return ids.map((id) => ({ id, kind, ...NOTHING, complaints: [why], under }))
}
