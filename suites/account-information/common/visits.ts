import { randomUUID } from 'node:crypto'
import type { Caller } from '../../../engine/journey/caller.ts'
import type { Context } from '../../../engine/journey/context.ts'
import { once } from '../../../engine/journey/once.ts'
import { OWNERS } from '../../../engine/journey/steps.ts'
import { tokensOf } from '../../../engine/journey/tokens.ts'
import { type Visit, visitEnd } from '../../../engine/journey/visit.ts'
import type { VisitOptions } from '../../../engine/journey/visiting.ts'
import { expect, expectThat, relyOn } from '../../../engine/judge/expect.ts'
import { refused } from '../../../engine/judge/matchers.ts'
import { Blocked, NotApplicable } from '../../../engine/judge/outcome.ts'
import { member } from '../../../engine/judge/rows.ts'
import type { Exchange } from '../../../engine/wire/exchange.ts'
import { everything } from '../../consents.ts'

/** One value in the query and in the request object alike, which is signed again; undefined: left out. */
export function inBoth(values: Record<string, string | undefined>): VisitOptions['deviation'] {
  return { query: values, requestObject: { claims: values } }
}

/** A visit with one thing wrong, carried on to its end; the first approval is its control. */
export async function wrongVisit(context: Context, options: VisitOptions): Promise<Visit> {
  await context.approved(everything)
  return context.visit(options)
}

/** Ends the check with a finding when a code arrived, wherever it stands. */
export function expectNoCode(visit: Visit): void {
  expectThat(visit.kind !== 'granted', {
    message: 'a code arrived',
    expected: 'no code',
    actual: visit.kind === 'granted' ? `a code at ${visit.redirect.address}` : '',
    exchange: visit.last,
  })
  expectAnswered(visit)
}

/** Ends the check as blocked where the simpler visit ended with a code: that is its check's. */
export function relyOnNoCode(id: string, visit: Visit): void {
  if (visit.kind !== 'granted') return
  throw new Blocked({ kind: 'check', id }, 'a code arrived without that', visit.last)
}

/** A correct request, whose pages nobody fills in. */
export const nobodyLogsIn = once((context) =>
  wrongVisit(context, { purpose: 'nobody logs in', decision: 'none' }),
)

/** A page that is never answered shows nothing. */
export function expectAnswered(visit: Visit): void {
  const { last } = visit
  if (!last?.failure || refused(last)) return
  const what = `the authorisation page gave ${last.failure.kind}`
  throw new Blocked({ kind: 'environment', what }, what, last)
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

/** Exchanges the code of a visit that should not have had one. */
export async function exchangeCode(
  { tpp }: Caller,
  { code, request }: Visit & { kind: 'granted' },
  deviation: string,
  owns: string[] = [],
): Promise<Exchange> {
  return tpp.token(
    { grant_type: 'authorization_code', code, redirect_uri: request.redirectUri },
    { deviation, about: { owns } },
  )
}

/** Ends the check with a finding when a visit ended with a code whose token reads accounts. */
export async function expectNoAccounts(caller: Caller, visit: Visit, why: string): Promise<void> {
  if (visit.kind !== 'granted') return expectAnswered(visit)
  const tokens = tokensOf(await exchangeCode(caller, visit, why))
  if (!tokens) return
  const bearer = tokens.accessToken
  expect(await caller.get('/accounts', { bearer, deviation: why })).toBeRefused()
}

/** A consent with the permission to see accounts that nobody has authorised yet. */
export async function newConsent(caller: Caller): Promise<string> {
  const body = { Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} }
  const exchange = await caller.post('/account-access-consents', body)
  relyOn(OWNERS.consent, exchange)
  const id = member(exchange.response?.json, 'Data', 'ConsentId')
  if (typeof id === 'string' && id !== '') return id
  const because = { kind: 'check', id: 'CONS-02/consent-id' } as const
  throw new Blocked(because, 'the consent has no ConsentId', exchange)
}

/** An address of nobody, and never the same twice. */
export const elsewhere = () => `https://${randomUUID()}.example/callback`

/** What a stranger would try; not applicable where no driver of ours fills in what a customer knows. */
export function wrongCredentials({ target }: Context): Record<string, string> {
  const { authorisation, customers } = target.document
  const names = Object.keys(customers.first.credentials)
  if (!['http', 'browser'].includes(authorisation.driver) || names.length === 0) {
    throw new NotApplicable('nobody but the customer logs in')
  }
  const secret = names.find((name) => /pass|pin|secret|code/i.test(name)) ?? names.at(-1) ?? ''
  return { ...customers.first.credentials, [secret]: randomUUID() }
}
