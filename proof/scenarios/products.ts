import type { Context } from 'koa'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'
import { partOf } from '../altering/rewriting.ts'

/** Replaces every answer with the list of products. */
const instead = (id: string, story: string, answer: (ctx: Context) => void): Alteration => ({
  id,
  story,
  async middleware(ctx, next) {
    if (partOf(ctx) !== 'products') return next()
    answer(ctx)
    stateOf(ctx).fired()
  },
})

/** An error of the document, with its body. */
const error = (id: string, status: number, title: string, description: string) =>
  instead(id, `The list of products is answered with ${status}.`, (ctx) => {
    ctx.status = status
    ctx.body = { status: String(status), title, description }
    stateOf(ctx).refusal = { reason: title, detail: description }
  })

const alterations: Alteration[] = [
  error(
    'products-unavailable',
    503,
    'Service Unavailable',
    'The service is temporarily unavailable.',
  ),
  error('products-in-error', 500, 'Internal Server Error', 'Internal system error.'),
  error('products-not-found', 404, 'Not Found', 'The requested resource was not found.'),
  instead(
    'a-page-instead-of-products',
    'The product request gets an HTML page with status 200, from a portal.',
    (ctx) => {
      ctx.status = 200
      ctx.type = 'html'
      ctx.body = '<!doctype html><title>Credit cards</title><p>Which card is for you?</p>'
    },
  ),
]

export default alterations
