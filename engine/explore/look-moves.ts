import { outcomeOf } from './answers.ts'
import type { Make } from './held.ts'

/** Reads what the bank publishes, without any session. */
export const look: Make<'look'> = async ({ session }, { at }) => {
  const { tpp, steps } = session
  const path = at === 'jwks' ? await steps.jwksAddress() : undefined
  const exchange = await tpp().call(at, path === undefined ? {} : { path })
  // A bank may require authentication: it is not shown whether the list is public.
  const { response, failure } = exchange
  const closed = at === 'products' && (failure || [401, 403].includes(response?.status ?? 0))
  return { exchange, outcome: closed ? 'unknown' : outcomeOf(exchange) }
}
