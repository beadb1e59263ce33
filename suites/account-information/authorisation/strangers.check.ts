import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import type { VisitOptions } from '../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { succeeded } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { expectOthersUntouched, looking, noteLost } from '../../bystanders.ts'
import { codeOfAnotherClient, everything, reconfirmed, secondClient } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import {
  ACCOUNTS,
  consentPath,
  createConsent,
  statusOf,
} from '../common/consents/consent-requests.ts'
import { approvedAfterTries } from '../common/tokens/codes.ts'
import {
  approvedBefore,
  expectNoCode,
  nobodyConfirmsAgain,
  relyOnNoCode,
} from '../common/visits/visits.ts'

/**
 * GET /authorize: a client or a customer uses a consent of somebody
 * else. Requirements: specs/account-information/authorisation.yaml
 */

const FOREIGN = 'a consent that another client created'

/** The second client's visit with an unauthorised consent of the first, and what both then see of the consent. */
const ofAnotherClient = sharedFixture([secondClient], async (context) => {
  const [first, second] = [await context.caller(), await context.caller('second')]
  const consentId = await createConsent(first, ACCOUNTS)
  const path = consentPath(consentId)
  const before = await first.get(path)
  relyOn(OWNERS.query, before).toSucceed()
  await approvedBefore(context, secondClient)
  const visit = await context.visit({ client: 'second', consentId, purpose: FOREIGN })
  const after = await first.get(path)
  const foreign = await second.get(path, { deviation: FOREIGN })
  return { visit, before, after, foreign }
})

check(
  'AUTHZ-14/other-client',
  'A client cannot have the consent of another client authorised',
  { uses: [secondClient], refusals: [FOREIGN] },
  async (context) => expectNoCode((await ofAnotherClient(context)).visit),
)

check(
  'SEC-05/after-visit',
  'A client that tried to have a consent of another client authorised cannot query it afterwards either',
  { uses: [secondClient], refusals: [FOREIGN], follows: ['SEC-05/other-client'] },
  async (context) => {
    const { visit, foreign } = await ofAnotherClient(context)
    relyOnNoCode('AUTHZ-14/other-client', visit)
    expect(foreign).toBeAnError()
  },
)

const FOREIGN_AUTHORISED = 'an authorised consent that another client created'

const FOREIGN_TOO = 'a consent of the second client, authorised by the first'

check(
  'AUTHZ-14/other-direction',
  'The first client cannot have a consent of the second one authorised',
  {
    uses: [everything, secondClient],
    needs: ['clients.second'],
    refusals: [FOREIGN, FOREIGN_TOO],
    follows: ['AUTHZ-14/other-client'],
  },
  async (context) => {
    relyOnNoCode('AUTHZ-14/other-client', (await ofAnotherClient(context)).visit)
    const second = await context.caller('second')
    const consentId = await createConsent(second, ACCOUNTS)
    relyOn(OWNERS.query, await second.get(consentPath(consentId))).toSucceed()
    await approvedBefore(context, everything)
    expectNoCode(await context.visit({ consentId, purpose: FOREIGN_TOO }))
  },
)

/**
 * The same with a consent that the customer has authorised for the first client, and that the
 * first client can re-confirm (AUTHZ-16). Blocked by AUTHZ-14/other-client where that fails.
 */
check(
  'AUTHZ-14/authorised',
  'A client cannot have a consent authorised again that another client created',
  {
    uses: [everything, reconfirmed, secondClient, codeOfAnotherClient],
    spends: codeOfAnotherClient,
    needs: ['clients.second'],
    refusals: [FOREIGN, FOREIGN_AUTHORISED],
  },
  async (context) => {
    await approvedBefore(context, reconfirmed)
    const { visit: waiting } = await ofAnotherClient(context)
    if (waiting.kind === 'granted') {
      const id = 'AUTHZ-14/other-client'
      blockBy(id, 'a consent that awaits authorisation can be authorised', waiting.last)
    }
    expectNoCode((await authorisedOfAnotherClient(context)).visit)
  },
)

