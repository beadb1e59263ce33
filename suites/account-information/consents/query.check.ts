import { setTimeout as wait } from 'node:timers/promises'
import { check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { blockBy, Nonconformance, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { refused, succeeded } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { OWNERS } from '../../owners.ts'
import { dear, expectTable } from '../../tables.ts'
import { consentIdInPath } from '../../values/identifier.ts'
import {
  changedSince,
  createdAndQueried,
  newlyQueried,
  type Queried,
} from '../common/consents/consent-comparisons.ts'
import {
  consentPath,
  createConsent,
  requireConsentId,
} from '../common/consents/consent-requests.ts'
import { expectUntouchedBy, expectUntouchedByRefusals } from '../common/consents/status-updates.ts'
import { ELSEWHERE } from '../common/elsewhere.ts'
import {
  allIdPlaces,
  isEquivalent,
  isInvalid,
  isNearlyRight,
  queriedIds,
} from '../common/places/consent-id-places.ts'

/**
 * GET /account-access-consents/{ConsentId}.
 * Requirements: specs/account-information/consents.yaml
 */

check(
  'CONS-22/answers-200',
  'The owner’s query of a consent answers 200',
  {},
  async ({ caller }) => {
    const client = await caller()
    const id = await createConsent(client)
    expect(await client.get(consentPath(id))).toHaveStatus(200)
  },
)

/**
 * For each client, with all nine permissions and all three dates: the
 * query shows the same Permissions (as a set), the same three dates
 * and CreationDateTime, and the same Status as the answer to POST.
 */
check(
  'CONS-22/as-created',
  'The query of a new consent shows it as it was created',
  {},
  async (context) => {
    const compare = (queried: Queried) => {
      const finding = changedSince(queried, ['Status'])
      if (finding) throw new Nonconformance({ ...finding, exchange: queried.query })
    }
    compare(await newlyQueried(context))
    if (context.target.clients.second)
      compare(await createdAndQueried(await context.caller('second')))
  },
)

/** An older consent with every optional member, queried over a new connection after a newer one was created. */
const besideNewer = sharedFixture([], async (context) => {
  const { creation, query } = await newlyQueried(context)
  const client = await context.caller()
  const path = consentPath(requireConsentId(creation))
  await createConsent(client)
  const elsewhere = await client.get(path, ELSEWHERE)
  const again = refused(elsewhere) ? await client.get(path) : elsewhere
  return { creation, query, client, path, elsewhere, again }
})

/**
 * An older consent with every optional member is queried after a newer one with fewer was created.
 * Fails: its Permissions, dates or creation differ. It need not still exist: not applicable where
 * its query is refused. Blocked where the first query already shows a difference.
 */
check(
  'CONS-22/beside-newer',
  'A consent is not changed by a newer one of the same client',
  { for: 'each client' },
  async (context) => {
    const { creation, query } = await newlyQueried(context)
    const already = changedSince({ creation, query })
    if (already) blockBy('CONS-22/as-created', already.message, query)
    const { again } = await besideNewer(context)
    if (refused(again))
      throw new NotApplicable('a newer consent ends one that awaits authorisation')
    relyOn(OWNERS.query, again).toSucceed()
    const finding = changedSince({ creation, query: again })
    if (finding) throw new Nonconformance({ ...finding, exchange: again })
  },
)

/** Connections that are tried after a refusal: not all of them lead to the same node. */
const CONNECTIONS = [1, 2, 3, 4]

/**
 * Another node may know of a new consent a moment later. Fails: after the settling time, queries
 * over two new connections are refused, and that over an older connection between them is not.
 */
check(
  'CONS-22/another-connection',
  'The owner can query a consent over another connection than that of its creation',
  { for: 'each client', follows: ['CONS-22/answers-200', 'CONS-22/as-created'] },
  async (context) => {
    const { client, path, elsewhere, again } = await besideNewer(context)
    if (succeeded(elsewhere)) return
    if (refused(again))
      throw new NotApplicable('a newer consent ends one that awaits authorisation')
    await wait(context.target.settlingTime)
    let refusals = 0
    for (const _connection of CONNECTIONS) {
      const answer = await client.get(path, ELSEWHERE)
      if (refused(answer)) refusals += 1
      // One refusal may be a limit of new connections.
      if (refusals < 2) continue
      relyOn(OWNERS.query, await client.get(path)).toSucceed()
      expect(answer).toSucceed()
    }
  },
)

/** Two queries, far enough apart that a moved time would differ in the format that the bank uses. */
check(
  'CONS-29/not-by-query',
  'A query does not move StatusUpdateDateTime',
  { for: 'each client' },
  async ({ caller, target }) => {
    const client = await caller()
    const path = consentPath(await createConsent(client))
    const nothing = async () => {}
    await expectUntouchedBy('a query', target, () => client.get(path), nothing)
  },
)

check(
  'CONS-29/not-by-refused',
  'Requests that are refused do not move StatusUpdateDateTime of a consent',
  { follows: ['CONS-29/not-by-query'] },
  async ({ caller, target }) => {
    const client = await caller()
    const other = target.clients.second && (await caller('second'))
    const consentId = await createConsent(client)
    await expectUntouchedByRefusals(target, client, consentId, async (path, madeUp, foreign) => {
      relyOn('SEC-03/unknown-token', await client.get(path, madeUp)).toBeRefused()
      relyOn('CLC-07/invalid-token', await client.delete(path, madeUp)).toBeRefused()
      relyOn('CLC-07/nothing-deleted', await client.get(path)).toSucceed()
      if (!other) return
      relyOn('SEC-05/other-client', await other.get(path, foreign)).toBeRefused()
      relyOn('CLC-08/refused', await other.delete(path, foreign)).toBeRefused()
      relyOn('CLC-08/survives', await client.get(path)).toSucceed()
    })
  },
)

/**
 * The invalid ids of the table that are drawn for the query: each gets an error response. Another
 * client's consent is judged by SEC-05, a deleted one by CLC-05, one of the other kind by FCC-17.
 */
check(
  'CONS-23/invalid-id',
  'The query of an invalid ConsentId gives an error response',
  { asks: [consentIdInPath] },
  async (context) => {
    await expectTable(context, {
      ...{ owner: 'CONS-23/invalid-id', type: consentIdInPath, rows: isInvalid },
      places: queriedIds(context),
      beside: await allIdPlaces(context),
    })
  },
)

/** At the query, and at the deletion of both kinds. */
check(
  'CONS-32/nearly-right',
  'What is a ConsentId only once it is trimmed, unquoted or decoded again is refused',
  {
    asks: [consentIdInPath],
    follows: ['CONS-23/invalid-id', 'CLC-09/invalid-id', 'FCC-15/invalid-id'],
  },
  async (context) => {
    await expectTable(context, {
      ...{ owner: 'CONS-32/nearly-right', type: consentIdInPath, rows: isNearlyRight },
      // One value of each part at each place: each can open data that it should not.
      places: dear(await allIdPlaces(context)),
    })
  },
)

check(
  'CONS-33/percent-encoded',
  'A ConsentId is found however its unreserved characters are percent-encoded',
  { asks: [consentIdInPath], follows: ['CONS-22/answers-200'] },
  async (context) => {
    await expectTable(context, {
      ...{ owner: 'CONS-33/percent-encoded', type: consentIdInPath, rows: isEquivalent },
      places: queriedIds(context),
    })
  },
)
