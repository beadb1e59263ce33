import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { TppJob } from '../tpp/grouping.ts'
import type { TppProof } from '../tpp/prove-tpp.ts'
import type { Circumstances } from './circumstances.ts'
import type { Job } from './jobs.ts'
import type { Proof } from './prove.ts'
import { shareAmong } from './worker-pool.ts'

/** Longer than two whole runs take on a busy machine: what is still under way by then hangs. */
const LIMITS = {
  bank: { milliseconds: 240_000, of: 'one bank' },
  tpp: { milliseconds: 600_000, of: 'one client' },
}

/** What one process is sent to prove. */
export type Work = Job | TppJob

/** Each under one of these circumstances, in turn; as it is where there are none. */
export function spread<Each extends Work>(work: Each[], circumstances: Circumstances[]): Each[] {
  return work.map((each, index) => {
    const under = circumstances[index % circumstances.length]
    return under ? { ...each, under } : each
  })
}

export function isOfTpps(work: Work): work is TppJob {
  return work.kind === 'right' || work.kind === 'wrong' || work.kind === 'lawful'
}

/** How a proof is slowed: its processes, and how many times longer a job may take. */
export interface Slow {
  began?: (child: ChildProcess) => () => void
  patience?: number
}

/** What is to be proven at banks. */
export interface BankProofs {
  jobs: Job[]
  done(proof: Proof): void
  /** What is to be done with faults that others hid, from the first such round on. */
  again(hidden: string[], round: number): Job[]
}

/** What is to be proven of TPPs. */
export interface TppProofs {
  jobs: TppJob[]
  done(proof: TppProof): void
}

/**
 * Shares what is to be proven among processes, of banks and of TPPs alike. Faults that others hid come next, once
 * all others are done.
 */
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
 * Faults that share a bank come first, since those that others hid can meet others only when all were tried; then
 * TPPs that share a client, which take longest; what takes least comes last.
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

/** Hands on what is proven; once all faults of a round are, those that others hid begin another. */
function hiddenAgain({ jobs, done, again }: BankProofs, next: (jobs: Job[]) => void) {
  let round = 0
  let hidden: string[] = []
  /** Faults of this round that are not proven yet. */
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

/** Proofs of banks whose process is gone. */
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

/** Proofs of TPPs whose process is gone. */
function lostTpps({ kind, ids, under }: TppJob, why: string): TppProof[] {
  return ids.map((id) => ({ id, kind, ...NOTHING, complaints: [why], under }))
}
