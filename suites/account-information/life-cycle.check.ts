import { randomBytes, randomUUID } from 'node:crypto'
import type { CallDeviation } from '../../engine/journey/caller.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { OWNERS, taken } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { answerOf, refused, succeeded } from '../../engine/judge/matchers.ts'
import { Blocked, lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { member } from '../../engine/judge/rows.ts'
import { brief } from '../../engine/judge/schemas.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { deleted, type Ended, expired, type Outlived, outOfDate, revoked } from '../endings.ts'
import { consentIdOf, consentPath, create, newConsentId } from './consent-requests.ts'
import { expiredManagementToken } from './expired-token.ts'
import { secondsOf } from './instants.ts'

/**
 * What becomes of a consent: deleted, revoked, expired, not re-confirmed.
 * Requirements: specs/account-information/life-cycle.yaml
 */

/** Deletion of a consent that nobody has authorised, and queries around it. */
const awaitingDeleted = once(async ({ caller }) => {
  const client = await caller()
  const id = await newConsentId(client)
  const before = await client.get(consentPath(id))
  const deletion = await client.delete(consentPath(id))
  const after = await client.get(consentPath(id), { deviation: 'the consent was deleted' })
  const again = await client.delete(consentPath(id), { deviation: 'the consent was deleted' })
  return { id, before, deletion, after, again }
})

/** Ends the check as blocked where the deletion of a consent that nobody authorised isn't a 204. */
async function relyOnDeletion(context: Context): Promise<void> {
  const { deletion } = await awaitingDeleted(context)
  if (deletion.response?.status === 204) return
  const why = `DELETE of a new consent answered ${answerOf(deletion)}`
  throw new Blocked({ kind: 'check', id: OWNERS.deletion }, why, deletion)
}

/** Each data request that succeeded before is refused now. */
function expectNoData({ requests, after }: Ended, { observe }: Context): void {
  const good = requests.flatMap(({ path, answer }, index) => {
    const now = after.requests[index]?.answer
    return now && succeeded(answer) ? [{ path, now }] : []
  })
  const [first] = requests
  if (good.length === 0 && first) relyOn(OWNERS.accounts, first.answer)
  for (const { path, now } of good) {
    observe(`GET ${path.replace(/\/accounts\/[^/]+/, '/accounts/{AccountId}')}`, answerOf(now), now)
  }
  for (const { now } of good) expect(now).toBeRefused()
}

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
  'CLC-01/awaiting',
  'DELETE of a consent that nobody has authorised answers 204',
  {},
  async (context) => {
    expect((await awaitingDeleted(context)).deletion).toHaveStatus(204)
  },
)

check(
  'CLC-01/authorised',
  'DELETE of a consent that the customer has authorised answers 204',
  { uses: ['debits in a period'], spends: 'debits in a period' },
  async (context) => {
    await relyOnDeletion(context)
    expect((await deleted(context)).deletion).toHaveStatus(204)
  },
)

check(
  'CLC-03/query-refused',
  'A consent that the TPP deleted cannot be queried any more',
  { uses: ['debits in a period'], spends: 'debits in a period' },
  async (context) => {
    const awaiting = await awaitingDeleted(context)
    relyOn(OWNERS.query, awaiting.before)
    relyOn(OWNERS.deletion, awaiting.deletion)
    context.observe('query of a deleted consent', answerOf(awaiting.after), awaiting.after)
    expect(awaiting.after).toBeAnError()
    const { approval, deletion, query, after } = await deleted(context)
    relyOn(OWNERS.query, query)
    relyOn('CLC-01/authorised', deletion)
    expect(after.query).toBeAnError()
    const deviation = 'its consent was deleted before'
    for (const id of [awaiting.id, approval.consentId]) {
      expect(await approval.get(consentPath(id), { deviation })).toBeAnError()
    }
  },
)

check(
  'CLC-04/data-refused',
  'After the TPP deleted a consent, its access token gets no data',
  { uses: ['debits in a period'], spends: 'debits in a period' },
  async (context) => {
    const ended = await deleted(context)
    relyOn('CLC-01/authorised', ended.deletion)
    expectNoData(ended, context)
  },
)

check('CLC-06/recorded', 'What a second DELETE of a consent gives', {}, async (context) => {
  const { deletion, again } = await awaitingDeleted(context)
  relyOn(OWNERS.deletion, deletion)
  context.observe('DELETE of a deleted consent', answerOf(again), again)
})

/** Deletions of one consent with a missing or wrong Authorization, and what became of it. */
const unauthorised = once(async (context) => {
  const { caller, steps } = context
  const client = await caller()
  const path = consentPath(await newConsentId(client))
  const before = await client.get(path)
  const attempt = (deviation: CallDeviation) => client.delete(path, deviation)
  const without = await attempt({ bearer: null, deviation: 'no Authorization header' })
  const bearer = randomBytes(32).toString('base64url')
  const unknown = await attempt({ bearer, deviation: 'an unknown access token' })
  const token = taken(await steps.management())
  const basic = await attempt({
    bearer: null,
    headers: { Authorization: `Basic ${token}` },
    deviation: 'the access token under the scheme Basic',
  })
  const after = await client.get(path)
  const deletion = await client.delete(path)
  return { before, without, unknown, basic, after, deletion }
})

