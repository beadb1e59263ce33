import { check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { Nonconformance } from '../../engine/judge/outcome.ts'
import { changedSince, newlyQueried } from './common/consent-comparisons.ts'
import { consentPath, invalidIds, newConsentId } from './common/consent-requests.ts'

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
  async (context) => {
    const queried = await newlyQueried(context)
    const finding = changedSince(queried, ['Status'])
    if (finding) throw new Nonconformance({ ...finding, exchange: queried.query })
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
