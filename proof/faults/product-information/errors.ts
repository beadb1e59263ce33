import type { Context, Next } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import { type Json, jsonOf, partOf } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

/** Changes error answers of the product interface; undefined leaves one unchanged. */
function errors(change: (ctx: Context, body: Json) => unknown) {
  return async (ctx: Context, next: Next) => {
    await next()
    const body = partOf(ctx) === 'products' && ctx.status >= 400 ? jsonOf(ctx) : undefined
    const changed = body && change(ctx, body)
    if (changed === undefined) return
    const { status } = ctx
    ctx.body = changed
    ctx.status = status
    stateOf(ctx).fired()
  }
}

const LIST = '/consumer-credit-cards'

const faults: Fault[] = [
  {
    id: 'product-errors-without-words',
    story: 'The description of product errors is empty.',
    fails: [],
    warns: ['PROD-49/not-empty'],
    middleware: errors((_, body) => ({ ...body, description: '' })),
  },
  {
    id: 'product-errors-say-undefined',
    story: 'The description of product errors is the text "undefined".',
    fails: [],
    warns: ['PROD-58/placeholders'],
    middleware: errors((_, body) => ({ ...body, description: 'undefined' })),
  },
  {
    id: 'product-errors-are-plain-text',
    story: 'Product errors have Content-Type text/plain instead of JSON.',
    fails: [],
    warns: ['PROD-72/media-type'],
    middleware: errors((ctx, body) => {
      ctx.type = 'text/plain'
      return JSON.stringify(body)
    }),
  },
  {
    id: 'product-patch-is-html',
    story: 'The error for PATCH on the products is HTML, because the gateway answers it.',
    fails: ['PROD-40/json'],
    middleware: errors((ctx) =>
      ctx.method === 'PATCH' ? '<h1>Method Not Allowed</h1>' : undefined,
    ),
  },
  {
    id: 'product-method-is-html',
    story: 'The error for a wrong method on the products is HTML, because the gateway answers it.',
    fails: ['PROD-40/json'],
    middleware: errors((ctx) => (ctx.status === 405 ? '<h1>Method Not Allowed</h1>' : undefined)),
  },
  {
    id: 'product-errors-of-open-banking',
    story:
      'Product errors have the members Code and Message of the other interface instead of description, status and title.',
    fails: ['PROD-40/description', 'PROD-40/status', 'PROD-40/title'],
    middleware: errors(({ status }, { title }) => ({ Code: String(status), Message: title })),
  },
  {
    id: 'product-errors-in-an-array',
    story: 'Product errors are an array instead of an object.',
    fails: ['PROD-40/object'],
    middleware: errors((_, body) => [body]),
  },
  {
    id: 'product-error-status-always-400',
    story:
      'The status in the body of product errors is always 400, even if the HTTP status is another one.',
    fails: ['PROD-41/equals-http-status'],
    middleware: errors((ctx, body) => (ctx.status < 500 ? { ...body, status: '400' } : undefined)),
  },
  {
    id: 'unknown-product-path-is-400',
    story: 'An unknown path of the product interface gets 400 instead of 404.',
    fails: ['PROD-42/unknown-resource'],
    async middleware(ctx: Context, next: Next) {
      await next()
      if (partOf(ctx) !== 'products' || ctx.status !== 404) return
      ctx.body = { ...(ctx.body as Json), status: '400' }
      ctx.status = 400
      stateOf(ctx).fired()
    },
  },
  {
    id: 'anything-below-the-list-is-the-list',
    story: 'A path below /consumer-credit-cards returns the list of products instead of 404.',
    fails: ['PROD-42/unknown-resource'],
    async middleware(ctx: Context, next: Next) {
      if (partOf(ctx) === 'products' && ctx.path.includes(`${LIST}/`)) {
        ctx.path = ctx.path.slice(0, ctx.path.indexOf(LIST) + LIST.length)
        stateOf(ctx).fired()
      }
      await next()
    },
  },
]
export default faults
