import Router from '@koa/router'
import type { Context, Next } from 'koa'
import { productMeta, products } from '../data/products.ts'
import type { Services } from '../state/services.ts'
import { takesJson } from './answer.ts'

const path = '/open-banking/v1/consumer-credit-cards'

const titles: Record<number, [title: string, description: string]> = {
  400: ['Bad Request', 'The request could not be understood.'],
  404: ['Not Found', 'The requested resource was not found.'],
  405: ['Method Not Allowed', 'The resource can only be read.'],
  500: ['Internal Server Error', 'The request could not be completed.'],
}

/** "All error responses have the ErrorResponse body." */
export function answerError(ctx: Context, status: number): void {
  const [title, description] = titles[status] ?? ['Error', 'The request was not served.']
  ctx.status = status
  ctx.type = 'application/json'
  ctx.body = { description, status: String(status), title }
}

/** The product information interface. */
export function productRoutes({ policies }: Pick<Services, 'policies'>): Router {
  const router = new Router({ sensitive: true })
  router.get(path, (ctx) => {
    if (!takesJson(ctx.get('accept'))) return answerError(ctx, 400)
    ctx.type = 'application/json'
    ctx.body = policies.productsView(products, productMeta)
  })
  router.all(path, (ctx) => {
    ctx.set('allow', 'GET, HEAD')
    answerError(ctx, 405)
  })
  return router
}

/** Wraps the routes: an unknown path and an exception have the same body. */
export async function productErrors(ctx: Context, next: Next): Promise<void> {
  try {
    await next()
  } catch (thrown) {
    ctx.app.emit('error', thrown, ctx)
    return answerError(ctx, 500)
  }
  if (ctx.status === 404 && ctx.body === undefined) answerError(ctx, 404)
}
