import { setTimeout as wait } from 'node:timers/promises'
import { once } from '../../engine/journey/once.ts'
import { OWNERS, taken } from '../../engine/journey/steps.ts'
import { tokensOf } from '../../engine/journey/tokens.ts'
import { relyOn } from '../../engine/judge/expect.ts'
import { lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { consentPath, newConsentId } from './consent-requests.ts'

/** Seconds that are worth waiting for an access token to expire. */
const WAITABLE = 60

/** An access token of the client_credentials grant that queried a consent, and has expired since. */
export const expiredManagementToken = once(async ({ caller, steps, fact, target }) => {
  const client = await caller()
  const path = consentPath(await newConsentId(client))
  const { accounts: scope } = client.tpp.client.scopes
  const grant = await client.tpp.token({ grant_type: 'client_credentials', scope })
  relyOn(OWNERS.management, grant)
  const { accessToken, expiresAt } = tokensOf(grant) ?? lacking('an access token of its own')
  if (accessToken === taken(await steps.management())) {
    throw new NotApplicable('the bank issues one access token for all until it expires')
  }
  relyOn(OWNERS.query, await client.get(path, { bearer: accessToken }))
  const left = expiresAt - Date.now()
  const soon = left <= WAITABLE * 1000 && !target.document.hooks?.['token-expired']
  if (soon) await wait(left + target.clockTolerance * 1000)
  else await fact('token-expired', { accessToken })
  return accessToken
})
