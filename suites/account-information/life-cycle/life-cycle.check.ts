import { setTimeout as wait } from 'node:timers/promises'
import { check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { untilTimeHasMoved } from '../../../engine/suite-api/flow.ts'
import { blockForData, blockForFreedom, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { refused } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { expectOthersUntouched } from '../../bystanders.ts'
import { basicCredits } from '../../consents.ts'
import { revoked } from '../../ended-consents.ts'
import { OWNERS } from '../../owners.ts'
import {
  expectSameCreation,
  expectSameTerms,
  TERMS,
} from '../common/consents/consent-comparisons.ts'
import { consentPath, createConsent, statusOf } from '../common/consents/consent-requests.ts'
import {
  deletedAndQueried,
  expectNoData,
  FORBIDDEN,
  relyOnDeletion,
} from '../common/consents/deleted-consents.ts'
import { REVOKED, revocationChecks } from '../common/consents/revocation-checks.ts'
import { expectMoved, expectUntouched, showSameUpdate } from '../common/consents/status-updates.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { settling } from '../common/visits/settling.ts'

/**
 * Consents that the customer revokes at the bank. Ends by time are in
 * expiry.check.ts. Requirements: specs/account-information/life-cycle.yaml
 */

revocationChecks(
  ['CLC-10/sees-revoked', 'After the customer revoked a consent, the TPP sees Status Revoked'],
  [
    'CLC-10/second-client',
    'After a customer revoked a consent with the second client, this client sees Status Revoked',
  ],
  ({ query, after, owners }) => {
    relyOn(owners.before, query).toSucceed()
    if (statusOf(query) === 'Revoked')
      blockForFreedom('a Status before the revocation that is not Revoked')
    // Whether a query answers 200 and not another 2xx is judged by CONS-22.
    expect(after.query).toSucceed()
    expect(after.query).toHaveMember('Data.Status', 'Revoked')
  },
)

revocationChecks(
  ['CLC-11/data-refused', 'After the customer revoked a consent, its access token gets no data'],
  [
    'CLC-11/second-client',
    'After a customer revoked a consent with the second client, its access token gets no data',
    { follows: ['CLC-11/re-confirmed'] },
  ],
  expectNoData,
)

/** The approvals of the same customer that this client and the other have at that point of the run. */
revocationChecks(
  [
    'CLC-19/not-by-revocation',
    'Revoking one consent leaves other consents of the same customer as they were',
    { follows: ['CLC-19/others-untouched'] },
  ],
  [
    'CLC-19/second-client',
    'Revoking a consent with the second client leaves the customer’s consents with the first as they were',
  ],
  ({ others }) => {
    if (others.length === 0)
      blockForFreedom('a second approved consent, beside the one that is revoked')
    expectOthersUntouched(others)
  },
)

/**
 * It is later after the revocation than before it, and not before the hook was
 * called (clock tolerance). Blocked by CLC-10/sees-revoked where that fails.
 */
revocationChecks(
  ['CLC-12/status-update-moves', 'Revocation moves StatusUpdateDateTime'],
  [
    'CLC-12/second-client',
    'Revocation moves StatusUpdateDateTime of a consent of the second client, too',
  ],
  ({ query, after, at, owners }, context) => {
    relyOn(owners.before, query).toSucceed()
    relyOn(owners.after, after.query).toHaveMember('Data.Status', 'Revoked')
    expectMoved({ before: query, after: after.query, at, since: query }, context)
  },
)

/**
 * Later queries of the revoked consent, far enough apart that a moved time would differ. Where it does, the bank may have
 * noted the revocation twice, and where another Status is shown, one of its servers may not know of it yet: then two more
 * after the settling time.
 */
const revokedQueried = sharedFixture([basicCredits], async (context) => {
  const { approval, after } = await revoked(context)
  const queries = [after.query]
  const isAsBefore = async () => {
    const last = queries.at(-1) ?? after.query
    await untilTimeHasMoved(last, last)
    await wait(20)
    const query = await approval.get(consentPath(approval.consentId))
    queries.push(query)
    return queries.slice(0, -1).some((before) => showSameUpdate(before, query))
  }
  const isSteady = await isAsBefore()
  const areRevoked = queries.every((query) => statusOf(query) === 'Revoked')
  if (isSteady && areRevoked) return queries
  await wait(context.target.settlingTime)
  if (!(await isAsBefore()) || !areRevoked) await isAsBefore()
  return queries
})

/** Fails: the last of several queries shows a time that none before it showed. */
check(
  'CONS-29/once-revoked',
  'A query does not move StatusUpdateDateTime of a revoked consent',
  { ...REVOKED, follows: ['CONS-29/not-by-query', 'CONS-29/never-back'] },
  async (context) => {
    const { after } = await revoked(context)
    relyOn('CLC-10/sees-revoked', after.query).toHaveMember('Data.Status', 'Revoked')
    const queries = await revokedQueried(context)
    // Whether it stays so is judged by CLC-10/stays-revoked.
    if (queries.some((query) => statusOf(query) !== 'Revoked'))
      throw new NotApplicable('a later query does not show it as Revoked')
    const [last, ...before] = queries.toReversed()
    if (!last || before.some((query) => showSameUpdate(query, last))) return
    if (before[0]) expectUntouched(before[0], last, 'a query')
  },
)

check(
  'CONS-22/after-revocation',
  'The query of a revoked consent shows when it was created',
  { ...REVOKED, follows: ['CONS-22/after-approval'] },
  async (context) => {
    const { query, after } = await revoked(context)
    relyOn(OWNERS.query, query).toSucceed()
    relyOn('CLC-10/sees-revoked', after.query).toSucceed()
    expectSameCreation({ creation: query, query: after.query })
  },
)

revocationChecks(
  [
    'CLC-23/terms',
    'Revocation leaves permissions and transaction period of a consent as they were',
    { follows: ['CONS-22/after-approval'] },
  ],
  [
    'CLC-23/second-client',
    'Revocation leaves permissions and transaction period of a consent of the second client as they were',
    { follows: ['CONS-22/after-approval'] },
  ],
  ({ query, after, owners }) => {
    relyOn(owners.before, query).toSucceed()
    relyOn(owners.after, after.query).toSucceed()
    expectSameTerms(query, after.query, TERMS, 'its revocation')
  },
)

revocationChecks(
  [
    'SEC-05/revoked',
    'A client cannot query a consent of another client that its customer revoked',
    { needs: ['clients.second'], follows: ['SEC-05/other-client', 'SEC-05/authorised'] },
  ],
  [
    'SEC-05/second-client',
    'The first client cannot query a consent of the second that its customer revoked',
    { follows: ['SEC-05/other-direction'] },
  ],
  async ({ approval, after, owners }, { caller }) => {
    relyOn(owners.after, after.query).toSucceed()
    const other = await caller(approval.tpp.name === 'first' ? 'second' : 'first')
    relyOn(OWNERS.query, await other.get(consentPath(await createConsent(other)))).toSucceed()
    const deviation = 'a revoked consent of another client'
    expect(await other.get(consentPath(approval.consentId), { deviation })).toBeRefused()
  },
)

/** The revoked consent. Another client tries to delete it before its own client does; its query afterwards. */
const revokedAttacked = sharedFixture([basicCredits], async (context) => {
  const { approval, after } = await revoked(context)
  await revokedQueried(context)
  relyOn('CLC-10/sees-revoked', after.query).toSucceed()
  const other = await context.caller('second')
  const own = consentPath(await createConsent(other))
  relyOn(OWNERS.deletion, await other.delete(own)).toSucceed()
  const path = consentPath(approval.consentId)
  const attempt = await other.delete(path, { deviation: 'a revoked consent of another client' })
  return { attempt, query: await approval.get(path) }
})

check(
  'CLC-08/revoked',
  'DELETE of a consent of another client that its customer revoked is refused, and deletes nothing',
  {
    uses: [basicCredits],
    spends: basicCredits,
    needs: ['clients.second', 'hooks.customer-revokes'],
    follows: ['CLC-08/refused', 'CLC-08/survives', 'CLC-08/authorised'],
  },
  async (context) => {
    await relyOnDeletion(context)
    const { attempt, query } = await revokedAttacked(context)
    expect(attempt).toBeAnError()
    expect(query).toSucceed()
  },
)

check(
  'CLC-22/revoked',
  'The refusal to delete a consent of another client that its customer revoked has status 403, too',
  {
    uses: [basicCredits],
    spends: basicCredits,
    needs: ['clients.second', 'hooks.customer-revokes'],
    follows: [...FORBIDDEN, 'CLC-22/denied', 'CLC-01/revoked'],
  },
  async (context) => {
    const { attempt, query } = await revokedAttacked(context)
    relyOn('CLC-08/revoked', attempt).toBeAnError()
    relyOn('CLC-08/revoked', query).toSucceed()
    expect(attempt).toHaveStatus(403)
  },
)

/** DELETE of the consent that the customer has revoked, and its query afterwards. */
const revokedDeleted = sharedFixture([basicCredits], async (context) => {
  const { approval } = await revoked(context)
  await revokedQueried(context)
  await revokedAttacked(context).catch(() => undefined)
  return deletedAndQueried(context, approval.consentId)
})

// The last use of that consent.
check(
  'CLC-01/revoked',
  'DELETE of a consent that the customer has revoked answers 204',
  { ...REVOKED, follows: ['CLC-08/revoked'] },
  async (context) => {
    await relyOnDeletion(context)
    const { after } = await revoked(context)
    relyOn('CLC-10/sees-revoked', after.query).toHaveMember('Data.Status', 'Revoked')
    expect((await revokedDeleted(context)).deletion).toHaveStatus(204)
  },
)

check(
  'CLC-03/revoked',
  'A consent that the customer revoked and the TPP then deleted cannot be queried any more',
  { ...REVOKED, follows: ['CLC-03/query-refused'] },
  async (context) => {
    const { after } = await revoked(context)
    relyOn('CLC-10/sees-revoked', after.query).toHaveMember('Data.Status', 'Revoked')
    const { deletion, query } = await revokedDeleted(context)
    relyOn('CLC-01/revoked', deletion).toSucceed()
    expect(query).toBeAnError()
  },
)

check(
  'CLC-04/revoked',
  'No access token of a consent that the customer revoked and the TPP then deleted gets data',
  { ...REVOKED, follows: ['CLC-04/data-refused', 'CLC-11/data-refused'] },
  async (context) => {
    const { approval, tokens, requests } = await revoked(context)
    const { deletion } = await revokedDeleted(context)
    relyOn('CLC-01/revoked', deletion).toSucceed()
    const [before] = requests
    if (!before) blockForData('an endpoint that the consent opens')
    const { path, answer } = before
    relyOn(readOwner(approval, path), answer).toSucceed()
    const deviation = 'its consent was revoked, and then deleted'
    const { until } = settling(context)
    const ask = () => approval.get(path, { bearer: tokens.accessToken, deviation })
    expect(await until(ask, refused)).toBeRefused()
  },
)
