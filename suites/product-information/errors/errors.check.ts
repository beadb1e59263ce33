import { randomUUID } from 'node:crypto'
import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { CallOptions } from '../../../engine/suite-api/client.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { answerOf, type Exchange, succeeded } from '../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../owners.ts'
import { firstRead, productsOf } from '../common/product-list.ts'

/** Errors of the product interface. Requirements: specs/product-information/errors.yaml */

/** A request that differs from the documented one; no check judges the data of a success. */
function other({ tpp }: Context, deviation: string, options: CallOptions): Promise<Exchange> {
  return tpp().call('products', { ...options, deviation, about: { open: true } })
}

check(
  'PROD-42/unknown-resource',
  'A resource that does not exist answers 404',
  {},
  async (context) => {
    relyOn(OWNERS.products, await firstRead(context)).toSucceed()
    const list = context.target.endpoints.products
    const base = list.slice(0, list.lastIndexOf('/'))
    for (const path of [`${base}/${randomUUID()}`, `${list}/${randomUUID()}`]) {
      expect(await other(context, 'a resource that does not exist', { path })).toHaveStatus(404)
    }
  },
)

/**
 * Records the status of GET {base}/consumer-credit-cards/%zz, and of a GET with a truncated
 * JSON body. Neither is a request of the interface: the bodies of the answers are not judged.
 */
check('PROD-43/recorded', 'What a request that cannot be understood gives', {}, async (context) => {
  const list = (await firstRead(context)).request.url
  // The web server itself answers such requests; ErrorResponse belongs to the interface.
  const ask = (path: string, deviation: string, body?: string) =>
    context.tpp().call('elsewhere', { path, deviation, ...(body && { body }) })
  const broken = await ask(`${list}/%zz`, 'no percent-encoding')
  context.observe('a path that is not valid percent-encoding', answerOf(broken), broken)
  const cut = await ask(list, 'a truncated JSON body', '{"a":')
  context.observe('GET with a truncated JSON body', answerOf(cut), cut)
})

check('PROD-45/recorded', 'What other methods than GET give', {}, async (context) => {
  await firstRead(context)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const body = method === 'DELETE' ? undefined : {}
    const answer = await other(context, `method ${method}`, { method, body })
    context.observe(`${method} on the list of products`, answerOf(answer), answer)
  }
})

check('PROD-46/recorded', 'What an unknown query parameter gives', {}, async (context) => {
  await firstRead(context)
  const query = { unknownParameter: '1' }
  const answer = await other(context, 'an unknown query parameter', { query })
  const seen = succeeded(answer) ? `, ${productsOf(answer).length} products` : ''
  context.observe('an unknown query parameter', `${answerOf(answer)}${seen}`, answer)
})
