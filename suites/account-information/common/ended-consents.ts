import type { Context } from '../../../engine/journey/context.ts'
import { once } from '../../../engine/journey/once.ts'
import { OWNERS } from '../../../engine/journey/steps.ts'
import { expect, relyOn } from '../../../engine/judge/expect.ts'
import { answerOf, succeeded } from '../../../engine/judge/matchers.ts'
import { Blocked } from '../../../engine/judge/outcome.ts'
import { member } from '../../../engine/judge/rows.ts'
import type { Exchange } from '../../../engine/wire/exchange.ts'
import type { Ended } from '../../endings.ts'
import { consentPath, newConsentId } from './consent-requests.ts'

/** Deletion of a consent that nobody has authorised, and queries around it. */
export const awaitingDeleted = once(async ({ caller }) => {
  const client = await caller()
  const id = await newConsentId(client)
  const before = await client.get(consentPath(id))
  const deletion = await client.delete(consentPath(id))
  const after = await client.get(consentPath(id), { deviation: 'the consent was deleted' })
  const again = await client.delete(consentPath(id), { deviation: 'the consent was deleted' })
  return { id, before, deletion, after, again }
})

/** Ends the check as blocked where the deletion of a consent that nobody authorised isn't a 204. */
export async function relyOnDeletion(context: Context): Promise<void> {
  const { deletion } = await awaitingDeleted(context)
  if (deletion.response?.status === 204) return
  const why = `DELETE of a new consent answered ${answerOf(deletion)}`
  throw new Blocked({ kind: 'check', id: OWNERS.deletion }, why, deletion)
}

/** Each data request that succeeded before is refused now. */
export function expectNoData({ requests, after }: Ended, { observe }: Context): void {
  const good = requests.flatMap(({ path, answer }, index) => {
    const now = after.requests[index]?.answer
    return now && succeeded(answer) ? [{ path, now }] : []
  })
  const [first] = requests
  if (good.length === 0 && first) relyOn(OWNERS.accounts, first.answer)
  for (const { path, now } of good) {
    observe(`GET ${path.replace(/\/accounts\/[^/]+/, '/accounts/{AccountId}')}`, answerOf(now), now)
  }
  for (const { now } of good) expect(now).toBeRefused()
}

/** Status of the consent in the answer to a query. */
export const statusOf = (query: Exchange) => member(query.response?.json, 'Data', 'Status')
