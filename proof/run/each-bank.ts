import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'

/**
 * State of an alteration, separate for each bank; one more for everything outside of a request. An alteration is one
 * object for all banks of a process, which run one after the other or two at once, so state that is kept elsewhere
 * would reach other banks. Only policies do not need this, because they are made again for each bank.
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
