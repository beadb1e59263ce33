import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Middleware, Next } from 'koa'
import type { Bank } from './bank.ts'
import { readBody, replayBody } from './body.ts'
import { within } from './current.ts'
import { type Department, departmentsOf } from './departments.ts'
import type { Inside } from './inside.ts'
import type { Listener } from './layout.ts'
import { Refused } from './refusals.ts'
import { answerRefusal } from './routes/answer.ts'
import { stateOf } from './state.ts'
import { transportOf } from './transport.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

interface Around {
  inside: Inside
  bank: Bank
  /** The listener on a local port. */
  listenerAt(port: number | undefined): Listener | undefined
  /** Middleware of the alterations, outermost first. */
  altered: Middleware[]
}

/**
 * Puts the bank's own middleware and routes before those of the authorisation server, which is the
 * koa application that serves every listener.
 */
export function furnish({ inside, bank, listenerAt, altered }: Around): void {
  const { provider } = inside
  const departments = departmentsOf(inside)

  async function enter(ctx: Context, next: Next) {
    const listener = listenerAt(ctx.socket.localPort)
    if (!listener) return
    const body = await readBody(ctx.req)
    if (body === undefined) {
      ctx.status = 413
      return
    }
    const transport = transportOf(ctx.socket)
    Object.assign(ctx.state, { bank, listener, transport, body, fired: () => {} })
    replayBody(ctx.req, () => stateOf(ctx).body)
    await within(ctx, next)
  }

  async function leave(ctx: Context, next: Next) {
    await next()
    // The document knows one status for redirects; the authorisation server prefers another.
    if (ctx.status === 303) ctx.status = 302
    if (inside.settings.responseDelayMs > 0) await wait(inside.settings.responseDelayMs)
  }

  /** Finds who serves the path on this listener, and checks the certificate before. */
  async function dispatch(ctx: Context, next: Next) {
    const { listener, transport } = stateOf(ctx)
    const found = listener.roles
      .map((role) => departments[role])
      .find((one) => one.serves(ctx.path))
    const department = found ?? departments[listener.roles[0] ?? 'api']
    if (department.interactive) playBack(ctx)
    if (listener.mutual && needsCertificate(inside, department)) {
      if (!inside.policies.transportAcceptable(transport)) {
        return refuseCertificate(ctx, inside, department)
      }
    }
    await department.serve(ctx, next)
  }

  for (const middleware of [enter, ...altered, leave, dispatch]) provider.use(middleware)
}

function needsCertificate({ settings }: Inside, department: Department): boolean {
  return department.role !== 'token' || settings.tokenEndpointMtls
}

/** In the words of the API, or of OAuth where a token or a registration was asked for. */
function refuseCertificate(ctx: Context, inside: Inside, { role }: Department): void {
  const refused = new Refused('certificate')
  answerRefusal(ctx, inside, refused)
  if (role === 'api') return
  const { message } = inside.policies.refusal(refused.reason)
  ctx.body = { error: 'invalid_client', error_description: message }
}

/** x-fapi-interaction-id: the caller's own, or a new one. */
function playBack(ctx: Context): void {
  const id = ctx.get('x-fapi-interaction-id')
  ctx.set('x-fapi-interaction-id', uuid.test(id) ? id : randomUUID())
}
