import { randomUUID } from 'node:crypto'
import { check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { tokensOf } from '../../../engine/suite-api/flow.ts'
import { blockForData, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { missingFrom, refused, rowsOf } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import {
  basicCredits,
  codeOfAnotherClient,
  debitsInPeriod,
  everything,
  reconfirmed,
  secondCustomer,
} from '../../consents.ts'
import {
  confirmedForOne,
  confirmedLate,
  deleted,
  LATE,
  ONE_AGAIN,
  outOfDate,
  revoked,
} from '../../ended-consents.ts'
import { expectTable } from '../../tables.ts'
import { consentIdInClaim } from '../../values/identifier.ts'
import { expectSameTerms, TERMS } from '../common/consents/consent-comparisons.ts'
import { ACCOUNTS, createConsent } from '../common/consents/consent-requests.ts'
import { deletedAndQueried } from '../common/consents/deleted-consents.ts'
import { hidesCard } from '../common/data/account-comparisons.ts'
import { settled } from '../common/data/booking-times.ts'
import { keyAcrossConsents } from '../common/data/completeness.ts'
import { endsAtNinetyDays } from '../common/data/history.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { bookedIn, bulk, relyOnSteadyRows } from '../common/data/transaction-readings.ts'
import {
  CONFIRMED_ONCE_MORE,
  confirmedOnceMore,
  requireConfirmed,
} from '../common/tokens/once-more.ts'
import { denied } from '../common/visits/denial.ts'
import { expectConfirmed } from '../common/visits/re-confirmations.ts'
import {
  AGAIN,
  asksLess,
  expectCode,
  expectNoAccounts,
  expectNoCode,
  nobodyConfirmsAgain,
  noteApproval,
  relyOnNoCode,
  requireDenied,
  settledVisit,
  wrongVisit,
} from '../common/visits/visits.ts'
import { foreseenIntents, intentPlace, isOfNobody } from './intent-places.ts'

/** GET /authorize: which consent, and whose it is. Requirements: specs/account-information/authorisation.yaml */

const NEGATIVE = { uses: [everything], refusals: 1 }

check(
  'AUTHZ-13/missing',
  'A request that names no consent gives no access',
  NEGATIVE,
  async (context) => {
    const purpose = 'a request that names no consent'
    const { tpp } = await context.caller()
    // The other claims stay as they are.
    const claims = { id_token: tpp.idTokenClaims() }
    const deviation = { requestObject: { claims: { claims } } }
    const visit = await wrongVisit(context, { purpose, deviation })
    await expectNoAccounts(await context.caller(), visit, purpose)
  },
)

const NOBODY = 'a consent that does not exist'

check(
  'AUTHZ-13/unknown',
  'A request that names a consent which does not exist gives no access',
  {
    asks: [consentIdInClaim],
    uses: [everything],
    refusals: (foreseen) => [NOBODY, ...foreseenIntents(foreseen)],
  },
  async (context) => {
    const wrong = { purpose: NOBODY, consentId: randomUUID(), deviation: {} }
    await expectNoAccounts(await context.caller(), await wrongVisit(context, wrong), NOBODY)
    await expectTable(context, {
      ...{ owner: 'AUTHZ-13/unknown', type: consentIdInClaim, rows: isOfNobody },
      places: [intentPlace(context.target.attended)],
    })
  },
)

check(
  'AUTHZ-15/deleted',
  'A consent that was deleted cannot be authorised any more',
  NEGATIVE,
  async (context) => {
    expectNoCode(await ofDeleted(context))
  },
)

/** A visit with a consent that was deleted before it was authorised. */
const ofDeleted = sharedFixture([everything], async (context) => {
  const first = await context.caller()
  const consentId = await createConsent(first, ACCOUNTS)
  const { deletion, query } = await deletedAndQueried(context, consentId)
  relyOn('CLC-01/awaiting', deletion).toSucceed()
  relyOn('CLC-03/query-refused', query).toBeAnError()
  return settledVisit(context, () =>
    wrongVisit(context, { purpose: 'a deleted consent', consentId }),
  )
})

check(
  'AUTHZ-15/deleted-after-approval',
  'A consent that was authorised and then deleted cannot be authorised any more',
  { uses: [everything, debitsInPeriod], spends: debitsInPeriod, refusals: 1 },
  async (context) => {
    const { approval, deletion } = await deleted(context)
    relyOn('CLC-01/authorised', deletion).toSucceed()
    relyOnNoCode('AUTHZ-15/deleted', await ofDeleted(context))
    const { consentId } = approval
    const visit = () => context.visit({ purpose: 'a consent deleted after approval', consentId })
    expectNoCode(await settledVisit(context, visit))
  },
)

/**
 * The approval that is revoked, after its revocation; needs the hook
 * customer-revokes. Blocked by CLC-10 when the status is not Revoked.
 */
check(
  'AUTHZ-15/revoked',
  'A consent that the customer revoked cannot be authorised any more',
  {
    uses: [basicCredits],
    spends: basicCredits,
    refusals: 1,
    needs: ['hooks.customer-revokes'],
  },
  async (context) => {
    const { approval, after } = await revoked(context)
    noteApproval(approval)
    relyOn('CLC-10/sees-revoked', after.query).toHaveMember('Data.Status', 'Revoked')
    const { consentId } = approval
    const visit = () => context.visit({ purpose: 'a revoked consent', consentId })
    expectNoCode(await settledVisit(context, visit))
  },
)

/**
 * On the approval of CLC-18/data-refused, after the hook ninety-days-passed,
 * the same customer authorises the ConsentId again. Fails: no code, or its
 * token does not read /accounts. Not applicable without the hook.
 */
check(
  'AUTHZ-32/after-ninety-days',
  'A consent that was not re-confirmed within ninety days can be re-confirmed, and gives data again',
  {
    uses: [everything, reconfirmed, secondCustomer],
    spends: secondCustomer,
    grants: [LATE],
    needs: ['hooks.ninety-days-passed'],
    follows: ['AUTHZ-16/one-account'],
  },
  async (context) => {
    const { approval, visit, answer } = await confirmedLate(context)
    expectCode(visit)
    if (answer) expect(answer).toGiveAToken()
    const bearer = answer && tokensOf(answer)?.accessToken
    expect(await approval.get('/accounts', { bearer })).toSucceed()
  },
)

const DENIED_AGAIN = 'a re-confirmation that is denied'

/**
 * The last use of that consent, since a bank may end it. Not applicable where
 * the login itself confirms, with no page on which the customer could deny.
 */
check(
  'AUTHZ-21/denied-again',
  'A customer who denies a re-confirmation is sent to the redirect URI without a code',
  {
    uses: [everything, reconfirmed, secondCustomer],
    spends: secondCustomer,
    refusals: [AGAIN],
    denial: DENIED_AGAIN,
  },
  async (context) => {
    context.customer('second')
    relyOnNoCode('AUTHZ-22/again-before-login', await nobodyConfirmsAgain(context))
    await outOfDate(context).catch(() => undefined)
    const { consentId, visit: before } = await context.approved(secondCustomer)
    const options = { customer: 'second', decision: 'deny', consentId } as const
    const visit = await context.visit({ purpose: DENIED_AGAIN, ...options })
    const couldDeny = visit.pages.some(({ denies }) => denies)
    if (visit.kind === 'granted' && !couldDeny && asksLess(visit, before)) {
      throw new NotApplicable('a re-confirmation has no page on which the customer could deny it')
    }
    requireDenied(visit)
    if (visit.kind === 'granted') relyOnNoCode('AUTHZ-21/denied', (await denied(context)).visit)
    expectNoCode(visit)
  },
)

/** As AUTHZ-16/same-intent, for a consent with an expiry, for one account, whose code others have tried. */
check(
  'AUTHZ-16/one-account',
  'A consent for one account, which is to expire, can be re-confirmed, and gives data',
  {
    uses: [everything, reconfirmed, codeOfAnotherClient],
    spends: codeOfAnotherClient,
    grants: [ONE_AGAIN],
    follows: ['AUTHZ-16/same-intent'],
  },
  async (context) => expectConfirmed(await confirmedForOne(context)),
)

/**
 * The second client and customer, before and after the visit, with the tokens of each
 * authorisation: the terms in the query and the rows are the same. Data beyond the
 * period and the permissions is judged by rules. Blocked where no row is shown before.
 */
check(
  'AUTHZ-17/data',
  'A consent that is re-confirmed has its period and shows the transactions of it as before',
  {
    ...CONFIRMED_ONCE_MORE,
    follows: ['TXN-20/nothing-missing', 'TXN-20/inside', 'TXN-28/second-read'],
  },
  async (context) => {
    const { approval, before, after } = requireConfirmed(await confirmedOnceMore(context))
    expect(after.transactions).toSucceed()
    const shown = settled(bookedIn(before.transactions, readOwner(approval, bulk)))
    if (missingFrom(rowsOf(after.transactions), shown, keyAcrossConsents).length > 0) {
      await relyOnSteadyRows(approval)
      expect(after.transactions).toHoldRows(shown, keyAcrossConsents)
    }
    const id = 'CONS-22/after-approval'
    expectSameTerms(before.terms, after.terms, TERMS, 'its re-confirmation', id)
    if (shown.length > 0) return
    if (rowsOf(after.transactions).length > 0 && endsAtNinetyDays(before.transactions))
      throw new NotApplicable('the consent shows more data immediately after a login')
    blockForData('a booked debit within the period of the consent')
  },
)

/** Balances only where they were refused before: which permission they need is open. */
check(
  'AUTHZ-17/permissions',
  'A consent that is re-confirmed gives no more data than its permissions allowed before',
  { ...CONFIRMED_ONCE_MORE, follows: ['AUTHZ-17/unchanged', 'ACC-20/basic-hides-card'] },
  async (context) => {
    const { approval, before, after } = requireConfirmed(await confirmedOnceMore(context))
    for (const [index, answer] of before.accounts.entries()) {
      const now = after.accounts[index]
      if (!now) continue
      relyOn(readOwner(approval, '/accounts'), answer).toSucceed()
      if (!rowsOf(answer).every(hidesCard)) continue
      expect(now).toHoldOnly('an account without the digits of its card', hidesCard)
    }
    if (refused(before.balances)) expect(after.balances).toBeRefused()
  },
)
