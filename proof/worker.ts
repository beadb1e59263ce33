import { alterationsOf, type Job, loadAlterations, mixedOf } from './jobs.ts'
import { openProofContext } from './judge-bank.ts'
import { type Proof, proveGroup, proveMixed, proveWithin } from './prove.ts'
import { triedTwice } from './second-try.ts'

/** A process that proves what it is sent, one after the other. */

const [context, all] = await Promise.all([openProofContext(), loadAlterations()])

async function proved(job: Job): Promise<Proof[]> {
  if (job.kind === 'mixed') return proveMixed(context, mixedOf(all, job.ids))
  const altered = alterationsOf(all, job)
  if (job.only) return proveWithin(context, altered, job.only)
  return proveGroup(context, job.kind, altered)
}

process.on('message', async (job: Job) => process.send?.(await triedTwice(() => proved(job))))
process.send?.('ready')
