import { randomUUID } from 'node:crypto'
import { type CheckOptions, type Context, check } from '../../../../engine/suite-api/check.ts'
import {
  createTpp,
  type RegistrationDeviation,
  type Tpp,
} from '../../../../engine/suite-api/client.ts'
import {
  expect,
  matchers,
  noteNegative,
  relyOn,
  requireReachable,
} from '../../../../engine/suite-api/expect.ts'
import { requireExchange, requireValue } from '../../../../engine/suite-api/flow.ts'
import { claimsOf } from '../../../../engine/suite-api/jwt.ts'
import { blockBy, Nonconformance, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import {
  type Exchange,
  member,
  refused,
  rulesBrokenBy,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { OWNERS } from '../../../owners.ts'

/** A new client of the first client's software, and the exchange that registered it. */
export interface FreshClient {
  tpp: Tpp
  exchange: Exchange
}

/**
 * Another correct registration of the first client's statement, made once per run, just before
 * the first check that needs it: the control of every registration that must fail. Not applicable
 * where the target does not allow it, or where the bank registers a statement only once.
 */
export const anotherRegistration = sharedFixture([], async (context): Promise<FreshClient> => {
  requireValue(await context.steps.registration())
  const tpp = await unregistered(context)
  const exchange = await tpp.register()
  const status = exchange.response?.status ?? 0
  if (status >= 400 && status < 500) {
    throw new NotApplicable(`the bank registers a software statement once: then ${status}`)
  }
  adoptFrom(tpp, exchange)
  if (await hasReplaced(context, tpp)) {
    await context.steps.replace('first', exchange.response?.json)
    throw new NotApplicable(REPLACED)
  }
  return { tpp, exchange }
})

/** Ends the check where the bank does not register this software any more, although it did before (AMB-35). */
export function unlessFull({ response }: Exchange): void {
  const status = response?.status ?? 0
  if (status < 400 || status >= 500) return
  throw new NotApplicable(`the bank registers no more clients of this software: then ${status}`)
}

/** The same, tested by a registration that is as correct as the accepted one. */
export async function requireStillRegisters(context: Context): Promise<void> {
  unlessFull(await (await unregistered(context)).register())
}

/** Why there is no second client of this software. */
export const REPLACED = 'a later registration of the same software replaced this client'

/** Does the bank keep only the newest client of a software (AMB-35)? */
async function hasReplaced(context: Context, newer: Tpp): Promise<boolean> {
  const own = context.tpp()
  if (newer.registered?.client_id === own.registered?.client_id) return false
  const grant = { grant_type: 'client_credentials' } as const
  const deviation = 'a client whose software was registered once more'
  if (!refused(await own.token(grant, { deviation }))) return false
  return succeeded(await newer.token(grant))
}

/** Continues with the client that a registration created. */
export function adoptFrom(tpp: Tpp, exchange: Exchange): void {
  relyOn(OWNERS.registration, exchange).toSucceed()
  if (madeClient(exchange)) {
    tpp.adopt(exchange.response?.json)
    return
  }
  const id = rulesBrokenBy(exchange)[0] ?? OWNERS.registration
  blockBy(id, `the registration gives no client_id: it breaks ${id}`, exchange)
}

/** The first client's software, ready for another registration after its first one succeeded. */
export async function unregistered(context: Context): Promise<Tpp> {
  const { target, steps, tpp } = context
  context.unlessAbsent('registration')
  if (target.document.freshRegistrations !== true) {
    throw new NotApplicable('the target does not allow fresh registrations')
  }
  if (softwareStatementOf(context) === undefined) {
    throw new NotApplicable('the target gives no software statement')
  }
  if (!isNew(context)) {
    requireValue(await steps.registration())
    // This finds out which audience the bank accepts.
    await steps.management()
  }
  const fresh = createTpp({ name: 'first', target, wire: tpp().wire, sibling: tpp() })
  fresh.learn((await steps.discovery()).value)
  return fresh
}

/**
 * Did a registration create a separate client? A bank may keep one client for each software
 * statement: then this registration changed the run's own client, and a correct one restores it.
 *
 * @param second the second client, if it sent the registration; otherwise it was the first.
 */
export async function isAnotherClient(
  context: Context,
  exchange: Exchange,
  second?: Tpp,
): Promise<boolean> {
  const id = member(exchange.response?.json, 'client_id')
  if (id !== (second ?? context.tpp()).registered?.client_id) return true
  const again = await (second ?? (await unregistered(context))).register()
  unlessFull(again)
  relyOn(OWNERS.registration, again).toSucceed()
  return false
}

/** Claims of the first client's software statement; undefined where the target gives none. */
export function softwareStatementOf({ target }: Context): Record<string, unknown> | undefined {
  return claimsOf(target.clients.first.softwareStatement ?? '')
}

/** The finding for an answer to a wrong registration that created a client. */
export function clientMade(exchange: Exchange): Finding | undefined {
  return exchange.response && !madeClient(exchange) ? undefined : matchers.toBeRefused(exchange)
}

/** Sends a registration with one error, after the same one without the error has succeeded. */
export async function register(
  context: Context,
  deviation: RegistrationDeviation & { deviation: string },
): Promise<Exchange> {
  if (!isNew(context)) await anotherRegistration(context)
  return (await unregistered(context)).register(deviation)
}

/** The second client, which is registered, and whose software may be registered again. */
export async function registeredSecond(context: Context): Promise<Tpp> {
  const second = context.tpp('second')
  if (!claimsOf(second.client.softwareStatement ?? '')) {
    throw new NotApplicable('the target gives no software statement of the second client')
  }
  await context.caller('second')
  await anotherRegistration(context)
  return second
}

/** Has the first client not been registered yet? */
function isNew({ tpp }: Context): boolean {
  return tpp().registered === undefined
}

type Body = (context: Context) => Promise<void>

/** How a wrong registration ended: its error, and whether the software already had a client. */
interface End {
  error: unknown
  hadClient: boolean
}

const bodies: { id: string; body: Body }[] = []

/**
 * Defines a check of a registration that must fail. All of them run before the first correct registration,
 * which is then their control: a bank that registers a software statement only once refuses everything
 * after it. If the client is already registered, another correct registration comes before each.
 */
export function wrongRegistrationCheck(
  id: string,
  title: string,
  options: Pick<CheckOptions, 'needs' | 'asks' | 'follows'>,
  body: Body,
): void {
  bodies.push({ id, body })
  check(id, title, { ...options, registers: true, first: true }, async (context) => {
    const ends = await triedBefore(context)
    if (!ends) return body(context)
    const { error, hadClient } = ends.get(id) ?? {}
    if (error instanceof Nonconformance) throw error
    const control = requireExchange(await context.steps.registration())
    relyOn(OWNERS.registration, control).toSucceed()
    if (hadClient && control.about.deviation !== undefined) {
      throw new NotApplicable('the bank registers a software once, and had done so by then')
    }
    noteNegative()
    if (error) throw error
  })
}

/** How each of them ended before the first correct registration; undefined where there was an earlier one. */
const triedBefore = sharedFixture([], async (context) => {
  context.unlessAbsent('registration')
  if (!isNew(context)) return undefined
  const ends = new Map<string, End>()
  // Only after the bank has answered can a refused connection be told from a listener that is down.
  const tpp = await unregistered(context).catch(() => undefined)
  await tpp?.register({ body: '', deviation: 'an empty body' })
  let made: Exchange | undefined
  let hadClient = false
  const stop = context.tpp().wire.onExchange((exchange) => {
    if (exchange.endpoint === 'registration' && madeClient(exchange)) made = exchange
  })
  for (const { id, body } of bodies) {
    made = undefined
    const error = await body(context).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    ends.set(id, { error, hadClient })
    // The bank discarded the wrong part, as it may.
    if (made && !(error instanceof Nonconformance)) context.steps.registeredBefore(made)
    hadClient ||= made !== undefined
  }
  stop()
  return ends
})

/** Ends the check where a wrong registration created a client: the correct one may be refused because of it. */
export async function requireNoneMade(context: Context): Promise<void> {
  for (const [id, { error }] of (await triedBefore(context)) ?? []) {
    if (error instanceof Nonconformance)
      blockBy(id, 'a wrong registration made a client', error.exchange)
  }
}

/** The claims of a correct registration, to be sent again in another form. */
export function claimsAgain({ exchange }: FreshClient): Record<string, unknown> {
  return { ...claimsOf(exchange.request.body ?? ''), jti: randomUUID() }
}

/** The same, also before the first registration. */
export async function correctClaims(context: Context): Promise<Record<string, unknown>> {
  if (!isNew(context)) return claimsAgain(await anotherRegistration(context))
  return { ...(await unregistered(context)).registrationClaims(), jti: randomUUID() }
}

/** Did the registration create a client? That is a success with a client_id. */
export function madeClient(exchange: Exchange): boolean {
  const id = member(exchange.response?.json, 'client_id')
  return succeeded(exchange) && typeof id === 'string' && id !== ''
}

/** Ends the check with a finding when the registration created a client, or was not answered in time. */
export function expectNoClient(exchange: Exchange): void {
  requireReachable(exchange)
  noteNegative()
  if (clientMade(exchange)) expect(exchange).toBeRefused()
}
