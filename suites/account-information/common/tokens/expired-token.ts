import type { Context } from '../../../../engine/suite-api/check.ts'
import { fundsConfirmationBody } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { type CallDeviation, requireValue, tokensOf } from '../../../../engine/suite-api/flow.ts'
import { blockForFreedom, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import { percentEncoded, refused } from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { OWNERS } from '../../../owners.ts'
import {
  ACCOUNTS,
  CONSENTS,
  consentBody,
  consentPath,
  createConsent,
  requireConsentId,
} from '../consents/consent-requests.ts'

/*
 * Requests with a client_credentials token, and the same right after it has expired. No other grant comes
 * in between: if a bank keeps only the newest token (AMB-43), the first would be refused for that reason.
 */

/**
 * A query, a creation and a deletion before and after the expiry; `own`: the consent, queried with
 * a valid token. It is the newest one, since an older one need not still await authorisation.
 */
export const aroundExpiry = sharedFixture([], async (context) => {
  const client = await context.caller()
  // Different from the next request: a bank may treat equal ones as one, which CONS-03/unique judges.
  const gone = consentPath(await createConsent(client, ACCOUNTS))
  let kept = gone
  const isRefused = async (told: CallDeviation) => refused(await client.get(kept, told))
  const attempt = async (told: CallDeviation, isExpired: boolean) => {
    const create = () => client.post(CONSENTS, consentBody(), told)
    const remove = () => ended(client.delete(kept, told))
    if (isExpired) {
      return {
        query: await client.get(kept, told),
        deletion: await remove(),
        creation: await create(),
      }
    }
    const deletion = await remove()
    const creation = await create()
    relyOn(OWNERS.consent, creation).toSucceed()
    kept = consentPath(requireConsentId(creation))
    return { query: await client.get(kept, told), deletion, creation }
  }
  const tried = await triedTwice(context, false, attempt, isRefused)
  return { ...tried, own: await client.get(kept) }
})

const FUNDS = '/funds-confirmation-consents'

/**
 * The same for funds confirmation consents. The remaining one is created last, since a
 * newer one for a card may replace an older one. `own`: its deletion with a valid token.
 */
export const fundsAroundExpiry = sharedFixture([], async (context) => {
  requireValue(await context.steps.fundsConfirmation())
  const client = await context.caller()
  const body = fundsConfirmationBody(context.target, client.funds().scheme)
  const create = (told: CallDeviation) => client.post(FUNDS, body, told)
  const able = await ended(context.steps.fundsDeletion())
  const deletionOf = async (created: Exchange, told?: CallDeviation) => {
    const { value } = await able()
    if (value === undefined) blockForFreedom('a funds confirmation consent to delete')
    relyOn(OWNERS.fundsConfirmation, created).toSucceed()
    const id = requireConsentId(created, 'FCC-07/consent-id')
    return client.delete(`${FUNDS}/${percentEncoded(id)}`, told)
  }
  let left: Exchange | undefined
  const tried = await triedTwice(context, true, async (told) => {
    const deletion = await ended(deletionOf(left ?? (await create(told)), told))
    const creation = await create(told)
    left ??= creation
    return { creation, deletion }
  })
  return { ...tried, own: await ended(deletionOf(left ?? tried.before.creation)) }
})

/** Keeps the result of a request, or its failure, for later: a failed deletion does not affect creations. */
async function ended<T>(request: Promise<T>): Promise<() => Promise<T>> {
  await request.catch(() => {})
  return () => request
}

/**
 * Tries something with a new token, and again once it has expired.
 *
 * @param isRefused Does the bank refuse the token by now?
 */
async function triedTwice<T>(
  { caller, steps, hook }: Context,
  forFunds: boolean,
  attempt: (told: CallDeviation, isExpired: boolean) => Promise<T>,
  isRefused?: (told: CallDeviation) => Promise<boolean>,
): Promise<{ before: T; after: T }> {
  const { tpp } = await caller()
  const { accounts, fundsConfirmation } = tpp.client.scopes
  const scope = forFunds ? fundsConfirmation : accounts
  const own = requireValue(await steps.management('first', forFunds))
  const grant = await tpp.token({ grant_type: 'client_credentials', scope })
  relyOn(OWNERS.management, grant).toSucceed()
  const { accessToken, expiresAt } =
    tokensOf(grant) ?? blockForFreedom('an access token of its own')
  if (accessToken === own) {
    throw new NotApplicable('the bank issues one access token for all until it expires')
  }
  const before = await attempt({ bearer: accessToken }, false)
  const told = { bearer: accessToken, deviation: 'an expired access token' }
  await hook('token-expired', { accessToken }, expiresAt, isRefused && (() => isRefused(told)))
  return { before, after: await attempt(told, true) }
}