/** Somebody else's visit with an authorised consent, and what the consent gives before and after. */
async function aroundVisit(
  context: Context<typeof everything | typeof codeOfAnotherClient>,
  owner: string,
  options: VisitOptions,
) {
  const approval = await approvedAfterTries(context).catch(() => undefined)
  const look = approval && (await looking(approval).catch(() => undefined))
  const before = await look?.()
  const { consentId } = await context.approved(codeOfAnotherClient)
  const visit = await context.visit({ ...options, consentId })
  const after = await look?.()
  if (before && after) noteLost(context, [{ before, after }], owner)
  return { visit, before, after }
}

/** The second client's visit with a consent that the customer has authorised for the first. */
const authorisedOfAnotherClient = sharedFixture(
  [everything, secondClient, codeOfAnotherClient],
  async (context) => {
    context.tpp('second')
    await context.approved(secondClient)
    return aroundVisit(context, 'CLC-25/other-client', {
      client: 'second',
      purpose: FOREIGN_AUTHORISED,
    })
  },
)

const STRANGER = 'a consent that another customer has authorised'

/**
 * The second customer visits with the ConsentId of the first customer's
 * approval. Fails: a code arrives. Not applicable without a second customer.
 * Uses the approval whose code TOK-35 tried, on which no later check relies.
 */
check(
  'AUTHZ-30/other-customer',
  'A consent that one customer has authorised cannot be authorised by another',
  {
    uses: [everything, reconfirmed, codeOfAnotherClient],
    spends: codeOfAnotherClient,
    refusals: [STRANGER],
    needs: ['customers.second'],
  },
  async (context) => {
    await approvedBefore(context, reconfirmed)
    relyOnNoCode('AUTHZ-22/again-before-login', await nobodyConfirmsAgain(context))
    expectNoCode((await ofAnotherCustomer(context)).visit)
  },
)

/** The second customer's visit with a consent that the first has authorised. */
const ofAnotherCustomer = sharedFixture([everything, codeOfAnotherClient], async (context) => {
  context.customer('second')
  return aroundVisit(context, 'CLC-25/other-customer', { customer: 'second', purpose: STRANGER })
})

/**
 * The consents of the visits above, before any of them is used up: an unauthorised one is
 * still unauthorised, an authorised one still gives the same data. Blocked where a code came.
 */
check(
  'CLC-25/other-client',
  'A consent is unchanged after its authorisation was refused to another client',
  {
    uses: [everything, reconfirmed, secondClient, codeOfAnotherClient],
    needs: ['clients.second'],
    refusals: [FOREIGN, FOREIGN_AUTHORISED],
  },
  async (context) => {
    const waiting = await ofAnotherClient(context)
    relyOnNoCode('AUTHZ-14/other-client', waiting.visit)
    expect(waiting.after).toSucceed()
    expect(waiting.after).toHaveMember('Data.Status', statusOf(waiting.before))
    await approvedBefore(context, reconfirmed)
    expectUntouched('AUTHZ-14/authorised', await authorisedOfAnotherClient(context))
  },
)

check(
  'CLC-25/other-customer',
  'A consent is unchanged after its authorisation was refused to another customer',
  {
    uses: [everything, reconfirmed, codeOfAnotherClient],
    refusals: [STRANGER],
    needs: ['customers.second'],
    follows: ['CLC-25/other-client'],
  },
  async (context) => {
    await approvedBefore(context, reconfirmed)
    expectUntouched('AUTHZ-30/other-customer', await ofAnotherCustomer(context))
  },
)

function expectUntouched(
  owner: string,
  { visit, before, after }: Awaited<ReturnType<typeof aroundVisit>>,
): void {
  relyOnNoCode(owner, visit)
  if (!before || !after || !succeeded(before.query) || !succeeded(before.data)) {
    throw new NotApplicable('the consent gave no data before the visit')
  }
  expectOthersUntouched([{ before, after }])
}
