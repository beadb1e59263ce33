import { randomUUID } from 'node:crypto'
import { check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { tokensOf } from '../../engine/journey/tokens.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { Blocked } from '../../engine/judge/outcome.ts'
import { member } from '../../engine/judge/rows.ts'
import { codeOfAnotherClient, reconfirmed, secondClient } from '../consents.ts'
import { deleted, outOfDate, revoked } from '../endings.ts'
import { consentPath } from './common/consent-requests.ts'
import {
  expectCode,
  expectNoAccounts,
  expectNoCode,
  newConsent,
  relyOnNoCode,
  wrongVisit,
} from './common/visits.ts'

/** GET /authorize: which consent, and whose. Requirements: specs/account-information/authorisation.yaml */

const NEGATIVE = { uses: ['everything'], refusals: 1 }

check(
  'AUTHZ-13/missing',
  'A request that names no consent gives no access',
  NEGATIVE,
  async (context) => {
    const purpose = 'a request that names no consent'
    const acr = { essential: true, values: ['urn:openbanking:psd2:sca'] }
    const deviation = { requestObject: { claims: { claims: { id_token: { acr } } } } }
    const visit = await wrongVisit(context, { purpose, deviation })
    await expectNoAccounts(await context.caller(), visit, purpose)
  },
)

check(
  'AUTHZ-13/unknown',
  'A request that names a consent which does not exist gives no access',
  NEGATIVE,
  async (context) => {
    const purpose = 'a consent that does not exist'
    const visit = await wrongVisit(context, { purpose, consentId: randomUUID() })
    await expectNoAccounts(await context.caller(), visit, purpose)
  },
)

const FOREIGN = 'a consent that another client created'

/** The second client's visit with a consent of the first that nobody has authorised. */
const ofAnotherClient = once(async (context) => {
  await context.approved(secondClient)
  const first = await context.caller()
  const consentId = await newConsent(first)
  relyOn(OWNERS.query, await first.get(consentPath(consentId)))
  return context.visit({ client: 'second', consentId, purpose: FOREIGN })
})

check(
  'AUTHZ-14/other-client',
  'A client cannot have the consent of another client authorised',
  { uses: ['second client'], refusals: [FOREIGN] },
  async (context) => expectNoCode(await ofAnotherClient(context)),
)

check(
  'AUTHZ-14/authorised',
  'A client cannot have a consent authorised again that another client created',
  {
    uses: ['everything', 're-confirmed', 'second client', 'code for another client'],
    spends: 'code for another client',
    refusals: [FOREIGN, 'an authorised consent that another client created'],
  },
  async (context) => {
    context.tpp('second')
    await context.approved(reconfirmed)
    await context.approved(secondClient)
    const { consentId } = await context.approved(codeOfAnotherClient)
    const waiting = await ofAnotherClient(context)
    if (waiting.kind === 'granted') {
      const id = 'AUTHZ-14/other-client'
      throw new Blocked({ kind: 'check', id }, 'a waiting one can be authorised', waiting.last)
    }
    const purpose = 'an authorised consent that another client created'
    expectNoCode(await context.visit({ client: 'second', consentId, purpose }))
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

/** A visit with a consent that was deleted before anybody authorised it. */
const ofDeleted = once(async (context) => {
  const first = await context.caller()
  const consentId = await newConsent(first)
  relyOn('CLC-01/awaiting', await first.delete(consentPath(consentId)))
  return wrongVisit(context, { purpose: 'a deleted consent', consentId })
})

check(
  'AUTHZ-15/deleted-after-approval',
  'A consent that was authorised and then deleted cannot be authorised any more',
  { uses: ['debits in a period'], spends: 'debits in a period', refusals: 1 },
  async (context) => {
    const { approval, deletion } = await deleted(context)
    relyOn('CLC-01/authorised', deletion)
    relyOnNoCode('AUTHZ-15/deleted', await ofDeleted(context))
    const { consentId } = approval
    expectNoCode(await context.visit({ purpose: 'a consent deleted after approval', consentId }))
  },
)

check(
  'AUTHZ-15/revoked',
  'A consent that the customer revoked cannot be authorised any more',
  {
    uses: ['basic credits'],
    spends: 'basic credits',
    refusals: 1,
    needs: ['hooks.customer-revokes'],
  },
  async (context) => {
    const { approval, after } = await revoked(context)
    if (member(after.query.response?.json, 'Data', 'Status') !== 'Revoked') {
      throw new Blocked({ kind: 'check', id: 'CLC-10/sees-revoked' }, 'it is not Revoked')
    }
    const { consentId } = approval
    expectNoCode(await context.visit({ purpose: 'a revoked consent', consentId }))
  },
)

check(
  'AUTHZ-30/other-customer',
  'A consent that one customer has authorised cannot be authorised by another',
  {
    uses: ['everything', 're-confirmed', 'code for another client'],
    spends: 'code for another client',
    refusals: 1,
    needs: ['customers.second'],
  },
  async (context) => {
    context.customer('second')
    await context.approved(reconfirmed)
    const { consentId } = await context.approved(codeOfAnotherClient)
    const purpose = 'a consent that another customer has authorised'
    expectNoCode(await context.visit({ customer: 'second', consentId, purpose }))
  },
)

const LATE = 'to be re-confirmed after ninety days'

check(
  'AUTHZ-32/after-ninety-days',
  'A consent that was not re-confirmed within ninety days can be re-confirmed, and gives data again',
  {
    uses: ['everything', 're-confirmed', 'second customer'],
    spends: 'second customer',
    grants: [LATE],
    needs: ['hooks.ninety-days-passed'],
  },
  async (context) => {
    const { approval } = await outOfDate(context)
    await context.approved(reconfirmed)
    const { consentId, tpp } = approval
    const visit = await context.visit({
      purpose: 'to be re-confirmed after ninety days',
      customer: 'second',
      consentId,
    })
    expectCode(visit)
    const { code, request } = visit
    const redirect_uri = request.redirectUri
    const answer = await tpp.token({ grant_type: 'authorization_code', code, redirect_uri })
    expect(answer).toGiveAToken()
    const bearer = tokensOf(answer)?.accessToken
    expect(await approval.get('/accounts', { bearer })).toSucceed()
  },
)
