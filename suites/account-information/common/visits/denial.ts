import type { Context } from '../../../../engine/suite-api/check.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import type { Visit } from '../../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import { type Exchange, refused } from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { everything, SPECIAL_STATE } from '../../../consents.ts'
import { OWNERS } from '../../../owners.ts'
import { ACCOUNTS, consentPath, create, requireConsentId } from '../consents/consent-requests.ts'
import { requireDenied, wrongVisit } from './visits.ts'

const purpose = 'to be denied'

/** Options of the checks about the denial. */
export const DENIED = { uses: [everything], denial: purpose }

interface Denial {
  visit: Visit
  consentId: string
  creation: Exchange
  query: Exchange
}

const DENYING = { decision: 'deny', state: SPECIAL_STATE, correct: true } as const

/** The one denial of a run, with a consent of its own, which is queried afterwards. */
export const denied = sharedFixture([everything], async (context): Promise<Denial> => {
  const client = await context.caller()
  const creation = await create(client, ACCOUNTS)
  relyOn(OWNERS.consent, creation).toSucceed()
  const id = requireConsentId(creation)
  const visit = await wrongVisit(context, { purpose, ...DENYING, consentId: id })
  requireDenied(visit)
  const { consentId } = visit.request
  // Whether a denied consent still exists is open.
  const query = await client.get(consentPath(consentId), { deviation: 'its consent was denied' })
  return { visit, consentId, creation, query }
})

/** Another denial with another consent, where the first one met trouble of the bank. */
export const deniedOnceMore = (context: Context<typeof everything>): Promise<Visit> =>
  wrongVisit(context, { purpose, ...DENYING })

/** The creation of the denied consent, and its query. Not applicable where the query is refused. */
export async function deniedAndQueried(context: Context<typeof everything>): Promise<Denial> {
  const denial = await denied(context)
  // What happens to a denied consent is open.
  if (refused(denial.query)) throw new NotApplicable('a denied consent is not there any more')
  return denial
}
