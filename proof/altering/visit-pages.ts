import type { Context } from 'koa'
import { answers, partOf } from './rewriting.ts'

/** Where an answer sends the browser; empty for one that is no redirect. */
export const locationOf = (ctx: Context) => String(ctx.response.get('location') ?? '')

/** Is the request of a customer's browser? */
export const onPages = (ctx: Context) => partOf(ctx) === 'pages'

/** Text of the pages that customers see, changed. */
export const pages = (change: (html: string, ctx: Context) => string) =>
  answers((ctx) => {
    if (!onPages(ctx) || typeof ctx.body !== 'string') return false
    const { status } = ctx
    const changed = change(ctx.body, ctx)
    if (changed === ctx.body) return false
    ctx.body = changed
    ctx.status = status
  })

/** A page of the bank's, with this content. */
export const page = (content: string) =>
  `<!doctype html><html lang="en"><title>Bank</title>${content}`
