import { check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { blockBy } from '../../../engine/suite-api/outcomes.ts'
import { succeeded } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { debitsInPeriod } from '../../consents.ts'
import { attacked, expectUnharmed, triedWithoutToken } from '../../ended-consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable, relyOnNoneBroken } from '../../tables.ts'
import { consentIdInPath } from '../../values/identifier.ts'
import {
  consentPath,
  create,
  createConsent,
  requireConsentId,
  statusOf,
} from '../common/consents/consent-requests.ts'
import { awaitingDeleted } from '../common/consents/deleted-consents.ts'
import { attempts, OF_ACCOUNTS } from '../common/consents/unauthorised-deletions.ts'
import { allIdPlaces, deletedIds, isInvalid } from '../common/places/consent-id-places.ts'
import { aroundExpiry } from '../common/tokens/expired-token.ts'

/**
 * Refused deletions. Requirements:
 * specs/account-information/life-cycle.yaml
 */

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

check(
  'CLC-07/authorised',
  'DELETE of an authorised consent with a missing or invalid Authorization header answers 401',
  { uses: [debitsInPeriod], spends: debitsInPeriod },
  async (context) => {
    const { before, without, unknown, data, query } = await triedWithoutToken(context)
    relyOn(OWNERS.query, before.query).toSucceed()
    const waiting = await attempts.accounts.missing(context)
    relyOnNoneBroken(waiting, OF_ACCOUNTS.missing)
    expect(without).toHaveStatus(401)
    relyOnNoneBroken(await attempts.accounts.invalid(context), OF_ACCOUNTS.invalid)
    expect(unknown).toHaveStatus(401)
    for (const after of waiting.after) relyOn('CLC-07/nothing-deleted', after).toSucceed()
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

/** The second client's attempt to delete a consent of the first, and the state of the consent afterwards. */
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

/** What is gone is deleted again in silence, which must not hold for somebody else. */
check(
  'CLC-08/deleted',
  'DELETE of a consent that another client has deleted gives an error response',
  { follows: ['CLC-08/refused', 'CLC-09/invalid-id'] },
  async (context) => {
    const { ownQuery, attempt, ownDeletion } = await deletedByAnother(context)
    relyOn(OWNERS.query, ownQuery).toSucceed()
    relyOn(OWNERS.deletion, ownDeletion).toSucceed()
    relyOn('CLC-08/refused', attempt).toBeAnError()
    const { id, deletion } = await awaitingDeleted(context)
    relyOn(OWNERS.deletion, deletion).toSucceed()
    const other = await context.caller('second')
    const deviation = 'a consent that another client has deleted'
    expect(await other.delete(consentPath(id), { deviation })).toBeAnError()
  },
)

/**
 * The same with a consent that the customer has authorised: an error response,
 * and query and data are as before. Blocked by the other two where they fail.
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
      blockBy(
        'CLC-08/survives',
        'a consent that awaits authorisation does not survive it',
        waiting.after,
      )
    }
    const { before, attempt, after } = await attacked(context)
    if (!attempt || !after) throw new TypeError('there is a second client')
    relyOn(OWNERS.query, before.query).toSucceed()
    expect(attempt).toBeAnError()
    expectUnharmed(before, after)
  },
)

/** The first client's attempt to delete a consent of the second, and the owner's queries before and after. */
const deletedByTheFirst = sharedFixture([], async (context) => {
  context.tpp('second')
  const { attempt, after, ownDeletion } = await deletedByAnother(context)
  relyOn('CLC-08/refused', attempt).toBeAnError()
  relyOn('CLC-08/survives', after).toSucceed()
  relyOn(OWNERS.deletion, ownDeletion).toSucceed()
  const owner = await context.caller('second')
  const path = consentPath(await createConsent(owner))
  const before = await owner.get(path)
  relyOn(OWNERS.query, before).toSucceed()
  const first = await context.caller()
  const deviation = 'a consent of another client'
  return { before, attempt: await first.delete(path, { deviation }), after: await owner.get(path) }
})

check(
  'CLC-08/other-direction',
  'DELETE by the first client of a consent that the second owns is refused, and deletes nothing',
  {},
  async (context) => {
    const { before, attempt, after } = await deletedByTheFirst(context)
    relyOn(OWNERS.query, before).toSucceed()
    expect(attempt).toBeAnError()
    expect(after).toSucceed()
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

check(
  'CLC-22/other-direction',
  'The refusal to delete a consent of the second client for the first has status 403, too',
  { follows: ['CLC-22/with-403'] },
  async (context) => {
    const { before, attempt } = await deletedByTheFirst(context)
    relyOn(OWNERS.query, before).toSucceed()
    relyOn('CLC-08/other-direction', attempt).toBeAnError()
    expect(attempt).toHaveStatus(403)
  },
)

check(
  'CLC-22/authorised',
  'The refusal to delete a consent of another client that the customer has authorised has status 403, too',
  { uses: [debitsInPeriod], spends: debitsInPeriod, follows: ['CLC-22/with-403'] },
  async (context) => {
    context.tpp('second')
    const { before, attempt } = await attacked(context)
    if (!attempt) throw new TypeError('there is a second client')
    relyOn(OWNERS.query, before.query).toSucceed()
    relyOn('CLC-08/authorised', attempt).toBeAnError()
    expect(attempt).toHaveStatus(403)
  },
)

/** The invalid ids of the table that are drawn for this deletion: each gets an error response. */
check(
  'CLC-09/invalid-id',
  'DELETE of an invalid ConsentId gives an error response',
  { asks: [consentIdInPath] },
  async (context) => {
    relyOn(OWNERS.deletion, (await awaitingDeleted(context)).deletion).toSucceed()
    await expectTable(context, {
      ...{ owner: 'CLC-09/invalid-id', type: consentIdInPath, rows: isInvalid },
      places: await deletedIds(context),
      beside: await allIdPlaces(context),
    })
  },
)
