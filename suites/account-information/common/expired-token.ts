import { fundsConfirmationBody } from '../../../engine/journey/consent.ts'
import type { Context } from '../../../engine/journey/context.ts'
import { once } from '../../../engine/journey/once.ts'
import { OWNERS, taken } from '../../../engine/journey/steps.ts'
import { tokensOf } from '../../../engine/journey/tokens.ts'
import { relyOn } from '../../../engine/judge/expect.ts'
import { lacking, NotApplicable } from '../../../engine/judge/outcome.ts'
import { consentPath, newConsentId } from './consent-requests.ts'

/** An access token of the client_credentials grant that queried a consent, and has expired since. */
export const expiredManagementToken = once(async (context) => {
  const client = await context.caller()
  const path = consentPath(await newConsentId(client))
  return expired(context, false, async (bearer) => {
    relyOn(OWNERS.query, await client.get(path, { bearer }))
  })
})

/** The same of one that created a funds confirmation consent. */
export const expiredFundsToken = once(async (context) => {
  taken(await context.steps.fundsConfirmation())
  const client = await context.caller()
  return expired(context, true, async (bearer) => {
    const body = fundsConfirmationBody(context.target, client.funds().scheme)
    const control = await client.post('/funds-confirmation-consents', body, { bearer })
    relyOn(OWNERS.fundsConfirmation, control)
  })
})

async function expired(
  { caller, steps, fact }: Context,
  forFunds: boolean,
  use: (bearer: string) => Promise<void>,
): Promise<string> {
  const { tpp } = await caller()
  const { accounts, fundsConfirmation } = tpp.client.scopes
  const scope = forFunds ? fundsConfirmation : accounts
  const grant = await tpp.token({ grant_type: 'client_credentials', scope })
  relyOn(OWNERS.management, grant)
  const { accessToken, expiresAt } = tokensOf(grant) ?? lacking('an access token of its own')
  if (accessToken === taken(await steps.management('first', forFunds))) {
    throw new NotApplicable('the bank issues one access token for all until it expires')
  }
  await use(accessToken)
  await fact('token-expired', { accessToken }, expiresAt)
  return accessToken
}
