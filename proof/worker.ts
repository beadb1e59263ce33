import { openWorkshop } from './judge-bank.ts'
import { loadVariants } from './load.ts'
import { pairNamed } from './pairs.ts'
import { type Proof, proofsToMake, proveOne } from './prove.ts'

/** A process that proves what it is sent, one after the other. */

const [workshop, proofs, variants] = await Promise.all([
  openWorkshop(),
  proofsToMake([], []),
  loadVariants(),
])

process.on('message', async ({ kind, id }: { kind: string; id: string }) => {
  const named = proofs.find((each) => each.kind === kind && each.expected.id === id)
  const expected = kind === 'pair' ? pairNamed(variants, id) : named?.expected
  if (!expected) throw new Error(`no ${kind} is called ${id}`)
  process.send?.(await proveOne(workshop, kind as Proof['kind'], expected))
})
process.send?.('ready')
