import type { Context } from '../../../engine/suite-api/check.ts'
import { fundsConfirmationBody } from '../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../engine/suite-api/expect.ts'
import { requireValue, tokensOf } from '../../../engine/suite-api/flow.ts'
import { blockForData, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { OWNERS } from '../../owners.ts'
import { consentPath, createConsent } from './consent-requests.ts'

/** An access token of the client_credentials grant that queried a consent, and has expired since. */
export const expiredManagementToken = sharedFixture([], async (context) => {
  const client = await context.caller()
  const path = consentPath(await createConsent(client))
  return expired(context, false, async (bearer) => {
    relyOn(OWNERS.query, await client.get(path, { bearer })).toSucceed()
  })
})

/** The same of one that created a funds confirmation consent. */
export const expiredFundsToken = sharedFixture([], async (context) => {
  requireValue(await context.steps.fundsConfirmation())
  const client = await context.caller()
  return expired(context, true, async (bearer) => {
    const body = fundsConfirmationBody(context.target, client.funds().scheme)
    const control = await client.post('/funds-confirmation-consents', body, { bearer })
    relyOn(OWNERS.fundsConfirmation, control).toSucceed()
  })
})

async function expired(
  { caller, steps, hook }: Context,
  forFunds: boolean,
  use: (bearer: string) => Promise<void>,
): Promise<string> {
  const { tpp } = await caller()
  const { accounts, fundsConfirmation } = tpp.client.scopes
  const scope = forFunds ? fundsConfirmation : accounts
  const own = requireValue(await steps.management('first', forFunds))
  const grant = await tpp.token({ grant_type: 'client_credentials', scope })
  relyOn(OWNERS.management, grant).toSucceed()
  const { accessToken, expiresAt } = tokensOf(grant) ?? blockForData('an access token of its own')
  if (accessToken === own) {
    throw new NotApplicable('the bank issues one access token for all until it expires')
  }
  await use(accessToken)
  await hook('token-expired', { accessToken }, expiresAt)
  return accessToken
}
