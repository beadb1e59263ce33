import type { Context } from '../../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../../../engine/suite-api/expect.ts'
import { NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import {
  answerOf,
  type Exchange,
  refused,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import type { Ended } from '../../../ended-consents.ts'
import { OWNERS } from '../../../owners.ts'
import { clientsOf } from '../registration/clients.ts'
import { settling } from '../visits/settling.ts'
import { consentPath, createConsent } from './consent-requests.ts'

const awaitingDeletedBy = (name: ClientName) =>
  sharedFixture([], async (context) => {
    const client = await context.caller(name)
    const other = consentPath(await createConsent(client))
    const id = await createConsent(client)
    const before = await client.get(consentPath(id))
    const waiting = await client.get(other)
    const deletion = await client.delete(consentPath(id))
    const others = { path: other, before: waiting, after: await client.get(other) }
    const deviation = 'the consent was deleted'
    const ask = () => client.get(consentPath(id), { deviation })
    const after = await settling(context).until(ask, refused)
    const again = await client.delete(consentPath(id), { deviation })
    return { id, before, deletion, others, after, again }
  })

/** Deletion of a consent that nobody has authorised, with queries before and after, also of a second such consent. */
export const awaitingDeleted = awaitingDeletedBy('first')

const awaitingDeletedBySecond = awaitingDeletedBy('second')

/** The same for each client. */
/** The status of the refusal to delete another client's consent, where it waits or is authorised. */
export const FORBIDDEN = ['CLC-22/with-403', 'CLC-22/other-direction', 'CLC-22/authorised']

export async function eachAwaitingDeleted(context: Context<never>) {
  const each = { first: awaitingDeleted, second: awaitingDeletedBySecond }
  const deleted: Awaited<ReturnType<typeof awaitingDeleted>>[] = []
  for (const name of clientsOf(context)) deleted.push(await each[name](context))
  return deleted
}

/** The deletion of an unauthorised consent, on which every other deletion relies. */
export async function relyOnDeletion(context: Context): Promise<void> {
  relyOn(OWNERS.deletion, (await awaitingDeleted(context)).deletion).toHaveStatus(204)
}

/** DELETE of a consent of the first client, and its query afterwards. */
export async function deletedAndQueried(
  context: Context<never>,
  consentId: string,
): Promise<{ deletion: Exchange; query: Exchange }> {
  const client = await context.caller()
  const path = consentPath(consentId)
  const deletion = await client.delete(path)
  const ask = () => client.get(path, { deviation: 'its consent was deleted' })
  return { deletion, query: await settling(context).until(ask, refused) }
}

/**
 * The same for a consent that has ended in another way, such as “its consent has expired”. Not applicable where its
 * query is refused just before: what happens to such a consent is open, and the bank may remove it at any time.
 */
export async function deletedWhereThere(context: Context<never>, consentId: string, over: string) {
  const client = await context.caller()
  if (refused(await client.get(consentPath(consentId), { deviation: over }))) {
    throw new NotApplicable('the consent is not there any more')
  }
  return deletedAndQueried(context, consentId)
}

/** The answers to another client's query and deletion of a consent of the first client that has ended. */
export async function attackedByAnother(context: Context<never>, consentId: string, over: string) {
  const other = await context.caller('second')
  const own = consentPath(await createConsent(other))
  relyOn(OWNERS.query, await other.get(own)).toSucceed()
  relyOn(OWNERS.deletion, await other.delete(own)).toSucceed()
  const path = consentPath(consentId)
  const deviation = `a consent of another client that ${over}`
  const read = await other.get(path, { deviation })
  return { read, deletion: await other.delete(path, { deviation }) }
}

/** Expects that each data request that succeeded before is now refused. */
export function expectNoData({ requests, after }: Ended, { observe }: Context): void {
  const good = requests.flatMap(({ path, answer }, index) => {
    const now = after.requests[index]?.answer
    return now && succeeded(answer) ? [{ path, before: answer, now }] : []
  })
  const [first] = requests
  if (good.length === 0 && first) relyOn(OWNERS.accounts, first.answer).toSucceed()
  for (const { path, now } of good) {
    observe(`GET ${path.replace(/\/accounts\/[^/]+/, '/accounts/{AccountId}')}`, answerOf(now), now)
  }
  for (const { before, now } of good) {
    relyOn(OWNERS.accounts, before).toSucceed()
    expect(now).toBeRefused()
  }
  for (const other of after.beyond ?? []) expect(other).toBeRefused()
}
