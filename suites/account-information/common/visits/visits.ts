import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Approval, NamedConsent } from '../../../../engine/suite-api/consents.ts'
import {
  expect,
  expectThat,
  noteControl,
  noteNegative,
} from '../../../../engine/suite-api/expect.ts'
import {
  type Caller,
  tokensOf,
  type Visit,
  type VisitOptions,
  visitEnd,
} from '../../../../engine/suite-api/flow.ts'
import {
  blockBy,
  blockByEnvironment,
  NotApplicable,
} from '../../../../engine/suite-api/outcomes.ts'
import { type Exchange, refused } from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { everything, reconfirmed } from '../../../consents.ts'
import { stateFor } from '../../../returned-texts.ts'

/** The same values in the query and in the request object, which is signed again; undefined leaves one out. */
export function inBoth(values: Record<string, string | undefined>): VisitOptions['deviation'] {
  return { query: values, requestObject: { claims: values } }
}

/** A visit with one error, carried on to its end; the first approval is its control. */
export async function wrongVisit(
  context: Context<typeof everything>,
  options: VisitOptions,
): Promise<Visit> {
  await approvedBefore(context, everything)
  // The second redirect URI, if there is one: the answer must go to the URI of its own request.
  const registered = (await context.caller(options.client)).tpp.registered?.redirect_uris
  const redirectUri = registered?.[1]
  const state = stateFor(options.purpose)(context.seed)
  return context.visit({ state, ...(redirectUri !== undefined && { redirectUri }), ...options })
}

/** A visit with a consent that has just ended. It is repeated if a code came before the end took effect. */
export async function settledVisit(
  { target }: Context<never>,
  visit: () => Promise<Visit>,
): Promise<Visit> {
  const first = await visit()
  if (first.kind !== 'granted' || target.settlingTime === 0) return first
  await wait(target.settlingTime)
  return visit()
}

/** An approval whose visit ended with a code: the control of visits that must not. */
export async function approvedBefore<Used extends NamedConsent>(
  { approved }: Context<Used>,
  consent: Used,
): Promise<Approval> {
  const approval = await approved(consent)
  noteApproval(approval)
  return approval
}

/**
 * Judges whether the customer could deny. Blocked where a code came after pressing
 * the only button that the target describes, which approves: then nobody denied.
 */
export function requireDenied(visit: Visit): void {
  const pressed = visit.pages.at(-1)?.approvedInstead
  if (visit.kind !== 'granted' || pressed === undefined) return
  blockByEnvironment(`the target describes no denial: ${pressed} was pressed, and a code came`)
}

/** Notes the visit of an approval as the control of the next one. */
export function noteApproval({ name, visit: { first, last = first } }: Approval): void {
  if (last) noteControl({ exchange: last, summary: `the visit for “${name}” ended with a code` })
}

/**
 * Ends the check with a finding when a code arrived, in query or fragment.
 *
 * @param why there must be no code, if no deviation of the request says it: “nobody logged in”.
 */
export function expectNoCode(visit: Visit, why?: string): void {
  noteNegative()
  const found = codeFinding(visit)
  const finding = found && why ? { ...found, message: `a code arrived although ${why}` } : found
  expectThat(finding === undefined, { ...(finding as Finding), exchange: visit.last })
  expectAnswered(visit)
}

/** The finding for a code that arrived. */
export function codeFinding(visit: Visit): Finding | undefined {
  if (visit.kind !== 'granted') return undefined
  const actual = `a code at ${visit.redirect.address}`
  const { deviation } = visit.last?.about ?? visit.first?.about ?? {}
  const inWords = deviation === undefined ? '' : ` (${deviation})`
  return { message: `a code arrived${inWords}`, expected: 'no code', actual }
}

/**
 * Did the customer see fewer pages than when the consent was approved? No requirement
 * says that a re-confirmation asks again for earlier decisions: a login may be enough.
 */
export function asksLess(again: Visit, before: Visit): boolean {
  return again.pages.length < before.pages.length
}

