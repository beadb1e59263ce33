import type { Context } from '../../../engine/journey/context.ts'
import { once } from '../../../engine/journey/once.ts'
import { succeeded } from '../../../engine/judge/matchers.ts'
import { member, type Row } from '../../../engine/judge/rows.ts'
import type { Exchange } from '../../../engine/wire/exchange.ts'

/** The documented request; not applicable where the target has no product interface. */
export async function readProducts({ tpp, reached, unlessAbsent }: Context): Promise<Exchange> {
  unlessAbsent('products')
  return reached(await tpp().call('products'))
}

/** The first answer of a run: PROD-01's, and the control of what differs from it. */
export const firstRead = once(readProducts)

/** The products of an answer: objects in `data`; empty where there is no such list. */
export function productsOf(exchange: Exchange): Row[] {
  const data = member(exchange.response?.json, 'data')
  if (!Array.isArray(data)) return []
  return data.filter(
    (row): row is Row => typeof row === 'object' && row !== null && !Array.isArray(row),
  )
}

/** Is it an answer with the list that the documented request asks for? */
export function isList(exchange: Exchange): boolean {
  const { endpoint, about } = exchange
  if (endpoint !== 'products' || about.open || about.deviation !== undefined) return false
  return succeeded(exchange)
}
