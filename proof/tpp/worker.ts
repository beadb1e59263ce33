import { triedTwice } from '../second-try.ts'
import { openTppProofs, proveTpp, tppsToProve } from './prove-tpp.ts'

/** A process that proves the TPPs of which it is sent the ids, one after the other. */

const [context, all] = await Promise.all([openTppProofs(), tppsToProve()])

process.on('message', async (id: string) => {
  const found = all.find(({ tpp }) => tpp.id === id)
  if (!found) throw new Error(`no TPP is called ${id}`)
  process.send?.(await triedTwice(async () => [await proveTpp(context, found)]))
})
process.send?.('ready')
