import { openWorkshop } from './judge-bank.ts'
import { proofsToMake, proveOne } from './prove.ts'

/** A process that proves what it is sent, one after the other. */

const [workshop, proofs] = await Promise.all([openWorkshop(), proofsToMake([], [])])

process.on('message', async ({ kind, id }: { kind: string; id: string }) => {
  const proof = proofs.find((each) => each.kind === kind && each.expected.id === id)
  if (!proof) throw new Error(`no ${kind} is called ${id}`)
  process.send?.(await proveOne(workshop, proof.kind, proof.expected))
})
process.send?.('ready')
