import { alterationsOf, type Job, loadAlterations, mixedOf } from './jobs.ts'
import { openProofContext } from './judge-bank.ts'
import { mixedName } from './mixed.ts'
import { type Proof, proveGroup, proveMixed, proveWithin } from './prove.ts'
import { triedTwice } from './second-try.ts'
import { isOfTpps, type Work } from './share-proofs.ts'
import type { TppJob } from './tpp/grouping.ts'
import type { TppProof } from './tpp/prove-tpp.ts'

/** A process that proves what it is sent: one bank after the other, one client of TPPs after the other. */

let banks: ReturnType<typeof openBanks> | undefined
let tpps: ReturnType<typeof openTpps> | undefined

process.on('message', async (work: Work) => {
  process.send?.(await proved(work))
})
process.send?.('ready')

async function proved(work: Work) {
  if (isOfTpps(work)) {
    tpps ??= openTpps()
    return (await tpps)(work)
  }
  banks ??= openBanks()
  return (await banks)(work)
}

async function openBanks() {
  const [context, all] = await Promise.all([openProofContext(), loadAlterations()])
  const prove = async (job: Job, later: (job: Job) => void) => {
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
  return (job: Job) => triedTwice<Job, Proof>((later) => prove(job, later))
}

async function openTpps() {
  const { openTppProofs, proveTpps, tppsToProve } = await import('./tpp/prove-tpp.ts')
  const [context, all] = await Promise.all([openTppProofs(), tppsToProve()])
  return ({ kind, ids }: TppJob) => {
    const tpps = ids.map((id) => {
      const each = all.find(({ tpp }) => tpp.id === id)
      if (!each) throw new Error(`no TPP is called ${id}`)
      return each.tpp
    })
    return triedTwice<TppJob, TppProof>((later) =>
      proveTpps(context, kind, tpps, (part) => later({ kind, ids: part.map(({ id }) => id) })),
    )
  }
}
