import { alterationsOf, type Job, loadAlterations, mixedOf } from './jobs.ts'
import { openProofContext } from './judge-bank.ts'
import { mixedName } from './mixed.ts'
import { type Proof, proveGroup, proveMixed, proveWithin } from './prove.ts'
import { triedTwice } from './second-try.ts'
import type { Answer } from './worker-pool.ts'

/** A process that proves what it is sent, one bank after the other. */

const [context, all] = await Promise.all([openProofContext(), loadAlterations()])

/** @param later takes down what is to be proven by itself. */
async function proved(job: Job, later: (ids: string[]) => void): Promise<Proof[]> {
  if (job.kind === 'mixed') {
    return proveMixed(context, mixedOf(all, job.ids), async (part) => {
      later(part.map(mixedName))
      return []
    })
  }
  const altered = alterationsOf(all, job)
  if (job.only) return proveWithin(context, altered, job.only)
  return proveGroup(context, job.kind, altered, async (part) => {
    later(part.map(({ id }) => id))
    return []
  })
}

process.on('message', async (job: Job) => {
  let more: Job[] = []
  const results = await triedTwice(() => {
    more = []
    return proved(job, (ids) => more.push({ kind: job.kind, ids }))
  })
  const answer: Answer<Job, Proof> = { results, more }
  process.send?.(answer)
})
process.send?.('ready')
