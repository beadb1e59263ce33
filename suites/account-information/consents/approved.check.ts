import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { Approval, NamedConsent } from '../../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireExchange } from '../../../engine/suite-api/flow.ts'
import {
  Blocked,
  blockBy,
  Nonconformance,
  NotApplicable,
} from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, succeeded } from '../../../engine/suite-api/responses.ts'
import {
  accountsOnly,
  basicCredits,
  debitsInPeriod,
  everything,
  OF_EVERYBODY,
  reconfirmed,
  secondClient,
  secondCustomer,
} from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import {
  changedSince,
  expectSameCreation,
  newlyQueried,
} from '../common/consents/consent-comparisons.ts'
import { consentPath, statusOf } from '../common/consents/consent-requests.ts'
import {
  expectMoved,
  expectUntouchedBy,
  expectUntouchedByRefusals,
} from '../common/consents/status-updates.ts'
import { goOnRefreshed } from '../common/tokens/refreshed-access.ts'
import { DENIED, deniedAndQueried } from '../common/visits/denial.ts'

/**
 * GET /account-access-consents/{ConsentId} after a customer has
 * approved it. Requirements: specs/account-information/consents.yaml
 */

/** The creation of an approved consent, and a query after its approval. */
async function aroundApproval<Used extends NamedConsent>(
  { approved, steps }: Context<Used>,
  consent: Used,
): Promise<{ approval: Approval; creation: Exchange; query: Exchange }> {
  const approval = await approved(consent)
  const creation = requireExchange(await steps.consent(consent))
  return { approval, creation, query: await approval.get(consentPath(approval.consentId)) }
}

/**
 * The same for consents that a customer has approved: one without dates,
 * one with a period, one with an expiry, one of the second client, one of
 * the second customer. Dates that were not requested are not compared.
 */
check(
  'CONS-22/after-approval',
  'The query of an approved consent shows it as it was created',
  { uses: [basicCredits, debitsInPeriod, accountsOnly, secondClient, secondCustomer] },
  async (context) => {
    const { clients, document } = context.target
    // Not the first one: it has been re-confirmed, and AUTHZ-17 judges what that changes.
    const consents = [
      ...[basicCredits, debitsInPeriod, accountsOnly],
      ...(clients.second ? [secondClient] : []),
      ...(document.customers.second ? [secondCustomer] : []),
    ]
    for (const consent of consents) {
      const { creation, query } = await aroundApproval(context, consent)
      if (!succeeded(query)) {
        relyOn(OWNERS.query, (await newlyQueried(context)).query).toSucceed()
        expect(query).toSucceed()
      }
      const finding = changedSince({ creation, query })
      if (!finding) continue
      const fresh = await newlyQueried(context)
      if (changedSince(fresh, ['Status'])) {
        blockBy('CONS-22/as-created', 'a new consent is shown differently too', fresh.query)
      }
      throw new Nonconformance({ ...finding, exchange: query })
    }
  },
)

/** Of the consent that was authorised twice. What else re-confirmation changes is judged by AUTHZ-17. */
check(
  'CONS-22/after-reconfirmation',
  'The query of a consent that was re-confirmed shows when it was created',
  { uses: [everything, reconfirmed], follows: ['CONS-22/after-approval'] },
  async (context) => {
    await context.approved(reconfirmed)
    const { creation, query } = await aroundApproval(context, everything)
    relyOn(OWNERS.query, query).toSucceed()
    expectSameCreation({ creation, query })
  },
)

/**
 * If Status after the approval differs from Status at creation, StatusUpdateDateTime has moved
 * to the time of the approval (clock tolerance). Blocked where its format is too coarse to tell.
 */
check(
  'CONS-29/after-approval',
  'Approval moves StatusUpdateDateTime where it changes Status',
  { uses: [everything], over: OF_EVERYBODY },
  async (context, consent) => {
    const { approval, creation, query } = await aroundApproval(context, consent)
    // The queries of all other consents are judged there.
    const owner = consent === everything ? OWNERS.query : 'CONS-22/after-approval'
    relyOn(owner, query).toSucceed()
    if (statusOf(query) === statusOf(creation)) return
    const at = Date.parse((approval.visit.first ?? creation).startedAt)
    expectMoved({ before: creation, after: query, at, since: creation }, context)
  },
)

/**
 * The second query is sent when a moved time would differ in the format that the bank uses. Not applicable
 * where access tokens expire so soon that the customer had to confirm again in between, which may move it.
 */
check(
  'CONS-29/not-by-reading',
  'Reading the data of a consent, and a refresh of its token, do not move its StatusUpdateDateTime',
  { uses: [everything], follows: ['CONS-29/not-by-query'] },
  async ({ approved, target }) => {
    const approval = await approved(everything)
    const { get, consentId, tokens } = approval
    const query = () => get(consentPath(consentId))
    await expectUntouchedBy('reading data or by a refresh', target, query, async () => {
      const { authorised } = await tokens()
      relyOn(OWNERS.accounts, await get('/accounts')).toSucceed()
      for (const read of ['/balances', '/transactions']) await get(read)
      // Whether a bank refreshes tokens is judged by others.
      await goOnRefreshed(approval).catch((error) => {
        if (!(error instanceof NotApplicable || error instanceof Blocked)) throw error
      })
      if ((await tokens()).authorised !== authorised) {
        throw new NotApplicable('the customer had to confirm the consent again meanwhile')
      }
    })
  },
)

/** Its deletion is not tried: where that were not refused, other checks would lose the consent. */
check(
  'CONS-29/refused-after-approval',
  'Queries that are refused do not move StatusUpdateDateTime of an approved consent',
  { uses: [everything], follows: ['CONS-29/not-by-query', 'CONS-29/not-by-refused'] },
  async ({ approved, caller, target }) => {
    const approval = await approved(everything)
    const other = target.clients.second && (await caller('second'))
    await expectUntouchedByRefusals(
      target,
      approval,
      approval.consentId,
      async (path, madeUp, foreign) => {
        relyOn('SEC-03/unknown-token', await approval.get(path, madeUp)).toBeRefused()
        if (other) relyOn('SEC-05/authorised', await other.get(path, foreign)).toBeRefused()
      },
    )
  },
)

/** On the visit of AUTHZ-21/denied. The rest of the query is judged by CLC-23/denied. */
check(
  'CONS-22/after-denial',
  'The query of a consent that the customer denied shows when it was created',
  { ...DENIED, follows: ['CONS-22/after-approval'] },
  async (context) => {
    const { creation, query } = await deniedAndQueried(context)
    relyOn(OWNERS.query, query).toSucceed()
    expectSameCreation({ creation, query })
  },
)

check(
  'CONS-29/after-denial',
  'Denial moves StatusUpdateDateTime where it changes Status',
  { ...DENIED, follows: ['CONS-29/after-approval'] },
  async (context) => {
    const { visit, creation, query } = await deniedAndQueried(context)
    relyOn(OWNERS.query, query).toSucceed()
    if (statusOf(query) === statusOf(creation)) return
    const at = Date.parse((visit.first ?? creation).startedAt)
    expectMoved({ before: creation, after: query, at, since: creation }, context)
  },
)
