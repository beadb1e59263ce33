import { randomUUID } from 'node:crypto'
import type { Context, Next } from 'koa'
import { Refused } from '../refusals.ts'
import type { Services } from '../services.ts'
import { stateOf } from '../state.ts'

type Json = Record<string, unknown>

/** Answers with the envelope of consent and data responses. `path` is that of Links.Self. */
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

/**
 * Around the routes of the API: turns a refusal into the open banking error body, and never lets a
 * crash out without one.
 */
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
  const accept = ctx.get('accept')
  // JSON has no charset (RFC 8259 11), so one that is named beside it asks for nothing else.
  const withCharset = /(^|,)\s*application\/json\s*;\s*charset=[^;,]+(,|$)/i.test(accept)
  const types = accept && !withCharset ? ctx.accepts('application/json') : 'application/json'
  const one = Array.isArray(types) ? (types[0] ?? false) : types
  if (!policies.acceptable(one)) throw new Refused('not-acceptable')
}
