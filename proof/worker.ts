import { openWorkshop } from './judge-bank.ts'
import { type Job, proofsToMake, proveCompany } from './prove.ts'

/** A process that proves what it is sent, one after the other. */

const [workshop, proofs] = await Promise.all([openWorkshop(), proofsToMake([], [])])

process.on('message', async ({ kind, ids }: Job) => {
  const company = ids.map((id) => {
    const named = proofs.find((each) => each.kind === kind && each.expected.id === id)
    if (!named) throw new Error(`no ${kind} is called ${id}`)
    return named.expected
  })
  process.send?.(await proveCompany(workshop, kind, company))
})
process.send?.('ready')
