import type { Context } from '../../../engine/suite-api/check.ts'
import { blockByEnvironment } from '../../../engine/suite-api/outcomes.ts'
import {
  answerOf,
  type Exchange,
  member,
  type Row,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'

/** The documented request; not applicable where the target has no product interface. */
export async function readProducts(context: Context): Promise<Exchange> {
  context.unlessAbsent('products')
  const answer = await context.tpp().call('products')
  if (!unauthenticated(answer)) return context.reached(answer)
  // "Authentication requirements: not shown": the target must supply whatever the bank requires.
  const { headers, client } = context.target.document.products ?? {}
  const given =
    headers || client ? 'the bank refuses the credentials under products in the target' : NOT_GIVEN
  blockByEnvironment(`the list of products is not public (${answerOf(answer)}): ${given}`, answer)
}

const NOT_GIVEN = 'write products.headers (a key) or products.client (a certificate) in the target'

/** Refused because of the client, by status or in the handshake. */
function unauthenticated({ response, failure }: Exchange): boolean {
  if (response) return response.status === 401 || response.status === 403
  // A broken connection says nothing about the client.
  return failure?.kind === 'tls-alert'
}

/** The first answer of a run: judged by PROD-01, and the control for deviating requests. */
export const firstRead = sharedFixture([], readProducts)

/** The products of an answer: objects in `data`; empty where there is no such list. */
export function productsOf(exchange: Exchange): Row[] {
  const data = member(exchange.response?.json, 'data')
  if (!Array.isArray(data)) return []
  return data.filter(
    (row): row is Row => typeof row === 'object' && row !== null && !Array.isArray(row),
  )
}

/** Is it a success of the documented request? */
export function isList(exchange: Exchange): boolean {
  const { endpoint, about } = exchange
  if (endpoint !== 'products' || about.open || about.deviation !== undefined) return false
  return succeeded(exchange)
}

/** Is it an error response of the interface? */
export function isError({ endpoint, response }: Exchange): boolean {
  return endpoint === 'products' && (response?.status ?? 0) >= 400
}

/** A product or a part of it as a text, independent of the order of members and array elements. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`,
  )
  return `{${members.sort().join()}}`
}
