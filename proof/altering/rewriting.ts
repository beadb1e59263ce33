import type { Context, Middleware, Next } from 'koa'
import type { Reason } from '../../bank/listeners/refusals.ts'
import { stateOf } from '../../bank/state/state.ts'
import type { Variant } from '../run/proof.ts'

export type Json = Record<string, unknown>

/** The part of the two documents that a request belongs to; `pages` are those that customers see. */
export type Part =
  | 'consents'
  | 'data'
  | 'discovery'
  | 'jwks'
  | 'pages'
  | 'products'
  | 'registration'
  | 'token'

/** The part that serves a request, by its listener and path. */
export function partOf(ctx: Context): Part {
  const { bank, listener } = stateOf(ctx)
  const { paths } = bank.services.endpoints
  if (listener.roles.includes('products')) return 'products'
  if (listener.roles.includes('discovery')) {
    if (ctx.path === '/.well-known/openid-configuration') return 'discovery'
    if (ctx.path === '/jwks') return 'jwks'
  }
  if (listener.roles.includes('token') && ctx.path === paths.token) return 'token'
  const registers = listener.roles.includes('registration')
  if (registers && ctx.path.startsWith(paths.registration)) return 'registration'
  if (!listener.roles.includes('api')) return 'pages'
  return ctx.path.includes('-consents') ? 'consents' : 'data'
}

/** The body, if it is a JSON object that can still be changed. */
export function jsonOf(ctx: Context): Json | undefined {
  const body: unknown = ctx.body
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return isObject && !Buffer.isBuffer(body) && !('pipe' in body) ? (body as Json) : undefined
}

/** Changes answers before they are sent. `change` returns false when it changed nothing. */
export function answers(change: (ctx: Context) => unknown): Middleware {
  return async (ctx: Context, next: Next) => {
    await next()
    if (change(ctx) !== false) stateOf(ctx).fired()
  }
}

/** Changes the JSON of successful answers of these parts; `change` returns the new body. */
export function successes(
  parts: Part[],
  change: (body: Json, ctx: Context) => unknown,
): Middleware {
  return answers((ctx) => {
    const body = jsonOf(ctx)
    if (!body || ctx.status >= 300 || !parts.includes(partOf(ctx))) return false
    const changed = change(body, ctx)
    if (changed === undefined) return false
    ctx.body = changed
  })
}

/** Changes every element of Data.<name>. */
export function elements(
  name: 'Account' | 'Balance' | 'Transaction',
  change: (row: Json, index: number) => Json,
): Middleware {
  return successes(['data'], (body) => {
    const data = body.Data as Json
    const rows = data[name]
    if (!Array.isArray(rows)) return undefined
    return { ...body, Data: { ...data, [name]: rows.map((row: Json, i) => change(row, i)) } }
  })
}

/** Changes error answers (status 400 or more) of these parts. */
export function refusals(parts: Part[], change: (ctx: Context) => unknown): Middleware {
  return answers((ctx) => (ctx.status >= 400 && parts.includes(partOf(ctx)) ? change(ctx) : false))
}

/** Is the status temporary, and not a refusal? */
export const isPassing = ({ status }: Context) => status === 429 || status >= 500

/** Other statuses for refusals; `status` returns undefined to keep the usual one. */
export function statuses(
  status: (reason: Reason, usual: number) => number | undefined,
): NonNullable<Variant['policies']> {
  return (correct, { fired }) => ({
    refusal(reason) {
      const refusal = correct.refusal(reason)
      const other = status(reason, refusal.status)
      if (other === undefined) return refusal
      fired()
      return { ...refusal, status: other }
    },
  })
}

/** Replaces one policy. The alteration counts as taking effect whenever the policy is called. */
export function policy<Name extends keyof Policies>(
  name: Name,
  replacement: (correct: Policies[Name]) => Policies[Name],
): NonNullable<Variant['policies']> {
  return (correct, { fired }) => {
    const other = replacement(correct[name]) as (...args: unknown[]) => unknown
    return {
      [name]: (...args: unknown[]) => {
        fired()
        return other(...args)
      },
    }
  }
}

type Policies = Parameters<NonNullable<Variant['policies']>>[0]