/** Ends the check as blocked where the simpler visit ended with a code, which another check judges. */
export function relyOnNoCode(id: string, visit: Visit): void {
  if (visit.kind !== 'granted') return
  blockBy(id, 'a code arrived without that', visit.last)
}

/** A correct request whose pages nobody fills in. */
export const nobodyLogsIn = sharedFixture([everything], (context) =>
  wrongVisit(context, { purpose: 'nobody logs in', decision: 'none' }),
)

/** The same with a consent that was authorised and re-confirmed before. */
export const nobodyConfirmsAgain = sharedFixture([everything, reconfirmed], async (context) => {
  await context.approved(reconfirmed)
  const { consentId } = await approvedBefore(context, everything)
  return context.visit({ purpose: AGAIN, consentId, decision: 'none' })
})

export const AGAIN = 're-confirmation without a login'

/** Ends the check as blocked where the last page was never answered: that shows nothing. */
export function expectAnswered(visit: Visit): void {
  noteNegative()
  const { last } = visit
  if (!last?.failure || refused(last)) return
  const what = `the authorisation page gave ${last.failure.kind}`
  blockByEnvironment(what, last)
}

/** Ends the check with a finding unless a code arrived. */
export function expectCode(visit: Visit): asserts visit is Visit & { kind: 'granted' } {
  expectThat(visit.kind === 'granted', {
    message: `the visit ended with ${visitEnd(visit)}`,
    expected: 'a code at the redirect URI',
    actual: visitEnd(visit),
    exchange: visit.last,
  })
}

/** Exchanges the code of a visit; with a deviation if there should have been no code. */
export async function exchangeCode(
  { tpp }: Pick<Caller, 'tpp'>,
  { code, request }: Visit & { kind: 'granted' },
  deviation?: string,
  owns: string[] = [],
): Promise<Exchange> {
  return tpp.token(
    { grant_type: 'authorization_code', code, redirect_uri: request.redirectUri },
    deviation === undefined ? {} : { deviation, about: { owns } },
  )
}

/** Ends the check with a finding when a visit ended with a code whose token reads accounts. */
export async function expectNoAccounts(caller: Caller, visit: Visit, why: string): Promise<void> {
  if (visit.kind !== 'granted') return expectAnswered(visit)
  const answer = await accountsGiven(caller, visit, why)
  if (answer) expect(answer).toBeRefused()
}

/** The answer of /accounts to the token of a visit that should have given none; undefined where there is no token. */
export async function accountsGiven(
  caller: Caller,
  visit: Visit,
  why: string,
): Promise<Exchange | undefined> {
  if (visit.kind !== 'granted') return undefined
  const tokens = tokensOf(await exchangeCode(caller, visit, why))
  if (!tokens) return undefined
  return caller.get('/accounts', { bearer: tokens.accessToken, deviation: why })
}

/** An address that belongs to nobody, different each time. */
export const elsewhere = () => `https://${randomUUID()}.example/callback`

/**
 * Credentials that a stranger could try: another customer's password if it is different, otherwise a
 * made-up one; or none. A browser does not submit a form without a required value, so there a made-up
 * one is used too. Not applicable where no driver of ours fills in the customer's credentials.
 */
export function wrongCredentials(
  { target }: Context,
  password: 'of another customer' | 'empty',
): Record<string, string> {
  const { authorisation, customers } = target.document
  const own = customers.first.credentials
  const names = Object.keys(own)
  if (!['http', 'browser'].includes(authorisation.driver) || names.length === 0) {
    throw new NotApplicable('nobody but the customer logs in')
  }
  const secret = names.find((name) => /pass|pin|secret|code/i.test(name)) ?? names.at(-1) ?? ''
  if (password === 'empty' && authorisation.driver === 'http') return { ...own, [secret]: '' }
  const others = password === 'empty' ? undefined : customers.second?.credentials[secret]
  const isOther = others !== undefined && others !== own[secret]
  return { ...own, [secret]: isOther ? others : randomUUID() }
}
