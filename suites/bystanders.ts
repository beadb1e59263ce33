import type { Context } from '../engine/suite-api/check.ts'
import { now } from '../engine/suite-api/clock.ts'
import type { Approval } from '../engine/suite-api/consents.ts'
import { expect } from '../engine/suite-api/expect.ts'
import { blockBy } from '../engine/suite-api/outcomes.ts'
import { type Exchange, succeeded } from '../engine/suite-api/responses.ts'
import { consentPath, statusOf } from './account-information/common/consents/consent-requests.ts'
import { dataPaths } from './account-information/common/data/data-reads.ts'
import { codeOfAnotherClient } from './consents.ts'

/** Another approval, before and after an approval ends. */
export interface Bystander {
  before: Others
  after: Others
}

/** Answers under another consent. */
export interface Others {
  query: Exchange
  data: Exchange
}

/** Answers under another consent before the end, and a function that repeats the requests. */
interface Standing {
  look: () => Promise<Others>
  before: Others
}

/** A token that expires within so many milliseconds is not used again. */
const NEARLY = 10_000

/** Answers of other approvals that an end has affected, by run. */
const spoilt = new WeakMap<object, { owner: string; exchange: Exchange }>()

/** Returns the requests to send under an approval before and after another one ends. */
export async function looking(other: Approval): Promise<() => Promise<Others>> {
  const [path = '/accounts'] = dataPaths(other.facts.permissions, [])
  // A newer approval may have ended its access token (AMB-43): then this request renews it.
  await other.get(path)
  const { accessToken, expiresAt } = await other.tokens()
  return async () => ({
    query: await other.get(consentPath(other.consentId)),
    // With the same token, unless it expires soon: a new token would hide that this one was ended.
    data: await other.get(path, {
      ...(expiresAt - now() > NEARLY && { bearer: accessToken }),
    }),
  })
}

/**
 * For one approval, two others of the same customer: one of the same client and one of the
 * other client. Each reads data, or else can at least be queried. An approval that is already
 * refused has ended for another reason. One whose code checks have tried is not used.
 */
export async function bystanders({ given }: Context<never>, { name, customer }: Approval) {
  const found: Standing[] = []
  for (const client of ['first', 'second']) {
    const standing: Standing[] = []
    for (const other of given()) {
      if (other.customer !== customer || other.tpp.name !== client) continue
      if ([name, codeOfAnotherClient.name].includes(other.name)) continue
      // The check of that approval reports why it has no token or cannot be read.
      const look = await looking(other).catch(() => undefined)
      const before = await look?.().catch(() => undefined)
      if (!look || !before || !succeeded(before.query)) continue
      const reads = succeeded(before.data)
      if (reads || statusOf(before.query) === 'Authorised') standing.push({ look, before })
      if (reads) break
    }
    found.push(...standing.slice(-1))
  }
  return async (): Promise<Bystander[]> => {
    const all: Bystander[] = []
    for (const { look, before } of found) {
      const after = await look().catch(() => undefined)
      if (after) all.push({ before, after })
    }
    return all
  }
}

/** Remembers what others have lost, so that checks which rely on them are blocked and do not fail. */
export function noteLost(
  { session }: Context<never>,
  others: readonly Bystander[],
  owner: string,
): void {
  const lost = others
    .flatMap(({ before, after }) => [after.query, ...(succeeded(before.data) ? [after.data] : [])])
    .find((answer) => !succeeded(answer))
  if (lost) spoilt.set(session, { owner, exchange: lost })
}

/** Ends the check with a finding where another approval has changed. */
export function expectOthersUntouched(others: readonly Bystander[]): void {
  for (const { before, after } of others) {
    expect(after.query).toSucceed()
    // A change to Authorised is not judged: a query may lag behind the approval.
    if (statusOf(after.query) !== 'Authorised') {
      expect(after.query).toHaveMember('Data.Status', statusOf(before.query))
    }
    if (succeeded(before.data)) expect(after.data).toSucceed()
  }
}

/** Ends the check as blocked where another consent's end, or another party, took something from this one. */
export function relyOnEndsOfOthers(session: object): void {
  const lost = spoilt.get(session)
  if (lost) blockBy(lost.owner, 'it has ended, as is said there', lost.exchange)
}
