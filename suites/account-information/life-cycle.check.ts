import { type Context, check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { answerOf, refused, succeeded } from '../../engine/judge/matchers.ts'
import { Blocked, lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { member } from '../../engine/judge/rows.ts'
import { brief } from '../../engine/judge/schemas.ts'
import { expired, type Outlived, outOfDate, revoked } from '../endings.ts'
import { consentPath } from './consent-requests.ts'
import { expectNoData, relyOnDeletion, statusOf } from './ended-consents.ts'
import { secondsOf } from './instants.ts'

/**
 * What becomes of a consent: revoked, expired, not re-confirmed.
 * Requirements: specs/account-information/life-cycle.yaml
 */

/** The refresh token brings back no data that the access token does not get any more. */
function expectNoLateData(ended: Outlived, owner: string, { observe }: Context): void {
  const { late, requests, after } = ended
  if (!late) throw new NotApplicable('the bank issues no refresh token, or does not use it')
  const served = after.requests.find(
    ({ answer }, index) => !refused(answer) && succeeded(requests[index]?.answer ?? answer),
  )
  if (served) {
    throw new Blocked({ kind: 'check', id: owner }, 'data is served anyway', served.answer)
  }
  observe('refresh_token grant afterwards', answerOf(late.grant), late.grant)
  if (late.data) expect(late.data).toBeRefused()
  else expect(late.grant).toGiveNoToken()
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
    const [old, now] = [query, after.query].map((x) =>
      member(x.response?.json, 'Data', 'StatusUpdateDateTime'),
    )
    const [before, moved] = [secondsOf(old), secondsOf(now)]
    if (before === undefined || moved === undefined) {
      const id = now === undefined ? 'CONS-30/status-update-date-time' : 'CONS-07/date-time'
      throw new Blocked({ kind: 'check', id }, 'there is no StatusUpdateDateTime', after.query)
    }
    // A date-time to the second stands still for a second.
    const approvedAt = Date.parse(approval.visit.last?.startedAt ?? '')
    const exact = typeof now === 'string' && /\.\d*[1-9]/.test(now)
    if (now === old && !exact && !(at - approvedAt > 2000)) {
      lacking('two seconds between approval and revocation')
    }
    const earliest = Math.floor(at / 1000) - context.target.clockTolerance
    expectThat(now !== old && moved >= before && moved >= earliest, {
      message: 'StatusUpdateDateTime is not the time of the revocation',
      expected: `${new Date(at).toISOString()}, give or take ${context.target.clockTolerance} s`,
      actual: `${brief(now)}, before it ${brief(old)}`,
      exchange: after.query,
      place: '/Data/StatusUpdateDateTime',
    })
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
