import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { tokensOf } from '../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, refused, succeeded } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { everything, reconfirmed, secondCustomer } from '../../consents.ts'
import { confirmedLate, LATE } from '../../ended-consents.ts'
import { consentPath, statusOf } from '../common/consents/consent-requests.ts'
import { deletedWhereThere } from '../common/consents/deleted-consents.ts'
import { waysToAsk } from '../common/data/absent-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { settling } from '../common/visits/settling.ts'

/**
 * The end of a consent that was re-confirmed after ninety days: revoked,
 * then deleted. Requirements: specs/account-information/life-cycle.yaml
 */

/** The approval that AUTHZ-32 re-confirmed is revoked: what all its tokens, old and new, read until then. */
const revokedLate = sharedFixture([everything, reconfirmed, secondCustomer], async (context) => {
  const { approval, requests, tokens, older, answer } = await confirmedLate(context)
  if (!answer) blockBy('AUTHZ-32/after-ninety-days', 'the consent was not re-confirmed')
  relyOn('AUTHZ-32/after-ninety-days', answer).toGiveAToken()
  const reads: { path: string; bearer: string; before: Exchange }[] = []
  for (const { accessToken: bearer } of [tokensOf(answer), tokens, ...older].flatMap(
    (each) => each ?? [],
  )) {
    for (const { path } of requests) {
      const deviation = 'a token of before or after the re-confirmation'
      const before = await approval.get(path, { bearer, deviation })
      if (succeeded(before)) reads.push({ path, bearer, before })
    }
  }
  const path = consentPath(approval.consentId)
  const before = await approval.get(path)
  await context.hook('customer-revokes', { consentId: approval.consentId })
  const revoked = (query: Exchange) => refused(query) || statusOf(query) === 'Revoked'
  const query = await settling(context).until(() => approval.get(path), revoked)
  return { approval, reads, before, query }
})

/** The same, deleted by its client. */
const deletedLate = sharedFixture([everything, reconfirmed, secondCustomer], async (context) => {
  const { approval } = await revokedLate(context)
  return deletedWhereThere(context, approval.consentId, 'its consent was revoked')
})

const REVOKED_LATE = {
  uses: [everything, reconfirmed, secondCustomer],
  grants: [LATE],
  needs: ['hooks.ninety-days-passed', 'hooks.customer-revokes'],
  last: true,
} as const

type Late = Context<(typeof REVOKED_LATE.uses)[number]>

/** Each token that reads data just before the hook, the newest in every way. Not applicable after a denial. */
check(
  'CLC-11/re-confirmed',
  'After the customer revoked a consent that was re-confirmed, no access token of it gets data',
  { ...REVOKED_LATE, follows: ['CLC-11/data-refused'] },
  async (context: Late) => {
    const { approval, reads } = await revokedLate(context)
    if (reads.length === 0) throw new NotApplicable('an earlier refusal has ended these tokens')
    const { until } = settling(context)
    for (const { path, bearer, before } of reads) {
      relyOn(readOwner(approval, path), before).toSucceed()
      for (const way of bearer === reads[0]?.bearer ? waysToAsk(path) : [{}]) {
        const ask = () =>
          approval.get(path, { bearer, deviation: 'its consent was revoked', ...way })
        expect(await until(ask, refused, way)).toBeRefused()
      }
    }
  },
)

/** Not applicable where its query is refused, or shows Revoked, beforehand: a denial may have ended it. */
check(
  'CLC-10/re-confirmed',
  'After the customer revoked a consent that was re-confirmed, the TPP sees Status Revoked',
  { ...REVOKED_LATE, follows: ['CLC-10/sees-revoked'] },
  async (context: Late) => {
    const { before, query } = await revokedLate(context)
    if (refused(before) || statusOf(before) === 'Revoked') {
      throw new NotApplicable('an earlier denial has ended this consent')
    }
    expect(query).toSucceed()
    expect(query).toHaveMember('Data.Status', 'Revoked')
  },
)

check(
  'CLC-01/re-confirmed',
  'DELETE of a consent that was re-confirmed and then revoked answers 204',
  { ...REVOKED_LATE, follows: ['CLC-01/awaiting', 'CLC-01/revoked'] },
  async (context: Late) => {
    expect((await deletedLate(context)).deletion).toHaveStatus(204)
  },
)

check(
  'CLC-03/revoked-re-confirmed',
  'A consent that was re-confirmed, revoked and then deleted cannot be queried any more',
  {
    ...REVOKED_LATE,
    follows: [
      'CLC-03/query-refused',
      'CLC-03/revoked',
      'CLC-03/re-confirmed',
      'CLC-03/second-client',
    ],
  },
  async (context: Late) => {
    const { deletion, query } = await deletedLate(context)
    relyOn('CLC-01/re-confirmed', deletion).toSucceed()
    expect(query).toBeAnError()
  },
)
