import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { blockBy, blockForFreedom, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { answerOf, refused, succeeded } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { expectOthersUntouched } from '../../bystanders.ts'
import {
  accountsOnly,
  codeOfAnotherClient,
  everything,
  reconfirmed,
  secondCustomer,
} from '../../consents.ts'
import { expired, expiredWhole, ONE_AGAIN, type Outlived, outOfDate } from '../../ended-consents.ts'
import { OWNERS } from '../../owners.ts'
import {
  expectSameCreation,
  expectSameTerms,
  TERMS,
} from '../common/consents/consent-comparisons.ts'
import { statusOf } from '../common/consents/consent-requests.ts'
import {
  attackedByAnother,
  deletedWhereThere,
  expectNoData,
  FORBIDDEN,
  relyOnDeletion,
} from '../common/consents/deleted-consents.ts'
import { approvedBefore, expectNoAccounts } from '../common/visits/visits.ts'

/**
 * Consents that expire, or that nobody re-confirms for ninety
 * days. Requirements: specs/account-information/life-cycle.yaml
 */

/** Options of the checks about the expiry of “accounts only”. */
const EXPIRED = {
  uses: [accountsOnly],
  spends: accountsOnly,
  needs: ['hooks.consent-expired'],
} as const

const OUT_OF_DATE = {
  uses: [secondCustomer],
  spends: secondCustomer,
  needs: ['hooks.ninety-days-passed'],
} as const

/** Ends the check as blocked where the earlier access token still gets data. */
function relyOnNoData({ requests, after }: Outlived, owner: string): void {
  const served = after.requests.find(
    ({ answer }, index) => !refused(answer) && succeeded(requests[index]?.answer ?? answer),
  )
  if (!served) return
  blockBy(owner, 'data is served anyway', served.answer)
}

/** Expects that the refresh token gives no data that the access token no longer gets. */
function expectNoLateData(ended: Outlived, owner: string, { observe }: Context): void {
  const { late } = ended
  if (!late) throw new NotApplicable('the bank issues no refresh token, or does not use it')
  relyOnNoData(ended, owner)
  if (ended.refreshed) relyOn(OWNERS.refresh, ended.refreshed).toSucceed()
  observe('refresh_token grant afterwards', answerOf(late.grant), late.grant)
  for (const answer of late.data) expect(answer).toBeRefused()
  if (late.data.length === 0) expect(late.grant).toGiveNoToken()
  // A refused grant must not restore anything.
  if (late.still) expect(late.still).toBeRefused()
}

/**
 * Consent with an ExpirationDateTime; hook consent-expired, or waiting where the
 * expiry is near; data is refused. Not judged within the clock tolerance of that time.
 */
check(
  'CLC-16/data-refused',
  'After its ExpirationDateTime a consent gives no data',
  EXPIRED,
  async (context) => expectNoData(await expired(context), context),
)

check(
  'CLC-16/every-endpoint',
  'After its ExpirationDateTime a consent gives no data at any endpoint, also where it was re-confirmed',
  {
    uses: [everything, reconfirmed, codeOfAnotherClient],
    spends: codeOfAnotherClient,
    grants: [ONE_AGAIN],
    follows: ['CLC-16/data-refused'],
    needs: ['hooks.consent-expired'],
  },
  async (context) => expectNoData(await expiredWhole(context), context),
)

/**
 * The refresh token afterwards: if it gives an access token, a data request with that is refused.
 * Not applicable without a refresh token; blocked by CLC-16/data-refused where that fails.
 */
check(
  'CLC-16/refresh-gives-no-data',
  'After its ExpirationDateTime a consent gives no data by its refresh token either',
  EXPIRED,
  async (context) => expectNoLateData(await expired(context), 'CLC-16/data-refused', context),
)

check(
  'CLC-16/not-revived',
  'A consent whose ExpirationDateTime has passed is not brought back by authorising it again',
  {
    uses: [everything, reconfirmed, accountsOnly],
    spends: accountsOnly,
    refusals: 1,
    needs: ['hooks.consent-expired'],
  },
  async (context) => {
    const ended = await expired(context)
    await approvedBefore(context, reconfirmed)
    relyOnNoData(ended, 'CLC-16/data-refused')
    const { consentId } = ended.approval
    const purpose = 'a consent that has expired'
    const visit = await context.visit({ purpose, consentId })
    await expectNoAccounts(await context.caller(), visit, purpose)
  },
)

check('CLC-17/recorded', 'What the query of an expired consent shows', EXPIRED, async (context) => {
  const { query } = (await expired(context)).after
  context.observe('query of an expired consent', answerOf(query), query)
  context.observe('Status of an expired consent', statusOf(query) ?? 'none', query)
})

/** The query before and after. Not applicable where the later one is refused: what it shows then is open. */
function aroundExpiry({ query, after }: Outlived) {
  if (refused(after.query)) throw new NotApplicable('an expired consent is not there any more')
  relyOn('CONS-22/after-approval', query).toSucceed()
  relyOn(OWNERS.query, after.query).toSucceed()
  return { before: query, after: after.query }
}

check(
  'CONS-22/after-expiry',
  'The query of an expired consent, where it is answered, shows when it was created',
  { ...EXPIRED, follows: ['CONS-22/after-approval'] },
  async (context) => {
    const { before, after } = aroundExpiry(await expired(context))
    expectSameCreation({ creation: before, query: after })
  },
)

check(
  'CLC-23/expired',
  'Expiry leaves permissions and transaction period of a consent as they were',
  { ...EXPIRED, follows: ['CONS-22/after-approval'] },
  async (context) => {
    const { before, after } = aroundExpiry(await expired(context))
    expectSameTerms(before, after, TERMS, 'its expiry')
  },
)

/**
 * Hook ninety-days-passed on an authorised consent; data is refused.
 * Whether re-confirming restores the data is judged by AUTHZ-32.
 */
check(
  'CLC-18/data-refused',
  'Without re-confirmation a consent gives no data after ninety days',
  OUT_OF_DATE,
  async (context) => expectNoData(await outOfDate(context), context),
)

check(
  'CLC-18/refresh-gives-no-data',
  'After ninety days without re-confirmation its refresh token gives no data either',
  OUT_OF_DATE,
  async (context) => expectNoLateData(await outOfDate(context), 'CLC-18/data-refused', context),
)

/** The expired consent. Another client tries to read and to delete it before its own client deletes it. */
const expiredAttacked = sharedFixture([accountsOnly], async (context) => {
  const { approval, after } = await expired(context)
  if (refused(after.query)) throw new NotApplicable('an expired consent is not there any more')
  return attackedByAnother(context, approval.consentId, 'has expired')
})

const expiredDeleted = sharedFixture([accountsOnly], async (context) => {
  const { consentId } = (await expired(context)).approval
  await expiredAttacked(context).catch(() => undefined)
  return deletedWhereThere(context, consentId, 'its consent has expired')
})

/** The approvals of the same customer that this client and the other have at that point of the run. */
check(
  'CLC-19/not-by-expiry',
  'The expiry of one consent leaves other consents of the same customer as they were',
  { ...EXPIRED, follows: ['CLC-19/others-untouched', 'CLC-19/not-by-revocation'] },
  async (context) => {
    const { others } = await expired(context)
    if (others.length === 0)
      blockForFreedom('a second approved consent, beside the one that expires')
    expectOthersUntouched(others)
  },
)

const EXPIRED_OF_ANOTHER = {
  ...EXPIRED,
  needs: ['clients.second', ...EXPIRED.needs],
} as const

check(
  'SEC-05/expired',
  'A client cannot query a consent of another client that has expired',
  { ...EXPIRED_OF_ANOTHER, follows: ['SEC-05/other-client', 'SEC-05/authorised'] },
  async (context: Context<typeof accountsOnly>) =>
    expect((await expiredAttacked(context)).read).toBeRefused(),
)

check(
  'CLC-08/expired',
  'DELETE of a consent of another client that has expired is refused',
  { ...EXPIRED_OF_ANOTHER, follows: ['CLC-08/refused', 'CLC-08/survives', 'CLC-08/authorised'] },
  async (context: Context<typeof accountsOnly>) => {
    await relyOnDeletion(context)
    expect((await expiredAttacked(context)).deletion).toBeAnError()
  },
)

/**
 * The last use of that consent. Not applicable where its query is refused: what happens
 * to an expired consent is open, and one that does not exist cannot be deleted.
 */
check(
  'CLC-01/expired',
  'DELETE of a consent that has expired, and that the TPP can query, answers 204',
  { ...EXPIRED, follows: ['CLC-01/authorised'] },
  async (context) => {
    await relyOnDeletion(context)
    const { deletion } = await expiredDeleted(context)
    expect(deletion).toHaveStatus(204)
  },
)

check(
  'CLC-03/expired',
  'A consent that expired and that the TPP then deleted cannot be queried any more',
  { ...EXPIRED, follows: ['CLC-03/query-refused'] },
  async (context) => {
    const { deletion, query } = await expiredDeleted(context)
    relyOn('CLC-01/expired', deletion).toSucceed()
    expect(query).toBeAnError()
  },
)

/** Not applicable where its own client cannot query it afterwards: what is not there belongs to nobody. */
check(
  'CLC-22/expired',
  'The refusal to delete a consent of another client that has expired has status 403, too',
  {
    ...EXPIRED_OF_ANOTHER,
    follows: [...FORBIDDEN, 'CLC-22/denied', 'CLC-22/revoked'],
  },
  async (context: Context<typeof accountsOnly>) => {
    const { deletion } = await expiredAttacked(context)
    relyOn('CLC-08/expired', deletion).toBeAnError()
    relyOn('CLC-01/expired', (await expiredDeleted(context)).deletion).toSucceed()
    expect(deletion).toHaveStatus(403)
  },
)
