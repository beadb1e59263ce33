import { setTimeout as wait } from 'node:timers/promises'
import { check } from '../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../engine/suite-api/expect.ts'
import { untilTimeHasMoved } from '../../engine/suite-api/flow.ts'
import { blockBy, Nonconformance, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import { refused } from '../../engine/suite-api/responses.ts'
import { OWNERS } from '../owners.ts'
import {
  changedSince,
  createdAndQueried,
  newlyQueried,
  type Queried,
} from './common/consent-comparisons.ts'
import {
  consentPath,
  createConsent,
  invalidIds,
  requireConsentId,
} from './common/consent-requests.ts'
import { expectUntouched } from './common/status-updates.ts'

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
 * Of each client, with all nine permissions and all three dates: Permissions as a set and the four instants that
 * POST returned, also CreationDateTime, are the same in the query, and Status is the one that POST
 * returned.
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

/**
 * An older consent with all that can be asked for, queried once a newer one with less was created. Fails: its
 * Permissions, dates or creation are others. That it still waits is not said: not applicable where its query is
 * refused. Blocked where the first query shows it otherwise already.
 */
check(
  'CONS-22/beside-newer',
  'A consent is not changed by a newer one of the same client',
  {},
  async (context) => {
    const { creation, query } = await newlyQueried(context)
    const already = changedSince({ creation, query })
    if (already) blockBy('CONS-22/as-created', already.message, query)
    const client = await context.caller()
    await createConsent(client)
    const again = await client.get(consentPath(requireConsentId(creation)))
    if (refused(again)) throw new NotApplicable('a newer consent ends one that waits')
    relyOn(OWNERS.query, again).toSucceed()
    const finding = changedSince({ creation, query: again })
    if (finding) throw new Nonconformance({ ...finding, exchange: again })
  },
)

/** Two queries, so far apart that the time is another one in its own spelling. */
check(
  'CONS-29/not-by-query',
  'A query does not move StatusUpdateDateTime',
  {},
  async ({ caller }) => {
    const client = await caller()
    const path = consentPath(await createConsent(client))
    const one = await client.get(path)
    await untilTimeHasMoved(one, one)
    await wait(20)
    const other = await client.get(path)
    for (const query of [one, other]) relyOn(OWNERS.query, query).toSucceed()
    expectUntouched(one, other, 'a query')
  },
)

/**
 * A random UUID, "x", 200 characters, an own one with a character more and, if it is long, with one
 * less, "%27%20OR%201%3D1": each an error response (4xx or 5xx). Another client's consent is
 * judged by SEC-05.
 */
check(
  'CONS-23/invalid-id',
  'The query of an invalid ConsentId gives an error response',
  {},
  async ({ caller }) => {
    const client = await caller()
    const own = await createConsent(client)
    relyOn(OWNERS.query, await client.get(consentPath(own))).toSucceed()
    for (const id of invalidIds(own)) {
      const deviation = `ConsentId of nothing, ${id.length} characters`
      expect(await client.get(consentPath(id), { deviation })).toBeAnError()
    }
    const deviation = 'ConsentId with a quotation mark'
    expect(await client.get(consentPath("' OR 1=1"), { deviation })).toBeRefused()
  },
)
