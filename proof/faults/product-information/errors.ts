import type { Context, Next } from 'koa'
import { products } from '../../../bank/data/products.ts'
import { stateOf } from '../../../bank/state.ts'
import type { Fault } from '../../proof.ts'
import { type Json, jsonOf, partOf } from '../../rewriting.ts'

/** Changes error answers of the product interface; undefined leaves one as it is. */
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
    id: 'unknown-product-path-is-html',
    story: 'Paths that nobody serves are answered by the web server, not by the application.',
    fails: ['PROD-40/json'],
    middleware: errors((ctx) => (ctx.status === 404 ? '<h1>Not Found</h1>' : undefined)),
  },
  {
    id: 'product-method-is-html',
    story: 'The gateway knows the methods of the path, and refuses the others itself.',
    fails: ['PROD-40/json'],
    middleware: errors((ctx) => (ctx.status === 405 ? '<h1>Method Not Allowed</h1>' : undefined)),
  },
  {
    id: 'product-errors-of-open-banking',
    story: 'The error handler of the other interface is used here too.',
    fails: ['PROD-40/description', 'PROD-40/status', 'PROD-40/title'],
    middleware: errors(({ status }, { title }) => ({ Code: String(status), Message: title })),
  },
  {
    id: 'product-error-status-is-a-number',
    story: 'The status is written as the framework has it.',
    fails: ['PROD-40/status'],
    middleware: errors((ctx, body) => ({ ...body, status: ctx.status })),
  },
  {
    id: 'product-errors-in-an-array',
    story: 'Several errors could occur at once, so there is a list.',
    fails: ['PROD-40/object'],
    middleware: errors((_, body) => [body]),
  },
  {
    id: 'product-error-status-always-400',
    story: 'The body of every client error is one constant.',
    fails: ['PROD-41/equals-http-status'],
    middleware: errors((ctx, body) => (ctx.status < 500 ? { ...body, status: '400' } : undefined)),
  },
  {
    id: 'product-error-status-is-a-word',
    story: 'The status is the name of the code.',
    fails: ['PROD-41/equals-http-status'],
    middleware: errors((ctx, body) =>
      ctx.status === 404 ? { ...body, status: 'NOT_FOUND' } : undefined,
    ),
  },
  {
    id: 'unknown-product-path-is-400',
    story: 'Whatever cannot be routed could not be understood.',
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
    story: 'The route is a prefix, and what follows it is ignored.',
    fails: ['PROD-42/unknown-resource'],
    async middleware(ctx: Context, next: Next) {
      if (partOf(ctx) === 'products' && ctx.path.includes(`${LIST}/`)) {
        ctx.path = ctx.path.slice(0, ctx.path.indexOf(LIST) + LIST.length)
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'unknown-product-is-the-first',
    story: 'An identifier that matches nothing falls back to the first product.',
    fails: ['PROD-42/unknown-resource'],
    async middleware(ctx: Context, next: Next) {
      await next()
      if (partOf(ctx) !== 'products' || !ctx.path.includes(`${LIST}/`)) return
      ctx.status = 200
      ctx.body = { data: products[0] }
      stateOf(ctx).fired()
    },
  },
]
export default faults