check(
  'CLC-07/without-authorization',
  'DELETE of a consent without Authorization header answers 401',
  {},
  async (context) => {
    const { before, without } = await unauthorised(context)
    relyOn(OWNERS.query, before)
    expect(without).toHaveStatus(401)
  },
)

check(
  'CLC-07/invalid-token',
  'DELETE of a consent with an invalid Authorization header answers 401',
  {},
  async (context) => {
    const { before, unknown, basic } = await unauthorised(context)
    relyOn(OWNERS.query, before)
    expect(unknown).toHaveStatus(401)
    expect(basic).toHaveStatus(401)
  },
)

check(
  'CLC-07/expired-token',
  'DELETE of a consent with an expired access token answers 401, and deletes nothing',
  {},
  async (context) => {
    const client = await context.caller()
    const path = consentPath(await newConsentId(client))
    const bearer = await expiredManagementToken(context)
    relyOn(OWNERS.query, await client.get(path))

    const deviation = 'an expired access token'
    const answer = await client.delete(path, { bearer, deviation })

    expect(answer).toHaveStatus(401)
    expect(await client.get(path)).toSucceed()
  },
)

check(
  'CLC-07/nothing-deleted',
  'A consent survives a DELETE with a missing or invalid Authorization header',
  {},
  async (context) => {
    const { before, without, unknown, basic, after, deletion } = await unauthorised(context)
    relyOn(OWNERS.query, before)
    const attempts = [
      { id: 'CLC-07/without-authorization', answer: without },
      { id: 'CLC-07/invalid-token', answer: unknown },
      { id: 'CLC-07/invalid-token', answer: basic },
    ]
    for (const { id, answer } of attempts) {
      if (refused(answer)) continue
      throw new Blocked({ kind: 'check', id }, 'the attempt was not refused', answer)
    }
    expect(after).toSucceed()
    relyOn(OWNERS.deletion, deletion)
  },
)

/** The second client's attempt to delete a consent of the first, and what became of it. */
const deletedByAnother = once(async ({ caller, tpp }) => {
  tpp('second')
  const owner = await caller()
  const path = consentPath(await newConsentId(owner))
  const before = await owner.get(path)
  const other = await caller('second')
  const own = await create(other)
  relyOn(OWNERS.consent, own)
  const ownQuery = await other.get(consentPath(consentIdOf(own)))
  const attempt = await other.delete(path, { deviation: 'a consent of another client' })
  const after = await owner.get(path)
  return { before, ownQuery, attempt, after }
})

check(
  'CLC-08/refused',
  'DELETE of a consent that another client owns is refused',
  {},
  async (context) => {
    const { before, ownQuery, attempt } = await deletedByAnother(context)
    relyOn(OWNERS.query, before)
    relyOn(OWNERS.query, ownQuery)
    expect(attempt).toBeAnError()
  },
)

/** Ends the check as blocked where the second client was not refused. */
function relyOnRefusal(attempt: Exchange): void {
  if ((attempt.response?.status ?? 0) >= 400) return
  throw new Blocked({ kind: 'check', id: 'CLC-08/refused' }, 'it was not refused', attempt)
}

check('CLC-08/survives', 'A consent survives the DELETE of another client', {}, async (context) => {
  const { before, attempt, after } = await deletedByAnother(context)
  relyOn(OWNERS.query, before)
  relyOnRefusal(attempt)
  expect(after).toSucceed()
  expect(after).toHaveMember('Data.Status', statusOf(before))
})

check(
  'CLC-22/with-403',
  'The refusal to delete another client’s consent has status 403',
  {},
  async (context) => {
    const { before, ownQuery, attempt } = await deletedByAnother(context)
    relyOn(OWNERS.query, before)
    relyOn(OWNERS.query, ownQuery)
    relyOnRefusal(attempt)
    expect(attempt).toHaveStatus(403)
  },
)

check(
  'CLC-09/invalid-id',
  'DELETE of an invalid ConsentId gives an error response',
  {},
  async (context) => {
    relyOn(OWNERS.deletion, (await awaitingDeleted(context)).deletion)
    const client = await context.caller()
    for (const id of [randomUUID(), 'x', 'x'.repeat(200)]) {
      const deviation = `ConsentId of nothing, ${id.length} characters`
      expect(await client.delete(consentPath(id), { deviation })).toBeAnError()
    }
  },
)

const statusOf = (query: Exchange) => member(query.response?.json, 'Data', 'Status')

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

check(
  'CLC-19/others-untouched',
  'Deleting one consent leaves another of the same client and customer as it was',
  { uses: ['everything', 'debits in a period'], spends: 'debits in a period' },
  async (context) => {
    const { deletion, others } = await deleted(context)
    relyOn(OWNERS.query, others.before.query)
    relyOn(OWNERS.accounts, others.before.accounts)
    relyOn('CLC-01/authorised', deletion)
    expect(others.after.query).toSucceed()
    expect(others.after.query).toHaveMember('Data.Status', statusOf(others.before.query))
    expect(others.after.accounts).toSucceed()
  },
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
