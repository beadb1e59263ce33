import { daysFromNow } from '../../engine/journey/consent.ts'
import { check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { expectAsCreated } from './consent-comparisons.ts'
import {
  consentIdOf,
  consentPath,
  create,
  invalidIds,
  NINE_PERMISSIONS,
  newConsentId,
  PERIOD,
} from './consent-requests.ts'

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
    const id = await newConsentId(client)
    expect(await client.get(consentPath(id))).toHaveStatus(200)
  },
)

check(
  'CONS-22/as-created',
  'The query of a new consent shows it as it was created',
  {},
  async ({ caller }) => {
    const client = await caller()
    const Permissions = NINE_PERMISSIONS
    const ExpirationDateTime = daysFromNow(30)
    relyOn('CONS-09/all-nine', await create(client, { Permissions }))
    relyOn(OWNERS.consentWithExpiry, await create(client, { ExpirationDateTime }))
    const asked = { Permissions, ExpirationDateTime, ...PERIOD }
    const created = await create(client, asked)
    relyOn(OWNERS.consentWithPeriod, created)

    const query = await client.get(consentPath(consentIdOf(created)))

    relyOn(OWNERS.query, query)
    expectAsCreated({ creation: created, query }, ['Status'])
  },
)

check(
  'CONS-23/invalid-id',
  'The query of an invalid ConsentId gives an error response',
  {},
  async ({ caller }) => {
    const client = await caller()
    const own = await newConsentId(client)
    relyOn(OWNERS.query, await client.get(consentPath(own)))
    for (const id of invalidIds(own)) {
      const deviation = `ConsentId of nothing, ${id.length} characters`
      expect(await client.get(consentPath(id), { deviation })).toBeAnError()
    }
    const deviation = 'ConsentId with a quotation mark'
    expect(await client.get(consentPath("' OR 1=1"), { deviation })).toBeRefused()
  },
)
