import { randomUUID } from 'node:crypto'
import type { Context, Next } from 'koa'
import { Refused } from '../listeners/refusals.ts'
import type { Services } from '../state/services.ts'
import { stateOf } from '../state/state.ts'

type Json = Record<string, unknown>

/** Answers with the envelope of consent and data responses. `path` is the path of Links.Self. */
export function answer(
  ctx: Context,
  { policies, endpoints }: Pick<Services, 'policies' | 'endpoints'>,
  { status = 200, data, risk, path }: { status?: number; data: Json; risk?: Json; path?: string },
): void {
  const own = ctx.originalUrl
  ctx.status = status
  ctx.type = 'application/json'
  ctx.set('cache-control', 'no-store')
  ctx.body = {
    Data: data,
    ...(risk ? { Risk: risk } : {}),
    Links: { Self: policies.selfLink(endpoints.at.api, path ?? own) },
    Meta: policies.metaView(),
  }
}

/** Wraps the routes of the API: turns a refusal into the open banking error body, and any other exception too. */
export function refusing(services: Pick<Services, 'policies' | 'settings'>) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (thrown) {
      if (!(thrown instanceof Refused)) ctx.app.emit('error', thrown, ctx)
      answerRefusal(ctx, services, thrown instanceof Refused ? thrown : new Refused('internal'))
    }
  }
}

/** The open banking error body: Code, Id, Message, Errors. */
export function answerRefusal(
  ctx: Context,
  { policies, settings }: Pick<Services, 'policies' | 'settings'>,
  refused: Refused,
): void {
  const { status, code, message, challenge } = policies.refusal(refused.reason)
  const words = refused.message === refused.reason ? message : refused.message
  const detail = refused.path ? `${words} (${refused.path})` : words
  stateOf(ctx).refusal = { reason: refused.reason, detail }
  ctx.status = status
  ctx.type = 'application/json'
  if (status === 401) {
    ctx.set('www-authenticate', challenge ? `Bearer error="${challenge}"` : 'Bearer')
  }
  if (refused.reason === 'rate-limit' && settings.rateLimit.retryAfter) {
    ctx.set('retry-after', String(settings.rateLimit.window))
  }
  const path = refused.path ? { Path: refused.path } : {}
  ctx.body = {
    Code: `${status} ${ctx.message}`,
    Id: randomUUID(),
    Message: message,
    Errors: [{ ErrorCode: code, Message: words, ...path }],
  }
}

/** "Requests send accept: application/json." */
export function needJson(ctx: Context, { policies }: Pick<Services, 'policies'>): void {
  const type = takesJson(ctx.get('accept')) && 'application/json'
  if (!policies.acceptable(type)) throw new Refused('not-acceptable')
}

/**
 * Does the sender of this Accept header take JSON? Media types have parameters (RFC 9110 12.5.1), but JSON has none
 * (RFC 8259 11), so `application/json` with a parameter still means JSON. Without the header: yes.
 */
export function takesJson(accept: string): boolean {
  if (accept.trim() === '') return true
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((each) => /^q\s*=/.test(each))?.split('=')[1]
    return { type, weight: weight === undefined ? 1 : Number(weight) }
  })
  // The most specific range decides.
  for (const name of ['application/json', 'application/*', '*/*']) {
    const named = ranges.filter(({ type }) => type === name)
    if (named.length > 0) return named.some(({ weight }) => weight > 0)
  }
  return false
}
