import { randomBytes } from 'node:crypto'
import { type Context, check } from '../../engine/suite-api/check.ts'
import type { ClientName } from '../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../engine/suite-api/expect.ts'
import { type CallDeviation, requireValue } from '../../engine/suite-api/flow.ts'
import { blockBy } from '../../engine/suite-api/outcomes.ts'
import { succeeded } from '../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../engine/suite-api/shared-fixture.ts'
import { debitsInPeriod } from '../consents.ts'
import { attacked, expectUnharmed, triedWithoutToken } from '../ended-consents.ts'
import { OWNERS } from '../owners.ts'
import { clientsOf } from './common/clients.ts'
import {
  consentPath,
  create,
  createConsent,
  invalidIds,
  requireConsentId,
  statusOf,
} from './common/consent-requests.ts'
import { awaitingDeleted } from './common/deleted-consents.ts'
import { aroundExpiry } from './common/expired-token.ts'

/**
 * Deletions that are refused.
 * Requirements: specs/account-information/life-cycle.yaml
 */

/** Deletions of a consent of each client with a missing or wrong Authorization, and what became of it. */
const unauthorised = sharedFixture([], async (context) => {
  const each: Awaited<ReturnType<typeof deletedWithout>>[] = []
  for (const name of clientsOf(context)) each.push(await deletedWithout(context, name))
  return each
})

async function deletedWithout({ caller, steps }: Context, name: ClientName) {
  const client = await caller(name)
  const path = consentPath(await createConsent(client))
  const before = await client.get(path)
  const attempt = (deviation: CallDeviation) => client.delete(path, deviation)
  const without = await attempt({ bearer: null, deviation: 'no Authorization header' })
  const bearer = randomBytes(32).toString('base64url')
  const unknown = await attempt({ bearer, deviation: 'an unknown access token' })
  const token = requireValue(await steps.management(name))
  const basic = await attempt({
    bearer: null,
    headers: { Authorization: `Basic ${token}` },
    deviation: 'the access token under the scheme Basic',
  })
  const after = await client.get(path)
  // The last attempt: it ends the consent where it is taken.
  const inQuery = await attempt({
    bearer: null,
    query: { access_token: requireValue(await steps.management(name)) },
    deviation: 'the access token in the query alone',
  })
  const deletion = succeeded(inQuery) ? inQuery : await client.delete(path)
  return { before, without, unknown, basic, after, inQuery, deletion }
}

check(
  'CLC-07/without-authorization',
  'DELETE of a consent without Authorization header answers 401',
  {},
  async (context) => {
    for (const { before, without } of await unauthorised(context)) {
      relyOn(OWNERS.query, before).toSucceed()
      expect(without).toHaveStatus(401)
    }
  },
)

check(
  'CLC-07/invalid-token',
  'DELETE of a consent with an invalid Authorization header answers 401',
  {},
  async (context) => {
    for (const { before, unknown, basic } of await unauthorised(context)) {
      relyOn(OWNERS.query, before).toSucceed()
      expect(unknown).toHaveStatus(401)
      expect(basic).toHaveStatus(401)
    }
  },
)

/** Whether by 401 or for the unknown parameter is open. */
check(
  'CLC-07/in-the-query',
  'DELETE of a consent with an access token in its query alone is refused',
  {},
  async (context) => {
    for (const each of await unauthorised(context)) {
      const { before, without, unknown, basic, after, inQuery, deletion } = each
      relyOn(OWNERS.query, before).toSucceed()
      relyOn('CLC-07/without-authorization', without).toBeRefused()
      for (const answer of [unknown, basic]) relyOn('CLC-07/invalid-token', answer).toBeRefused()
      relyOn('CLC-07/nothing-deleted', after).toSucceed()
      relyOn(OWNERS.deletion, deletion).toSucceed()
      expect(inQuery).toBeRefused()
    }
  },
)

check(
  'CLC-07/expired-token',
  'DELETE of a consent with an expired access token answers 401, and deletes nothing',
  { needs: ['hooks.token-expired'] },
  async (context) => {
    const { before, after, own } = await aroundExpiry(context)
    relyOn(OWNERS.query, before.query).toSucceed()
    relyOn(OWNERS.deletion, await before.deletion()).toSucceed()
    expect(await after.deletion()).toHaveStatus(401)
    expect(own).toSucceed()
  },
)

/**
 * After all of these the owner's query is 2xx. Judged only where the attempts themselves were
 * refused, else blocked by the one that wasn't. Control of all: in the end the owner's own DELETE
 * is 2xx.
 */
check(
  'CLC-07/authorised',
  'DELETE of an authorised consent with a missing or invalid Authorization header answers 401',
  { uses: [debitsInPeriod], spends: debitsInPeriod },
  async (context) => {
    const each = await unauthorised(context)
    const { before, without, unknown, data, query } = await triedWithoutToken(context)
    relyOn(OWNERS.query, before.query).toSucceed()
    for (const waiting of each) {
      relyOn('CLC-07/without-authorization', waiting.without).toHaveStatus(401)
    }
    expect(without).toHaveStatus(401)
    for (const waiting of each) relyOn('CLC-07/invalid-token', waiting.unknown).toHaveStatus(401)
    expect(unknown).toHaveStatus(401)
    for (const waiting of each) relyOn('CLC-07/nothing-deleted', waiting.after).toSucceed()
    relyOn('TOK-25/delete-authorised', data).toBeAnError()
    if (statusOf(query) !== 'Revoked') expect(query).toSucceed()
  },
)

