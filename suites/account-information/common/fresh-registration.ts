import { randomUUID } from 'node:crypto'
import { createTpp, type RegistrationDeviation, type Tpp } from '../../../engine/client/tpp.ts'
import type { Context } from '../../../engine/journey/context.ts'
import { once } from '../../../engine/journey/once.ts'
import { OWNERS, taken } from '../../../engine/journey/steps.ts'
import { environment, expect, relyOn } from '../../../engine/judge/expect.ts'
import { succeeded } from '../../../engine/judge/matchers.ts'
import { NotApplicable } from '../../../engine/judge/outcome.ts'
import { member } from '../../../engine/judge/rows.ts'
import type { Exchange } from '../../../engine/wire/exchange.ts'
import { claimsOf } from '../../../engine/wire/jws.ts'

/** One more client of the first client's software, and the exchange that registered it. */
export interface FreshClient {
  tpp: Tpp
  exchange: Exchange
}

/**
 * Another correct registration of the first client's statement, made once per run just before the
 * first check that needs it: the control of every registration that must fail. Not applicable where
 * the target does not allow it, or where the bank registers a statement once only.
 */
export const anotherRegistration = once(async (context): Promise<FreshClient> => {
  const tpp = await unregistered(context)
  const exchange = await tpp.register()
  const status = exchange.response?.status ?? 0
  if (status >= 400 && status < 500) {
    throw new NotApplicable(`the bank registers a software statement once: then ${status}`)
  }
  relyOn(OWNERS.registration, exchange)
  tpp.adopt(exchange.response?.json)
  return { tpp, exchange }
})

/** The first client's software before another registration, once its first one succeeded. */
export async function unregistered(context: Context): Promise<Tpp> {
  const { target, steps, tpp } = context
  context.unlessAbsent('registration')
  if (target.document.freshRegistrations !== true) {
    throw new NotApplicable('the target does not allow fresh registrations')
  }
  if (softwareStatementOf(context) === undefined) {
    throw new NotApplicable('the target gives no software statement')
  }
  taken(await steps.registration())
  const fresh = createTpp({ name: 'first', target, wire: tpp().wire })
  fresh.learn((await steps.discovery()).value)
  return fresh
}

/**
 * Whether a registration made a client of its own. A bank may keep one client for each software
 * statement: then this registration has changed the run's own, which is put right again.
 */
export async function isAnotherClient(context: Context, exchange: Exchange): Promise<boolean> {
  const id = member(exchange.response?.json, 'client_id')
  if (id !== context.tpp().registered?.client_id) return true
  const again = await (await unregistered(context)).register()
  relyOn(OWNERS.registration, again)
  return false
}

/** Claims of the first client's software statement; undefined where the target gives none. */
export function softwareStatementOf({ target }: Context): Record<string, unknown> | undefined {
  return claimsOf(target.clients.first.softwareStatement ?? '')
}

/** Sends a registration with one thing wrong, after the same one without it has succeeded. */
export async function register(
  context: Context,
  deviation: RegistrationDeviation & { deviation: string },
): Promise<Exchange> {
  await anotherRegistration(context)
  return (await unregistered(context)).register(deviation)
}

/** The claims of a correct registration, to be sent once more in another form. */
export function claimsAgain({ exchange }: FreshClient): Record<string, unknown> {
  return { ...claimsOf(exchange.request.body ?? ''), jti: randomUUID() }
}

/** The registration made a client: a success with a client_id. */
export function madeClient(exchange: Exchange): boolean {
  const id = member(exchange.response?.json, 'client_id')
  return succeeded(exchange) && typeof id === 'string' && id !== ''
}

/** Ends the check with a finding when the registration made a client, or was not answered in time. */
export function expectNoClient(exchange: Exchange): void {
  environment(exchange)
  if (exchange.response && !madeClient(exchange)) return
  expect(exchange).toBeRefused()
}
