import type { Context } from '../../../../engine/suite-api/check.ts'
import { fundsConfirmationBody } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { type CallDeviation, requireValue, tokensOf } from '../../../../engine/suite-api/flow.ts'
import { blockForFreedom, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import { percentEncoded } from '../../../../engine/suite-api/responses.ts'
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
 * Requests with a token of the client_credentials grant, and the same at once when it has expired. No other
 * grant comes between: where a bank keeps the newest token alone (AMB-43) it would be refused for that.
 */

/**
 * A query, a creation and a deletion around the expiry; `own`: the consent, queried with a living token. It is
 * the newest one: an older one need not wait any more.
 */
export const aroundExpiry = sharedFixture([], async (context) => {
  const client = await context.caller()
  // Not a request like the next one: CONS-03/unique speaks of a bank that takes the two for one.
  const gone = consentPath(await createConsent(client, ACCOUNTS))
  let kept = gone
  const tried = await triedTwice(context, false, async (told, isExpired) => {
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
  })
  return { ...tried, own: await client.get(kept) }
})

const FUNDS = '/funds-confirmation-consents'

/**
 * The same of funds confirmation consents; the one that is left is made last, as a newer one for a card may
 * take the place of an older. `own`: its deletion with a living token.
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

/** What a request came to, for whoever asks: an outage of deletions says nothing of creations. */
async function ended<T>(request: Promise<T>): Promise<() => Promise<T>> {
  await request.catch(() => {})
  return () => request
}

/** Tries something with a new token, and again once it has expired. */
async function triedTwice<T>(
  { caller, steps, hook }: Context,
  forFunds: boolean,
  attempt: (told: CallDeviation, isExpired: boolean) => Promise<T>,
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
  await hook('token-expired', { accessToken }, expiresAt)
  const told = { bearer: accessToken, deviation: 'an expired access token' }
  return { before, after: await attempt(told, true) }
}
