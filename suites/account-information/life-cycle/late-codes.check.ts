import { type Context, check } from '../../../engine/suite-api/check.ts'
import { daysFromNow } from '../../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { type Caller, tokensOf, visitEnd } from '../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, refused } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import {
  ACCOUNTS,
  consentPath,
  create,
  createConsent,
  requireConsentId,
} from '../common/consents/consent-requests.ts'
import { IN_OTHER_ORDER, inOtherOrder } from '../common/visits/other-order.ts'
import { settling } from '../common/visits/settling.ts'
import { approvedBefore, exchangeCode, expectAnswered } from '../common/visits/visits.ts'

/**
 * Codes that are sent twice at once, and codes of consents that end before the TPP uses the
 * code: if such a code still gives an access token, that token reads no data. Requirements:
 * specs/account-information/life-cycle.yaml, specs/account-information/token.yaml
 */

type OfEverything = Context<typeof everything>

/** Creates a consent with these members, has it approved, and returns the code. */
async function codeFor(context: OfEverything, purpose: string, members: Record<string, unknown>) {
  await approvedBefore(context, everything)
  const client = await context.caller()
  const created = await create(client, members)
  const owner = 'ExpirationDateTime' in members ? 'CONS-13/accepted' : OWNERS.consent
  relyOn(owner, created).toSucceed()
  const consentId = requireConsentId(created)
  const visit = await context.visit({ purpose, consentId, correct: true })
  if (visit.kind !== 'granted') {
    blockBy(OWNERS.visit, `the visit ended with ${visitEnd(visit)}`, visit.last)
  }
  const { code, request } = visit
  const redirect_uri = request.redirectUri
  return {
    client,
    consentId,
    grant: { grant_type: 'authorization_code', code, redirect_uri } as const,
  }
}

/** Gets the code of a consent, ends the consent, and expects that the code gives no data. */
async function expectNothingOfTheCode(
  context: OfEverything,
  { purpose, deviation }: typeof DELETED,
  end: (consentId: string) => Promise<void>,
  members: Record<string, unknown> = {},
): Promise<void> {
  const { client, consentId, grant } = await codeFor(context, purpose, { ...ACCOUNTS, ...members })
  await end(consentId)
  await expectNoDataBy(await client.tpp.token(grant, { deviation }), client, context, deviation)
}

/** Expects a token response without an access token, or with one that reads no data. */
async function expectNoDataBy(
  answer: Exchange,
  client: Caller,
  context: OfEverything,
  deviation: string,
): Promise<void> {
  const bearer = tokensOf(answer)?.accessToken
  if (bearer === undefined) return expect(answer).toGiveNoToken()
  const ask = () => client.get('/accounts', { bearer, deviation })
  expect(await settling(context).until(ask, refused)).toBeRefused()
}

/** Not applicable where both are refused: a bank may invalidate a code that is sent twice. */
check(
  'TOK-14/at-once',
  'An authorisation code that is sent twice at once works once',
  { ...IN_OTHER_ORDER, follows: ['TOK-14/replayed'] },
  async (context: OfEverything) => {
    const { client, visit } = await inOtherOrder(context)
    if (visit.kind !== 'granted') {
      blockBy('AUTHZ-09/any-order', `the visit ended with ${visitEnd(visit)}`, visit.last)
    }
    const { code, request } = visit
    const redirect_uri = request.redirectUri
    const grant = { grant_type: 'authorization_code', code, redirect_uri } as const
    const send = () => client.tpp.token(grant, { deviation: 'a code that is sent twice at once' })
    const answers = await Promise.all([send(), send()])
    const taken = answers.filter(tokensOf)
    if (taken.length === 0) throw new NotApplicable('the bank takes no code that comes twice')
    if (taken.length > 1) expect(taken[1] as Exchange).toGiveNoToken()
  },
)

const DELETED = {
  purpose: 'a consent that is deleted before its code is used',
  deviation: 'its consent was deleted before the code was used',
}

check(
  'CLC-04/late-code',
  'A code that is used after the TPP deleted its consent gives no data',
  {
    uses: [everything],
    grants: [DELETED.purpose],
    follows: ['CLC-04/data-refused', 'TOK-11/unknown'],
    last: true,
  },
  async (context: OfEverything) =>
    expectNothingOfTheCode(context, DELETED, async (consentId) => {
      const client = await context.caller()
      relyOn('CLC-01/authorised', await client.delete(consentPath(consentId))).toSucceed()
    }),
)

const AT_THE_PAGE = {
  purpose: 'a consent that is deleted while its customer is at the last page',
  deviation: 'its consent was deleted before its customer approved it',
}

/** Whether the visit then gives a code is open: it must give no data, and the consent stays deleted. */
check(
  'CLC-04/at-the-page',
  'A consent that the TPP deletes while its customer is about to approve it gives no data',
  {
    uses: [everything],
    refusals: [AT_THE_PAGE.purpose],
    needs: ['authorisation.two-at-once'],
    follows: ['AUTHZ-15/deleted', 'CLC-03/query-refused', 'CLC-04/late-code'],
    last: true,
  },
  async (context: OfEverything) => {
    await approvedBefore(context, everything)
    const { purpose, deviation } = AT_THE_PAGE
    const client = await context.caller()
    const consentId = await createConsent(client, ACCOUNTS)
    const path = consentPath(consentId)
    const visit = await context.visit({
      ...{ purpose, consentId, correct: true },
      async meanwhile() {
        relyOn('CLC-01/awaiting', await client.delete(path)).toSucceed()
      },
    })
    const query = () => client.get(path, { deviation })
    expect(await settling(context).until(query, refused)).toBeRefused()
    if (visit.kind !== 'granted') return expectAnswered(visit)
    const answer = await exchangeCode(client, visit, deviation)
    await expectNoDataBy(answer, client, context, deviation)
  },
)

const REVOKED = {
  purpose: 'a consent that you revoke before its code is used',
  deviation: 'its consent was revoked before the code was used',
}

check(
  'CLC-11/late-code',
  'A code that is used after the customer revoked its consent gives no data',
  {
    uses: [everything],
    grants: [REVOKED.purpose],
    needs: ['hooks.customer-revokes'],
    follows: ['CLC-11/data-refused', 'TOK-11/unknown'],
    last: true,
  },
  async (context: OfEverything) => {
    context.requireHook('customer-revokes')
    await expectNothingOfTheCode(context, REVOKED, (consentId) =>
      context.hook('customer-revokes', { consentId }),
    )
  },
)

const EXPIRED = {
  purpose: 'a consent that expires before its code is used',
  deviation: 'its consent expired before the code was used',
}

/** Only where a hook makes it expire: otherwise the code may expire as early as the consent. */
check(
  'CLC-16/late-code',
  'A code that is used after the ExpirationDateTime of its consent gives no data',
  {
    uses: [everything],
    grants: [EXPIRED.purpose],
    needs: ['hooks.consent-expired'],
    follows: ['CLC-16/data-refused', 'CLC-16/refresh-gives-no-data', 'TOK-11/unknown'],
    last: true,
  },
  async (context: OfEverything) => {
    context.requireHook('consent-expired')
    const ExpirationDateTime = daysFromNow(30)
    const expire = (consentId: string) => context.hook('consent-expired', { consentId })
    await expectNothingOfTheCode(context, EXPIRED, expire, { ExpirationDateTime })
  },
)
