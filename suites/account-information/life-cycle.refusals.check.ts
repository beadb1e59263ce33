import { randomBytes } from 'node:crypto'
import type { CallDeviation } from '../../engine/journey/caller.ts'
import { check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { OWNERS, taken } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { answerOf, refused, succeeded } from '../../engine/judge/matchers.ts'
import { Blocked } from '../../engine/judge/outcome.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { attacked, harmed } from '../endings.ts'
import {
  consentIdOf,
  consentPath,
  create,
  invalidIds,
  newConsentId,
} from './common/consent-requests.ts'
import { awaitingDeleted, statusOf } from './common/ended-consents.ts'
import { expiredManagementToken } from './common/expired-token.ts'

/**
 * Deletions that are refused.
 * Requirements: specs/account-information/life-cycle.yaml
 */

/** Deletions of one consent with a missing or wrong Authorization, and what became of it. */
const unauthorised = once(async (context) => {
  const { caller, steps } = context
  const client = await caller()
  const path = consentPath(await newConsentId(client))
  const before = await client.get(path)
  const attempt = (deviation: CallDeviation) => client.delete(path, deviation)
  const without = await attempt({ bearer: null, deviation: 'no Authorization header' })
  const bearer = randomBytes(32).toString('base64url')
  const unknown = await attempt({ bearer, deviation: 'an unknown access token' })
  const token = taken(await steps.management())
  const basic = await attempt({
    bearer: null,
    headers: { Authorization: `Basic ${token}` },
    deviation: 'the access token under the scheme Basic',
  })
  const after = await client.get(path)
  const deletion = await client.delete(path)
  return { before, without, unknown, basic, after, deletion }
})

check(
  'CLC-07/without-authorization',
  'DELETE of a consent without Authorization header answers 401',
  {},
  async (context) => {
    const { before, without } = await unauthorised(context)
    relyOn(OWNERS.query, before)
    expect(without).toHaveStatus(401)
  },
)

check(
  'CLC-07/invalid-token',
  'DELETE of a consent with an invalid Authorization header answers 401',
  {},
  async (context) => {
    const { before, unknown, basic } = await unauthorised(context)
    relyOn(OWNERS.query, before)
    expect(unknown).toHaveStatus(401)
    expect(basic).toHaveStatus(401)
  },
)

check(
  'CLC-07/expired-token',
  'DELETE of a consent with an expired access token answers 401, and deletes nothing',
  { needs: ['hooks.token-expired'] },
  async (context) => {
    const client = await context.caller()
    const path = consentPath(await newConsentId(client))
    const bearer = await expiredManagementToken(context)
    relyOn(OWNERS.query, await client.get(path))

    const deviation = 'an expired access token'
    const answer = await client.delete(path, { bearer, deviation })

    expect(answer).toHaveStatus(401)
    expect(await client.get(path)).toSucceed()
  },
)

check(
  'CLC-07/nothing-deleted',
  'A consent survives a DELETE with a missing or invalid Authorization header',
  {},
  async (context) => {
    const { before, without, unknown, basic, after, deletion } = await unauthorised(context)
    relyOn(OWNERS.query, before)
    const attempts = [
      { id: 'CLC-07/without-authorization', answer: without },
      { id: 'CLC-07/invalid-token', answer: unknown },
      { id: 'CLC-07/invalid-token', answer: basic },
    ]
    for (const { id, answer } of attempts) {
      if (refused(answer)) continue
      throw new Blocked({ kind: 'check', id }, 'the attempt was not refused', answer)
    }
    expect(after).toSucceed()
    relyOn(OWNERS.deletion, deletion)
  },
)

/** The second client's attempt to delete a consent of the first, and what became of it. */
const deletedByAnother = once(async ({ caller, tpp }) => {
  tpp('second')
  const owner = await caller()
  const path = consentPath(await newConsentId(owner))
  const before = await owner.get(path)
  const other = await caller('second')
  const own = await create(other)
  relyOn(OWNERS.consent, own)
  const ownQuery = await other.get(consentPath(consentIdOf(own)))
  const attempt = await other.delete(path, { deviation: 'a consent of another client' })
  const after = await owner.get(path)
  const ownDeletion = await other.delete(consentPath(consentIdOf(own)))
  return { before, ownQuery, attempt, after, ownDeletion }
})

check(
  'CLC-08/refused',
  'DELETE of a consent that another client owns is refused',
  {},
  async (context) => {
    const { before, ownQuery, attempt, ownDeletion } = await deletedByAnother(context)
    relyOn(OWNERS.query, before)
    relyOn(OWNERS.query, ownQuery)
    relyOn(OWNERS.deletion, ownDeletion)
    expect(attempt).toBeAnError()
  },
)

/** Ends the check as blocked where the second client was not refused. */
function relyOnRefusal(attempt: Exchange): void {
  if ((attempt.response?.status ?? 0) >= 400) return
  throw new Blocked({ kind: 'check', id: 'CLC-08/refused' }, 'it was not refused', attempt)
}

check('CLC-08/survives', 'A consent survives the DELETE of another client', {}, async (context) => {
  const { before, attempt, after } = await deletedByAnother(context)
  relyOn(OWNERS.query, before)
  relyOnRefusal(attempt)
  expect(after).toSucceed()
  expect(after).toHaveMember('Data.Status', statusOf(before))
})

check(
  'CLC-08/authorised',
  'A consent that the customer has authorised is not deleted by another client either',
  { uses: ['debits in a period'], spends: 'debits in a period' },
  async (context) => {
    context.tpp('second')
    const waiting = await deletedByAnother(context)
    relyOnRefusal(waiting.attempt)
    const survived =
      succeeded(waiting.after) && statusOf(waiting.after) === statusOf(waiting.before)
    if (!survived) {
      const because = { kind: 'check', id: 'CLC-08/survives' } as const
      throw new Blocked(because, 'one that waits does not survive it', waiting.after)
    }
    const { before, attempt, after } = await attacked(context)
    if (!attempt || !after) throw new TypeError('there is a second client')
    relyOn(OWNERS.query, before.query)
    expect(attempt).toBeAnError()
    const harm = harmed(before, after)
    expectThat(harm === undefined, {
      message: 'the refused deletion has changed what the consent gives',
      expected: 'the same answers as before',
      actual: harm ? `${harm.endpoint} answered ${answerOf(harm)}` : '',
      exchange: harm,
    })
  },
)

check(
  'CLC-22/with-403',
  'The refusal to delete another client’s consent has status 403',
  {},
  async (context) => {
    const { before, ownQuery, attempt } = await deletedByAnother(context)
    relyOn(OWNERS.query, before)
    relyOn(OWNERS.query, ownQuery)
    relyOnRefusal(attempt)
    expect(attempt).toHaveStatus(403)
  },
)

check(
  'CLC-09/invalid-id',
  'DELETE of an invalid ConsentId gives an error response',
  {},
  async (context) => {
    relyOn(OWNERS.deletion, (await awaitingDeleted(context)).deletion)
    const client = await context.caller()
    for (const id of invalidIds(await newConsentId(client))) {
      const deviation = `ConsentId of nothing, ${id.length} characters`
      expect(await client.delete(consentPath(id), { deviation })).toBeAnError()
    }
  },
)
