import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Middleware, Next } from 'koa'
import { type OnSighting, observeRequest } from '../operator/sighting.ts'
import { answerRefusal } from '../routes/answer.ts'
import type { Bank } from '../running-bank.ts'
import type { Services } from '../state/services.ts'
import { stateOf } from '../state/state.ts'
import { readBody, replayBody } from './body.ts'
import type { Listener, Role } from './endpoints.ts'
import { type Handler, handlersOf } from './handlers.ts'
import type { Listeners } from './listeners.ts'
import { Refused } from './refusals.ts'
import { within } from './request-context.ts'
import { transportIn } from './transport.ts'
import { unacceptedTransport } from './unaccepted.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

interface Around {
  services: Services
  bank: Bank
  /** The listener on the given local port. */
  listenerAt(port: number | undefined): Listener | undefined
  /** When the connection of a request was accepted; only for its first request. */
  acceptedFor: Listeners['acceptedFor']
  /** Middleware of the alterations, outermost first. */
  altered: Middleware[]
  /** Called for every request after it is answered. */
  onSighting?: OnSighting
}

/**
 * Mounts the bank's own middleware and routes before those of the authorisation server. That server is the koa
 * application that serves every listener.
 */
export function mount({
  services,
  bank,
  listenerAt,
  acceptedFor,
  altered,
  onSighting,
}: Around): void {
  const { provider } = services
  const handlers = handlersOf(services)

  async function enter(ctx: Context, next: Next) {
    const listener = listenerAt(ctx.socket.localPort)
    if (!listener) return
    if (!isHost(ctx.req.headers.host)) {
      ctx.status = 400
      ctx.body = { error: 'invalid_request', error_description: 'the Host header names no host' }
      return
    }
    const body = await readBody(ctx.req)
    if (body === undefined) {
      ctx.status = 413
      return
    }
    const transport = transportIn(services, ctx.req)
    Object.assign(ctx.state, { bank, listener, transport, body, fired: () => {} })
    replayBody(ctx.req, () => stateOf(ctx).body)
    if (!onSighting) return within(ctx, next)
    const seen = observeRequest(ctx, roleOf(ctx, listener), services, acceptedFor(ctx.socket))
    try {
      await within(ctx, next)
    } catch (problem) {
      onSighting(seen(problem as Error))
      throw problem
    }
    onSighting(seen())
  }

  async function leave(ctx: Context, next: Next) {
    await next()
    // The document allows one status for redirects (302); the authorisation server uses 303.
    if (ctx.status === 303) ctx.status = 302
    // Node sets it by the system clock, which need not be the one of this process.
    ctx.set('Date', new Date().toUTCString())
    if (services.settings.responseDelayMs > 0) await wait(services.settings.responseDelayMs)
  }

  /** The role of a listener that serves a path; the first role when none serves it. */
  function roleOf(ctx: Context, { roles }: Listener): Role {
    return roles.find((role) => handlers[role].serves(ctx.path)) ?? roles[0] ?? 'api'
  }

  /** Finds the handler that serves the path on this listener, and checks the certificate first. */
  async function dispatch(ctx: Context, next: Next) {
    const { listener, transport } = stateOf(ctx)
    const handler = handlers[roleOf(ctx, listener)]
    if (handler.interactive) playBack(ctx)
    if (listener.mutual && needsCertificate(services, handler)) {
      if (!services.policies.transportAcceptable(transport)) {
        return refuseCertificate(ctx, services, handler)
      }
    }
    await handler.serve(ctx, next)
  }

  for (const middleware of [enter, ...altered, leave, dispatch]) provider.use(middleware)
}

/** HTTP/1.0 allows requests without Host, but the bank builds every address that it returns from it. */
function isHost(host: string | undefined): boolean {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(`https://${host}`)
}

function needsCertificate({ settings }: Pick<Services, 'settings'>, handler: Handler): boolean {
  return handler.role !== 'token' || settings.tokenEndpointMtls
}

/** Refuses as the API does, or with an OAuth error when a token or a registration was asked for. */
function refuseCertificate(
  ctx: Context,
  services: Pick<Services, 'policies' | 'settings'>,
  { role }: Handler,
): void {
  const refused = new Refused('certificate', unacceptedTransport(stateOf(ctx).transport))
  answerRefusal(ctx, services, refused)
  if (role === 'api') return
  const { message } = services.policies.refusal(refused.reason)
  ctx.body = { error: 'invalid_client', error_description: message }
}

/** Sets x-fapi-interaction-id: the client's own, or a new one. */
function playBack(ctx: Context): void {
  const id = ctx.get('x-fapi-interaction-id')
  ctx.set('x-fapi-interaction-id', uuid.test(id) ? id : randomUUID())
}
