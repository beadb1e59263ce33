import type { Context } from '../engine/suite-api/check.ts'
import { now } from '../engine/suite-api/clock.ts'
import type { Approval } from '../engine/suite-api/consents.ts'
import { expect } from '../engine/suite-api/expect.ts'
import { blockBy } from '../engine/suite-api/outcomes.ts'
import { type Exchange, succeeded } from '../engine/suite-api/responses.ts'
import { consentPath, statusOf } from './account-information/common/consents/consent-requests.ts'
import { dataPaths } from './account-information/common/data/data-reads.ts'
import { codeOfAnotherClient } from './consents.ts'

/** An approval that stands beside one that ends. */
export interface Bystander {
  before: Others
  after: Others
}

/** What another consent gives. */
export interface Others {
  query: Exchange
  data: Exchange
}

/** What another consent gives before an end, and how to ask for it again. */
interface Standing {
  look: () => Promise<Others>
  before: Others
}

/** Milliseconds that are left of a token whose time is nearly over. */
const NEARLY = 10_000

/** The answers of others that an end has affected, by run. */
const spoilt = new WeakMap<object, { owner: string; exchange: Exchange }>()

/** What is asked of an approval before and after another one ends. */
export async function looking(other: Approval): Promise<() => Promise<Others>> {
  const [path = '/accounts'] = dataPaths(other.facts.permissions, [])
  // A newer approval may have ended its access token (AMB-43): then this gets it another one.
  await other.get(path)
  const { accessToken, expiresAt } = await other.tokens()
  return async () => ({
    query: await other.get(consentPath(other.consentId)),
    // With the same token, unless its time is nearly over: another one would hide that this one was ended.
    data: await other.get(path, {
      ...(expiresAt - now() > NEARLY && { bearer: accessToken }),
    }),
  })
}

/**
 * One approval of the same client and one of the other, of the same customer, that stand beside another: one that
 * reads data, or else one that can be queried. What is refused already has ended for a reason of its own, and a
 * code that checks have tried is not used for this.
 */
export async function bystanders({ given }: Context<never>, { name, customer }: Approval) {
  const found: Standing[] = []
  for (const client of ['first', 'second']) {
    const standing: Standing[] = []
    for (const other of given()) {
      if (other.customer !== customer || other.tpp.name !== client) continue
      if ([name, codeOfAnotherClient.name].includes(other.name)) continue
      // Whoever judges that one says why it has no token, or cannot be looked at.
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

/** Remembers what others have lost, so that nothing that rests on them blames them. */
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

/** Ends the check with a finding where another approval is not what it was. */
export function expectOthersUntouched(others: readonly Bystander[]): void {
  for (const { before, after } of others) {
    expect(after.query).toSucceed()
    // The transition to Authorised is not shown: a query may lag behind the approval.
    if (statusOf(after.query) !== 'Authorised') {
      expect(after.query).toHaveMember('Data.Status', statusOf(before.query))
    }
    if (succeeded(before.data)) expect(after.data).toSucceed()
  }
}

/** Ends the check where what was done to another consent, or by another party, took from this one what it had. */
export function relyOnEndsOfOthers(session: object): void {
  const lost = spoilt.get(session)
  if (lost) blockBy(lost.owner, 'it has ended, as is said there', lost.exchange)
}
