import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { everything } from '../../../consents.ts'
import { ACCOUNTS, createConsent } from '../consents/consent-requests.ts'
import { approvedBefore, inBoth } from './visits.ts'

const AT_ONCE = 'a consent whose code is sent twice at once'

/** Options of the checks about this visit. */
export const IN_OTHER_ORDER = { uses: [everything], grants: [AT_ONCE], last: true } as const

/** A visit whose request names the scopes in the other order; `again` repeats it in the usual order. */
export const inOtherOrder = sharedFixture([everything], async (context) => {
  await approvedBefore(context, everything)
  const client = await context.caller()
  const consentId = await createConsent(client, ACCOUNTS)
  const options = { purpose: AT_ONCE, consentId, correct: true }
  const deviation = inBoth({ scope: `${client.tpp.client.scopes.accounts} openid` })
  const visit = await context.visit({ ...options, deviation })
  return { client, visit, again: () => context.visit(options) }
})
