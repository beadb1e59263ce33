import { alterationsOf, type Job, loadAlterations, mixedOf } from './jobs.ts'
import { openProofContext } from './judge-bank.ts'
import { mixedName } from './mixed.ts'
import { type Proof, proveGroup, proveMixed, proveWithin } from './prove.ts'
import { triedTwice } from './second-try.ts'

/** A process that proves what it is sent, one bank after the other. */

const [context, all] = await Promise.all([openProofContext(), loadAlterations()])

async function proved(job: Job, later: (job: Job) => void): Promise<Proof[]> {
  const { kind, ids, only } = job
  if (kind === 'mixed') {
    return proveMixed(context, mixedOf(all, ids), (part) =>
      later({ kind, ids: part.map(mixedName) }),
    )
  }
  const altered = alterationsOf(all, job)
  if (only) return proveWithin(context, altered, only)
  return proveGroup(context, kind, altered, (part) =>
    later({ kind, ids: part.map(({ id }) => id) }),
  )
}

process.on('message', async (job: Job) =>
  process.send?.(await triedTwice<Job, Proof>((later) => proved(job, later))),
)
process.send?.('ready')
