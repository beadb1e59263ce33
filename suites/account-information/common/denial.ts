import type { Visit } from '../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { everything, SPECIAL_STATE } from '../../consents.ts'
import { ACCOUNTS, consentPath, createConsent } from './consent-requests.ts'
import { wrongVisit } from './visits.ts'

const purpose = 'to be denied'

/** Options of the checks that look at the denial. */
export const DENIED = { uses: [everything], denial: purpose }

/** The one denial of a run, with a consent of its own, which is queried afterwards. */
export const denied = sharedFixture(
  [everything],
  async (context): Promise<{ visit: Visit; consentId: string; query: Exchange }> => {
    const client = await context.caller()
    const id = await createConsent(client, ACCOUNTS)
    const options = { decision: 'deny', consentId: id, state: SPECIAL_STATE } as const
    const visit = await wrongVisit(context, { purpose, ...options })
    const { consentId } = visit.request
    // Whether a consent that was denied is still there is open.
    const query = await client.get(consentPath(consentId), { deviation: 'its consent was denied' })
    return { visit, consentId, query }
  },
)
