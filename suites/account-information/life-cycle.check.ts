import { type Context, check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { answerOf, refused, succeeded } from '../../engine/judge/matchers.ts'
import { Blocked, lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { reconfirmed } from '../consents.ts'
import { expired, type Outlived, outOfDate, revoked } from '../endings.ts'
import { consentPath } from './common/consent-requests.ts'
import { expectNoData, relyOnDeletion, statusOf } from './common/ended-consents.ts'
import { expectMoved } from './common/status-updates.ts'
import { expectNoAccounts } from './common/visits.ts'

/**
 * What becomes of a consent: revoked, expired, not re-confirmed.
 * Requirements: specs/account-information/life-cycle.yaml
 */

/** Ends the check as blocked where data is served to the access token of before. */
function relyOnNoData({ requests, after }: Outlived, owner: string): void {
  const served = after.requests.find(
    ({ answer }, index) => !refused(answer) && succeeded(requests[index]?.answer ?? answer),
  )
  if (!served) return
  throw new Blocked({ kind: 'check', id: owner }, 'data is served anyway', served.answer)
}

/** The refresh token brings back no data that the access token does not get any more. */
function expectNoLateData(ended: Outlived, owner: string, { observe }: Context): void {
  const { late } = ended
  if (!late) throw new NotApplicable('the bank issues no refresh token, or does not use it')
  relyOnNoData(ended, owner)
  observe('refresh_token grant afterwards', answerOf(late.grant), late.grant)
  for (const answer of late.data) expect(answer).toBeRefused()
  if (late.data.length === 0) expect(late.grant).toGiveNoToken()
}

check(
  'CLC-10/sees-revoked',
  'After the customer revoked a consent, the TPP sees Status Revoked',
  { uses: ['basic credits'], spends: 'basic credits', needs: ['hooks.customer-revokes'] },
  async (context) => {
    const { query, after } = await revoked(context)
    relyOn(OWNERS.query, query)
    if (statusOf(query) === 'Revoked') lacking('a Status before the revocation that is another')
    // That a query answers 200 and no other success is CONS-22's.
    if (query.response?.status === 200) expect(after.query).toHaveStatus(200)
    expect(after.query).toSucceed()
    expect(after.query).toHaveMember('Data.Status', 'Revoked')
  },
)

check(
  'CLC-11/data-refused',
  'After the customer revoked a consent, its access token gets no data',
  { uses: ['basic credits'], spends: 'basic credits', needs: ['hooks.customer-revokes'] },
  async (context) => expectNoData(await revoked(context), context),
)

check(
  'CLC-12/status-update-moves',
  'Revocation moves StatusUpdateDateTime',
  { uses: ['basic credits'], spends: 'basic credits', needs: ['hooks.customer-revokes'] },
  async (context) => {
    const { approval, query, after, at } = await revoked(context)
    if (statusOf(after.query) !== 'Revoked') {
      const because = { kind: 'check', id: 'CLC-10/sees-revoked' } as const
      throw new Blocked(because, 'the consent is not seen as Revoked', after.query)
    }
    expectMoved({ before: query, after: after.query, at, since: approval.visit.last }, context)
  },
)

check(
  'CLC-16/data-refused',
  'After its ExpirationDateTime a consent gives no data',
  { uses: ['accounts only'], spends: 'accounts only', needs: ['hooks.consent-expired'] },
  async (context) => expectNoData(await expired(context), context),
)

check(
  'CLC-16/refresh-gives-no-data',
  'After its ExpirationDateTime a consent gives no data by its refresh token either',
  { uses: ['accounts only'], spends: 'accounts only', needs: ['hooks.consent-expired'] },
  async (context) => expectNoLateData(await expired(context), 'CLC-16/data-refused', context),
)

check(
  'CLC-16/not-revived',
  'A consent whose ExpirationDateTime has passed is not brought back by authorising it again',
  {
    uses: ['everything', 're-confirmed', 'accounts only'],
    spends: 'accounts only',
    refusals: 1,
    needs: ['hooks.consent-expired'],
  },
  async (context) => {
    const ended = await expired(context)
    await context.approved(reconfirmed)
    relyOnNoData(ended, 'CLC-16/data-refused')
    const { consentId } = ended.approval
    const purpose = 'a consent that has expired'
    const visit = await context.visit({ purpose, consentId })
    await expectNoAccounts(await context.caller(), visit, purpose)
  },
)

check(
  'CLC-17/recorded',
  'What the query of an expired consent shows',
  { uses: ['accounts only'], spends: 'accounts only', needs: ['hooks.consent-expired'] },
  async (context) => {
    const { query } = (await expired(context)).after
    context.observe('query of an expired consent', answerOf(query), query)
    context.observe('Status of an expired consent', statusOf(query) ?? 'none', query)
  },
)

check(
  'CLC-18/data-refused',
  'Without re-confirmation a consent gives no data after ninety days',
  { uses: ['second customer'], spends: 'second customer', needs: ['hooks.ninety-days-passed'] },
  async (context) => expectNoData(await outOfDate(context), context),
)

check(
  'CLC-18/refresh-gives-no-data',
  'After ninety days without re-confirmation its refresh token gives no data either',
  { uses: ['second customer'], spends: 'second customer', needs: ['hooks.ninety-days-passed'] },
  async (context) => expectNoLateData(await outOfDate(context), 'CLC-18/data-refused', context),
)

// The last thing done with that consent.
check(
  'CLC-01/revoked',
  'DELETE of a consent that the customer has revoked answers 204',
  { uses: ['basic credits'], spends: 'basic credits', needs: ['hooks.customer-revokes'] },
  async (context) => {
    await relyOnDeletion(context)
    const { approval, after } = await revoked(context)
    if (statusOf(after.query) !== 'Revoked') {
      const because = { kind: 'check', id: 'CLC-10/sees-revoked' } as const
      throw new Blocked(because, 'the consent is not seen as Revoked', after.query)
    }
    expect(await approval.delete(consentPath(approval.consentId))).toHaveStatus(204)
  },
)
