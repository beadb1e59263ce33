import { daysFromNow } from '../../../../engine/suite-api/consents.ts'
import { expectThat, relyOn } from '../../../../engine/suite-api/expect.ts'
import type { Caller } from '../../../../engine/suite-api/flow.ts'
import { brief, type Exchange, member } from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { OWNERS } from '../../../owners.ts'
import { secondsOf } from '../instants.ts'
import {
  consentPath,
  create,
  NINE_PERMISSIONS,
  pastPeriod,
  requireConsentId,
} from './consent-requests.ts'

/** Members that every consent has, and dates that a request may ask for. */
const ALWAYS = ['Permissions', 'CreationDateTime']
export const EXPIRY = 'ExpirationDateTime'
const DATES = [EXPIRY, 'TransactionFromDateTime', 'TransactionToDateTime']

export interface Queried {
  creation: Exchange
  query: Exchange
}

/** A new consent with every optional member, and its query. */
export const newlyQueried = sharedFixture([], async ({ caller }): Promise<Queried> => {
  const client = await caller()
  const { Permissions, ExpirationDateTime } = whole()
  relyOn('CONS-09/all-nine', await create(client, { Permissions })).toSucceed()
  relyOn(OWNERS.consentWithExpiry, await create(client, { ExpirationDateTime })).toSucceed()
  return createdAndQueried(client)
})

/** Every optional member. */
function whole() {
  return {
    Permissions: NINE_PERMISSIONS,
    ExpirationDateTime: daysFromNow(30),
    ...pastPeriod(),
  }
}

/** A new consent of this client with every optional member, and its query. */
export async function createdAndQueried(client: Caller): Promise<Queried> {
  const creation = await create(client, whole())
  relyOn(OWNERS.consentWithPeriod, creation).toSucceed()
  const query = await client.get(consentPath(requireConsentId(creation)))
  relyOn(OWNERS.query, query).toSucceed()
  return { creation, query }
}

/**
 * A finding where the query differs from the creation.
 *
 * @param also names of other members of Data that must not have changed.
 */
export function changedSince(
  { creation, query }: Queried,
  also: readonly string[] = [],
): Finding | undefined {
  const asked = member(JSON.parse(creation.request.body ?? '{}'), 'Data')
  const before = member(creation.response?.json, 'Data')
  const after = member(query.response?.json, 'Data')
  for (const name of [...ALWAYS, ...also, ...DATES]) {
    const [old, now] = [member(before, name), member(after, name)]
    const wanted = member(asked, name)
    // A date that was not requested is up to the bank.
    if (DATES.includes(name) && wanted === undefined) continue
    // Missing dates are judged by CONS-30.
    if (now === undefined && !DATES.includes(name)) continue
    // A value that already differed from the request at creation is judged by a rule.
    if (wanted !== undefined && comparable(name, old) !== comparable(name, wanted)) continue
    if (kept(name, old, now)) continue
    const message = `${name} differs from that at creation`
    return { message, expected: brief(old), actual: brief(now), place: `/Data/${name}` }
  }
  return undefined
}

/** Ends the check unless a later query shows the same CreationDateTime as the creation. */
export function expectSameCreation({ creation, query }: Queried): void {
  const [old, now] = [creation, query].map(({ response }) =>
    member(response?.json, 'Data', 'CreationDateTime'),
  )
  expectThat(now === undefined || kept('CreationDateTime', old, now), {
    message: 'CreationDateTime differs from that at creation',
    expected: brief(old),
    actual: brief(now),
    exchange: query,
    place: '/Data/CreationDateTime',
  })
}

/** What a TPP asks for in a consent, without its expiry. */
export const TERMS = ['Permissions', ...DATES.slice(1)]

/**
 * Ends the check unless the later query shows the same values of these members of Data as the earlier one.
 *
 * @param since what happened in between, such as "its re-confirmation".
 * @param owner of the answers to the queries.
 */
export function expectSameTerms(
  before: Exchange,
  after: Exchange,
  names: readonly string[],
  since: string,
  owner: string = OWNERS.query,
): void {
  for (const query of [before, after]) relyOn(owner, query).toSucceed()
  const terms = ({ response }: Exchange) =>
    JSON.stringify(
      names.map((name) => {
        const value = member(response?.json, 'Data', name)
        return comparable(name, value) ?? value ?? null
      }),
    )
  const [expected, actual] = [terms(before), terms(after)]
  const message = `the consent differs after ${since}`
  expectThat(expected === actual, { message, expected, actual, exchange: after })
}

/** Permissions as a set, date-times as instants; undefined where a rule fails the value. */
export function comparable(name: string, value: unknown): string | undefined {
  if (name !== 'Permissions') return secondsOf(value)?.toString()
  return Array.isArray(value) ? [...new Set(value)].sort().join() : undefined
}

/**
 * True if an answer shows an ExpirationDateTime that has passed. How an end is shown is open: an operator may have moved the
 * date, so that the consent expires.
 *
 * @param clockTolerance seconds by which the bank's clock may differ
 */
export function showsItsEnd(exchange: Exchange, clockTolerance: number): boolean {
  const shown = member(exchange.response?.json, 'Data', EXPIRY)
  const latest = Date.parse(exchange.startedAt) / 1000 + clockTolerance
  return Number(comparable(EXPIRY, shown) ?? Infinity) < latest
}

/** Does the query show the same value of a member as a new consent had? */
function kept(name: string, old: unknown, now: unknown): boolean {
  if (name === 'Status') return old !== 'AwaitingAuthorisation' || now === old
  if (old === undefined || now === undefined) return old === undefined
  if (name === 'CreationDateTime') return isSameTime(old, now)
  const [one, other] = [comparable(name, old), comparable(name, now)]
  return one === undefined || other === undefined || one === other
}

/**
 * To within a second: the server that answers a creation and the one that stores it may have different clocks. A value that is
 * no date-time is judged by a rule.
 */
function isSameTime(old: unknown, now: unknown): boolean {
  const [one, other] = [secondsOf(old), secondsOf(now)]
  return one === undefined || other === undefined || Math.abs(one - other) <= 1
}
