import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'

/**
 * What an alteration remembers, for the bank that serves the request; one for all that happens outside
 * of one. An alteration is one object for all banks of a process, which are served one after the other
 * and two at once: what it kept elsewhere would reach the next of them. Only policies can do without,
 * since they are made again for each bank.
 */
export function ofEachBank<Kept>(create: () => Kept): () => Kept {
  const kept = new WeakMap<object, Kept>()
  const outside = {}
  return () => {
    const ctx = currentRequest()
    const bank = ctx ? stateOf(ctx).bank : outside
    const found = kept.get(bank) ?? create()
    kept.set(bank, found)
    return found
  }
}
