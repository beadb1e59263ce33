import type { Context, Middleware, Next } from 'koa'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { aispPath } from '../../bank/listeners/endpoints.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { unescaped } from '../../bank/operator/seen-facts.ts'
import type { Consent, ConsentKind } from '../../bank/state/consents.ts'
import { stateOf } from '../../bank/state/state.ts'
import { bearerOf } from '../cells/parties.ts'
import { ofEachBank } from '../run/each-bank.ts'
import { type Json, jsonOf, partOf, successes } from './rewriting.ts'

const PATHS: Record<Kind, string> = {
  any: '-consents',
  'account-access': '/account-access-consents',
  'funds-confirmation': '/funds-confirmation-consents',
}

/** `any`: both consent services behave in the same way. */
export type Kind = ConsentKind | 'any'

/** Is this a request about consents of a kind, with this method? */
export function isAbout(ctx: Context, kind: Kind, method: string): boolean {
  return ctx.method === method && ctx.path.includes(PATHS[kind])
}

/** The same for the current request. */
export function serving(kind: Kind, method: string): boolean {
  const ctx = currentRequest()
  return ctx !== undefined && isAbout(ctx, kind, method)
}

/** A query of funds confirmation consents, which the document does not have. */
export function queriedFunds(isShown: (consent: Consent, isOwn: boolean) => boolean): Middleware {
  return async (ctx, next) => {
    const consent = isAbout(ctx, 'funds-confirmation', 'GET') ? consentNamed(ctx) : undefined
    const token = tokenInfoOf(ctx)
    if (consent?.kind !== 'funds-confirmation' || !token) return next()
    if (!isShown(consent, token.clientId === consent.clientId)) return next()
    const { id, status, debtorAccount } = consent
    ctx.status = 200
    ctx.body = { Data: { ConsentId: id, Status: status, DebtorAccount: debtorAccount }, Risk: {} }
    stateOf(ctx).fired()
  }
}

/** The consent in the path, whoever owns it. */
export function consentNamed(ctx: Context): Consent | undefined {
  const { services } = stateOf(ctx).bank
  return services.consents.get(unescaped(ctx.path.slice(ctx.path.lastIndexOf('/') + 1)))
}

/** Answers GET where consents are created: with the consents that are shown to this client. */
export function listing(isShown: (consent: Consent, clientId: string) => boolean): Middleware {
  return async (ctx: Context, next: Next) => {
    const { consents, records } = stateOf(ctx).bank.services
    const clientId = records.peek('ClientCredentials', bearerOf(ctx))?.clientId
    const isList = ctx.method === 'GET' && ctx.path === `${aispPath}${PATHS['account-access']}`
    if (!isList || !clientId) return next()
    const shown = consents.all().filter((consent) => isShown(consent, clientId))
    ctx.status = 200
    ctx.body = {
      Data: { Consent: shown.map(({ id, status }) => ({ ConsentId: id, Status: status })) },
    }
    stateOf(ctx).fired()
  }
}

/**
 * Changes the Data object of requests that create consents of a kind before the bank sees them. `change` returns
 * undefined to leave a request unchanged.
 */
export function requested(
  kind: Kind,
  change: (data: Json, body: Json) => Json | undefined,
): Middleware {
  return async (ctx: Context, next: Next) => {
    const state = stateOf(ctx)
    const body = isAbout(ctx, kind, 'POST') ? parsed(state.body) : undefined
    const data = body && change((body.Data ?? {}) as Json, body)
    if (data) {
      state.body = JSON.stringify({ Risk: {}, ...body, Data: data })
      state.fired()
    }
    await next()
  }
}

/** Treats requests with exactly this body as if they had another body. */
export function bodyTakenAs(kind: Kind, sent: string, body: Json): Middleware {
  return async (ctx: Context, next: Next) => {
    const state = stateOf(ctx)
    if (isAbout(ctx, kind, 'POST') && state.body === sent) {
      state.body = JSON.stringify(body)
      ctx.req.headers['content-length'] = String(state.body.length)
      state.fired()
    }
    await next()
  }
}

export function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Json)
      : undefined
  } catch {
    return undefined
  }
}

/** Changes the Data object of successful answers about consents of a kind; undefined leaves it unchanged. */
export function answered(
  kind: Kind,
  method: 'POST' | 'GET',
  change: (data: Json, ctx: Context) => Json | undefined,
): Middleware {
  return async (ctx: Context, next: Next) => {
    await next()
    const body = isAbout(ctx, kind, method) && ctx.status < 300 ? jsonOf(ctx) : undefined
    const data = body && change(body.Data as Json, ctx)
    if (!data) return
    ctx.body = { ...body, Data: data }
    stateOf(ctx).fired()
  }
}

/** Changes the Data object of successful answers that create or query any consent. */
export const consentData = (change: (data: Json) => Json | undefined) =>
  successes(['consents'], (body) => {
    const data = change(body.Data as Json)
    return data && { ...body, Data: data }
  })

/** Gives consents ids of another form, made from the bank's ids, from their number, or from all earlier consents. */
export function idsBy(
  make: (consent: Consent, count: number, all: readonly Consent[]) => string,
): Middleware {
  const spelling = ofEachBank(() => ({ told: false, count: 0, own: new Map<string, string>() }))
  return async (ctx: Context, next: Next) => {
    const { told, own } = spelling()
    if (!told) {
      spelling().told = true
      const { consents } = stateOf(ctx).bank.services
      const { create, get } = consents
      const names = spelling()
      consents.create = (request) => {
        const all = consents.all()
        const consent = create(request)
        names.count += 1
        const id = make(consent, names.count, all)
        own.set(id, consent.id)
        consent.id = id
        return consent
      }
      consents.get = (id) => {
        const consent = get(own.get(id) ?? '')
        if (consent) stateOf(ctx).fired()
        return consent
      }
    }
    await next()
    if (partOf(ctx) === 'consents' && ctx.status === 201) stateOf(ctx).fired()
  }
}

/** Another status for requests about consents of a kind; undefined leaves it unchanged. */
export function answeredWith(
  kind: Kind,
  method: string,
  status: (ctx: Context) => number | undefined,
): Middleware {
  return async (ctx: Context, next: Next) => {
    await next()
    const other = isAbout(ctx, kind, method) ? status(ctx) : undefined
    if (other === undefined) return
    const { body } = ctx
    ctx.status = other
    if (other !== 204) ctx.body = other < 400 ? (body ?? {}) : { Code: String(other) }
    stateOf(ctx).fired()
  }
}

/** The answer to a request that is identical to the previous one of the same client. */
export function repeated(kind: Kind): Middleware {
  const before = ofEachBank(() => ({}) as { last?: { token: string; sent: string; body: unknown } })
  return async (ctx: Context, next: Next) => {
    const token = ctx.get('authorization')
    const sent = isAbout(ctx, kind, 'POST') ? stateOf(ctx).body : ''
    const memory = before()
    const { last } = memory
    const same = sent !== '' && last?.sent === sent && last.token === token
    await next()
    if (same && ctx.status === 201) {
      ctx.body = last?.body
      stateOf(ctx).fired()
    }
    memory.last = ctx.status === 201 && sent !== '' ? { token, sent, body: ctx.body } : undefined
  }
}
