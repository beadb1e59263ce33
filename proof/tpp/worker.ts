import { triedTwice } from '../second-try.ts'
import { openTppProofs, proveTpps, type TppProof, tppsToProve } from './prove-tpp.ts'

/** A process that proves the TPPs of which it is sent the ids; those that come at once share a client. */

const [context, all] = await Promise.all([openTppProofs(), tppsToProve()])

process.on('message', async (ids: string[]) => {
  const found = ids.map((id) => {
    const each = all.find(({ tpp }) => tpp.id === id)
    if (!each) throw new Error(`no TPP is called ${id}`)
    return each
  })
  const tpps = found.map(({ tpp }) => tpp)
  const kind = found[0]?.kind ?? 'wrong'
  const answer = await triedTwice<string[], TppProof>((later) =>
    proveTpps(context, kind, tpps, (part) => later(part.map(({ id }) => id))),
  )
  process.send?.(answer)
})
process.send?.('ready')
