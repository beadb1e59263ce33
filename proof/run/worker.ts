// Must be the first import.

import { turnClock } from '../clock/turned-clock.ts'
import { proveTable } from '../tables/prove-table.ts'
import { mixedName } from '../together/mixed.ts'
import type { TppJob } from '../tpp/grouping.ts'
import type { TppProof } from '../tpp/prove-tpp.ts'
import type { Circumstances } from './circumstances.ts'
import { alterationsOf, type Job, loadAlterations, mixedOf } from './jobs.ts'
import { openProofContext, type ProofContext } from './judge-bank.ts'
import { type Proof, proveGroup, proveMixed } from './prove.ts'
import { proveNear } from './prove-near.ts'
import { triedTwice } from './second-try.ts'
import { isOfTpps, type Work } from './share-proofs.ts'

/** A process that proves the jobs that it receives: one bank or one client of TPPs after the other. */

/** What was opened under the circumstances of the latest job. */
let current = ''
let banks: ReturnType<typeof openBanks> | undefined
let tpps: ReturnType<typeof openTpps> | undefined

process.on('message', async (work: Work) => {
  const { results, more } = await proved(work)
  process.send?.({ results: results.map((each) => ({ ...each, under: work.under })), more })
})
process.send?.('ready')

async function proved(work: Work) {
  turnClock(work.under?.moment)
  await closeOthers(work.under)
  if (isOfTpps(work)) {
    tpps ??= openTpps()
    return (await tpps).answer(work)
  }
  banks ??= openBanks(work.under)
  return (await banks).answer(work)
}

/** Closes what was opened under other circumstances: its software statements and certificates are no longer usable. */
async function closeOthers(circumstances: Circumstances = {}): Promise<void> {
  const wanted = JSON.stringify(circumstances)
  if (wanted === current) return
  current = wanted
  const open = [await banks, await tpps]
  banks = undefined
  tpps = undefined
  for (const each of open) await each?.close()
}

async function openBanks(under: Circumstances | undefined) {
  const [opened, all] = await Promise.all([openProofContext(), loadAlterations()])
  const context: ProofContext = { ...opened, ...(under?.delay && { delay: under.delay }) }
  const prove = async (job: Job, later: (job: Job) => void) => {
    const { kind, ids, near } = job
    if (kind === 'table')
      return Promise.all(ids.map((id) => proveTable(context, id, job.draw ?? 'all')))
    if (kind === 'mixed') {
      return proveMixed(context, mixedOf(all, ids), (part) =>
        later({ ...job, ids: part.map(mixedName) }),
      )
    }
    const altered = alterationsOf(all, job)
    const laterIn = (part: { id: string }[]) => later({ ...job, ids: part.map(({ id }) => id) })
    if (near) return proveNear(context, kind, altered, near, laterIn)
    return proveGroup(context, kind, altered, laterIn)
  }
  return {
    answer: (job: Job) =>
      triedTwice<Job, Proof>((later) => {
        turnClock(under?.moment)
        return prove(job, later)
      }),
    close: () => context.directory.close(),
  }
}

async function openTpps() {
  const { openTppProofs, proveTpps, tppsToProve } = await import('../tpp/prove-tpp.ts')
  const [context, all] = await Promise.all([openTppProofs(), tppsToProve()])
  const answer = (job: TppJob) => {
    const { kind, ids, under } = job
    const tpps = ids.map((id) => {
      const each = all.find(({ tpp }) => tpp.id === id)
      if (!each) throw new Error(`no TPP is called ${id}`)
      return each.tpp
    })
    return triedTwice<TppJob, TppProof>((later) => {
      turnClock(under?.moment)
      return proveTpps(context, kind, tpps, (part) =>
        later({ ...job, ids: part.map(({ id }) => id) }),
      )
    })
  }
  return { answer, close: () => context.close() }
}