check(
  'TOK-25/delete-authorised',
  'An authorised consent is not deleted with its own access token for data',
  { uses: [debitsInPeriod], spends: debitsInPeriod, follows: ['TOK-25/delete'] },
  async (context) => {
    const { before, without, unknown, data } = await triedWithoutToken(context)
    relyOn(OWNERS.query, before.query).toSucceed()
    relyOn('CLC-07/authorised', without).toBeAnError()
    relyOn('CLC-07/authorised', unknown).toBeAnError()
    expect(data).toBeRefused()
  },
)

check(
  'CLC-07/nothing-deleted',
  'A consent survives a DELETE with a missing or invalid Authorization header',
  {},
  async (context) => {
    for (const each of await unauthorised(context)) {
      const { before, without, unknown, basic, after, deletion } = each
      relyOn(OWNERS.query, before).toSucceed()
      relyOn('CLC-07/without-authorization', without).toBeRefused()
      for (const answer of [unknown, basic]) relyOn('CLC-07/invalid-token', answer).toBeRefused()
      expect(after).toSucceed()
      relyOn(OWNERS.deletion, deletion).toSucceed()
    }
  },
)

/** The second client's attempt to delete a consent of the first, and what became of it. */
const deletedByAnother = sharedFixture([], async ({ caller, tpp }) => {
  tpp('second')
  const owner = await caller()
  const path = consentPath(await createConsent(owner))
  const before = await owner.get(path)
  const other = await caller('second')
  const own = await create(other)
  relyOn(OWNERS.consent, own).toSucceed()
  const ownQuery = await other.get(consentPath(requireConsentId(own)))
  const attempt = await other.delete(path, { deviation: 'a consent of another client' })
  const after = await owner.get(path)
  const ownDeletion = await other.delete(consentPath(requireConsentId(own)))
  return { before, ownQuery, attempt, after, ownDeletion }
})

check(
  'CLC-08/refused',
  'DELETE of a consent that another client owns is refused',
  {},
  async (context) => {
    const { before, ownQuery, attempt, ownDeletion } = await deletedByAnother(context)
    relyOn(OWNERS.query, before).toSucceed()
    relyOn(OWNERS.query, ownQuery).toSucceed()
    relyOn(OWNERS.deletion, ownDeletion).toSucceed()
    expect(attempt).toBeAnError()
  },
)

check('CLC-08/survives', 'A consent survives the DELETE of another client', {}, async (context) => {
  const { before, attempt, after } = await deletedByAnother(context)
  relyOn(OWNERS.query, before).toSucceed()
  relyOn('CLC-08/refused', attempt).toBeAnError()
  expect(after).toSucceed()
  expect(after).toHaveMember('Data.Status', statusOf(before))
})

/**
 * The same with a consent that the customer has authorised: an error response, and query and data
 * are as before. Blocked by the other two where they fail.
 */
check(
  'CLC-08/authorised',
  'A consent that the customer has authorised is not deleted by another client either',
  { uses: [debitsInPeriod], spends: debitsInPeriod },
  async (context) => {
    context.tpp('second')
    const waiting = await deletedByAnother(context)
    relyOn('CLC-08/refused', waiting.attempt).toBeAnError()
    const survived =
      succeeded(waiting.after) && statusOf(waiting.after) === statusOf(waiting.before)
    if (!survived) {
      blockBy('CLC-08/survives', 'one that waits does not survive it', waiting.after)
    }
    const { before, attempt, after } = await attacked(context)
    if (!attempt || !after) throw new TypeError('there is a second client')
    relyOn(OWNERS.query, before.query).toSucceed()
    expect(attempt).toBeAnError()
    expectUnharmed(before, after)
  },
)

check(
  'CLC-08/other-direction',
  'DELETE by the first client of a consent that the second owns is refused, and deletes nothing',
  {},
  async (context) => {
    context.tpp('second')
    const { attempt, after, ownDeletion } = await deletedByAnother(context)
    relyOn('CLC-08/refused', attempt).toBeAnError()
    relyOn('CLC-08/survives', after).toSucceed()
    relyOn(OWNERS.deletion, ownDeletion).toSucceed()
    const owner = await context.caller('second')
    const path = consentPath(await createConsent(owner))
    relyOn(OWNERS.query, await owner.get(path)).toSucceed()
    const first = await context.caller()
    expect(await first.delete(path, { deviation: 'a consent of another client' })).toBeAnError()
    expect(await owner.get(path)).toSucceed()
  },
)

check(
  'CLC-22/with-403',
  'The refusal to delete another client’s consent has status 403',
  {},
  async (context) => {
    const { before, ownQuery, attempt } = await deletedByAnother(context)
    relyOn(OWNERS.query, before).toSucceed()
    relyOn(OWNERS.query, ownQuery).toSucceed()
    relyOn('CLC-08/refused', attempt).toBeAnError()
    expect(attempt).toHaveStatus(403)
  },
)

/**
 * A random UUID, "x", 200 characters, an own one with a character more and, if it is long, with one
 * less: each an error response.
 */
check(
  'CLC-09/invalid-id',
  'DELETE of an invalid ConsentId gives an error response',
  {},
  async (context) => {
    relyOn(OWNERS.deletion, (await awaitingDeleted(context)).deletion).toSucceed()
    for (const name of clientsOf(context)) {
      const client = await context.caller(name)
      for (const id of invalidIds(await createConsent(client))) {
        const deviation = `ConsentId of nothing, ${id.length} characters`
        expect(await client.delete(consentPath(id), { deviation })).toBeAnError()
      }
    }
  },
)
