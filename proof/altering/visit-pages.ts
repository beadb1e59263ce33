import type { Context } from 'koa'
import { answers, partOf } from './rewriting.ts'

/** The target of a redirect; empty for other answers. */
export const locationOf = (ctx: Context) => String(ctx.response.get('location') ?? '')

/** Does the request come from a customer's browser? */
export const onPages = (ctx: Context) => partOf(ctx) === 'pages'

/** Changes the text of the pages that customers see. */
export const pages = (change: (html: string, ctx: Context) => string) =>
  answers((ctx) => {
    if (!onPages(ctx) || typeof ctx.body !== 'string') return false
    const { status } = ctx
    const changed = change(ctx.body, ctx)
    if (changed === ctx.body) return false
    ctx.body = changed
    ctx.status = status
  })

/** A page of the bank with this content. */
export const page = (content: string) =>
  `<!doctype html><html lang="en"><title>Bank</title>${content}`
