import { randomBytes } from 'node:crypto'
import { type Context, check } from '../../engine/suite-api/check.ts'
import { fundsConfirmationBody } from '../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../engine/suite-api/expect.ts'
import { type CallDeviation, requireValue } from '../../engine/suite-api/flow.ts'
import { blockForData } from '../../engine/suite-api/outcomes.ts'
import { rowsOf } from '../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../engine/suite-api/shared-fixture.ts'
import { everything, secondClient, secondCustomer } from '../consents.ts'
import { OWNERS } from '../owners.ts'
import { filtersOf } from './common/absent-reads.ts'
import {
  CONSENTS,
  consentBody,
  consentPath,
  createConsent,
  requireConsentId,
} from './common/consent-requests.ts'
import { pathOf, requireAccountIds } from './common/data-reads.ts'
import { aroundExpiry, fundsAroundExpiry } from './common/expired-token.ts'
import { expectNothingForeign } from './common/foreign-account.ts'

/**
 * What security.check.ts asks of one endpoint, asked of all the others: a gateway protects each path
 * by itself. Requirements: specs/account-information/security.yaml
 */

const WRONG = [
  { identity: 'none', slug: 'no-certificate', deviation: 'no client certificate' },
  { identity: 'untrusted', slug: 'untrusted', deviation: 'an untrusted certificate' },
  { identity: 'expired', slug: 'expired', deviation: 'an expired certificate' },
]

const OF_ANOTHER = 'account of another customer'

/** Connections that no endpoint may serve: without certificate, and over those that the target has. */
function wrongConnections({ tpp }: Context) {
  return WRONG.filter(({ identity }) => identity === 'none' || tpp().wire.has(identity))
}

type Wrong = CallDeviation & { deviation: string }

/** The same, once a query was refused over each of them: one that is served is another check's. */
const refusedForQueries = sharedFixture([], async (context) => {
  const { get } = await context.caller()
  const { id } = requireValue(await context.steps.consent(everything))
  const wrongs: Wrong[] = []
  for (const { slug, ...wrong } of wrongConnections(context)) {
    relyOn(`SEC-01/${slug}`, await get(consentPath(id), wrong)).toBeRefused()
    wrongs.push(wrong)
  }
  return wrongs
})

check(
  'SEC-01/create',
  'No consent is created without a valid transport certificate',
  {},
  async (context) => {
    const { post } = await context.caller()
    relyOn(OWNERS.consent, await post(CONSENTS, consentBody())).toSucceed()
    for (const wrong of await refusedForQueries(context)) {
      expect(await post(CONSENTS, consentBody(), wrong)).toBeRefused()
    }
  },
)

check(
  'SEC-01/delete',
  'No consent is deleted without a valid transport certificate',
  {},
  async (context) => {
    const client = await context.caller()
    // Before the consent: where a bank lets the newest one alone wait, a later one would end it.
    const wrongs = await refusedForQueries(context)
    const path = consentPath(await createConsent(client))
    relyOn(OWNERS.query, await client.get(path)).toSucceed()
    for (const wrong of wrongs) {
      expect(await client.delete(path, wrong)).toBeRefused()
      expect(await client.get(path)).toSucceed()
    }
    relyOn(OWNERS.deletion, await client.delete(path)).toSucceed()
  },
)

check(
  'SEC-01/funds-confirmation',
  'No funds confirmation consent is created without a valid transport certificate',
  {},
  async (context) => {
    requireValue(await context.steps.fundsConfirmation())
    const { post, funds } = await context.caller()
    const body = fundsConfirmationBody(context.target, funds().scheme)
    const create = (wrong?: CallDeviation) => post('/funds-confirmation-consents', body, wrong)
    relyOn(OWNERS.fundsConfirmation, await create()).toSucceed()
    for (const wrong of await refusedForQueries(context)) {
      expect(await create(wrong)).toBeRefused()
    }
  },
)

check(
  'SEC-01/funds-deletion',
  'No funds confirmation consent is deleted without a valid transport certificate',
  { follows: ['SEC-01/funds-confirmation'] },
  async (context) => {
    requireValue(await context.steps.fundsConfirmation())
    requireValue(await context.steps.fundsDeletion())
    const { post, delete: remove, funds } = await context.caller()
    const body = fundsConfirmationBody(context.target, funds().scheme)
    const created = await post('/funds-confirmation-consents', body)
    relyOn(OWNERS.fundsConfirmation, created).toSucceed()
    const id = requireConsentId(created, 'FCC-07/consent-id')
    const path = `/funds-confirmation-consents/${encodeURIComponent(id)}`
    for (const wrong of await refusedForQueries(context)) {
      expect(await remove(path, wrong)).toBeRefused()
    }
    relyOn(OWNERS.fundsDeletion, await remove(path)).toSucceed()
  },
)

/** The data endpoints behind GET /accounts, and the checks that own them. */
const SINGLE = [
  { tail: '', slug: 'account', owner: 'ACC-02/answers-200' },
  { tail: '/balances', slug: 'balances', owner: 'BAL-02/answers-200' },
  { tail: '/transactions', slug: 'transactions', owner: 'TXN-02/answers-200' },
] as const

check(
  'SEC-02/other-endpoints',
  'No data endpoint is served without a valid transport certificate',
  { uses: [everything] },
  async (context) => {
    const approval = await context.approved(everything)
    const ids = await requireAccountIds(approval)
    for (const { slug, ...wrong } of wrongConnections(context)) {
      relyOn(`SEC-02/${slug}`, await approval.get('/accounts', wrong)).toBeRefused()
    }
    const endpoints = [
      { path: '/balances', owner: OWNERS.balances },
      { path: '/transactions', owner: OWNERS.transactions },
      ...context
        .cases(ids)
        .flatMap((id) => SINGLE.map(({ tail, owner }) => ({ path: pathOf(id, tail), owner }))),
    ]
    for (const { path, owner } of endpoints) {
      relyOn(owner, await approval.get(path)).toSucceed()
      for (const { slug: _, ...wrong } of wrongConnections(context)) {
        expect(await approval.get(path, wrong)).toBeRefused()
      }
      const [{ identity, deviation } = {}] = wrongConnections(context)
      for (const way of filtersOf(path)) {
        expect(await approval.get(path, { ...way, identity, deviation })).toBeRefused()
      }
    }
  },
)

/**
 * Query an own consent, and create one, with a token of its own before and after the hook token-expired (or
 * waiting) made it expire. Fails: 2xx after it. Not-applicable without either.
 */
check(
  'SEC-03/expired-token',
  'No consent is created or queried with an access token that has expired',
  { needs: ['hooks.token-expired'] },
  async (context) => {
    const client = await context.caller()
    const path = consentPath(await createConsent(client))
    const madeUp = { bearer: randomBytes(32).toString('base64url'), deviation: 'a made-up token' }
    relyOn('SEC-03/unknown-token', await client.get(path, madeUp)).toBeRefused()
    const { before, after } = await aroundExpiry(context)
    relyOn(OWNERS.query, before.query).toSucceed()
    expect(after.query).toBeRefused()
    relyOn(OWNERS.consent, before.creation).toSucceed()
    expect(after.creation).toBeRefused()
  },
)

check(
  'SEC-03/expired-funds-token',
  'No funds confirmation consent is created with an access token that has expired',
  { needs: ['hooks.token-expired'], follows: ['SEC-03/expired-token'] },
  async (context) => {
    const { before, after } = await fundsAroundExpiry(context)
    relyOn(OWNERS.fundsConfirmation, before.creation).toSucceed()
    expect(after.creation).toBeRefused()
  },
)

check(
  'SEC-03/create-unknown-token',
  'No consent is created with an access token that the bank did not issue',
  {},
  async (context) => {
    const client = await context.caller()
    const { id } = requireValue(await context.steps.consent(everything))
    const wrong = { bearer: randomBytes(32).toString('base64url'), deviation: 'a made-up token' }
    relyOn('SEC-03/unknown-token', await client.get(consentPath(id), wrong)).toBeRefused()
    relyOn(OWNERS.consent, await client.post(CONSENTS, consentBody())).toSucceed()
    expect(await client.post(CONSENTS, consentBody(), wrong)).toBeRefused()
  },
)

check(
  'SEC-03/funds-confirmation',
  'No funds confirmation consent is created without an access token that the bank issued',
  {},
  async (context) => {
    requireValue(await context.steps.fundsConfirmation())
    const client = await context.caller()
    const body = fundsConfirmationBody(context.target, client.funds().scheme)
    const create = (wrong?: CallDeviation) =>
      client.post('/funds-confirmation-consents', body, wrong)
    relyOn(OWNERS.fundsConfirmation, await create()).toSucceed()
    const made = randomBytes(32).toString('base64url')
    expect(await create({ bearer: null, deviation: 'no Authorization header' })).toBeRefused()
    expect(await create({ bearer: made, deviation: 'a made-up token' })).toBeRefused()
  },
)

check(
  'SEC-05/authorised',
  'A client cannot query a consent of another client that the customer has authorised either',
  { uses: [everything] },
  async ({ approved, caller, tpp }) => {
    tpp('second')
    const owner = await approved(everything)
    const other = await caller('second')
    const path = consentPath(owner.consentId)
    relyOn(OWNERS.query, await owner.get(path)).toSucceed()
    relyOn(OWNERS.query, await other.get(consentPath(await createConsent(other)))).toSucceed()
    const waiting = consentPath(await createConsent(owner))
    relyOn(
      'SEC-05/other-client',
      await other.get(waiting, { deviation: 'a consent of another client' }),
    ).toBeRefused()
    const deviation = 'an authorised consent of another client'
    expect(await other.get(path, { deviation })).toBeRefused()
  },
)

check(
  'SEC-05/other-direction',
  'The first client cannot query a consent of the second one, waiting or authorised',
  { uses: [secondClient], follows: ['SEC-05/other-client', 'SEC-05/authorised'] },
  async ({ approved, caller, tpp }) => {
    tpp('second')
    const owner = await approved(secondClient)
    const other = await caller()
    relyOn(OWNERS.query, await owner.get(consentPath(owner.consentId))).toSucceed()
    relyOn(OWNERS.query, await other.get(consentPath(await createConsent(other)))).toSucceed()
    const deviation = 'a consent of another client'
    const waiting = await createConsent(owner)
    for (const id of [waiting, owner.consentId]) {
      relyOn(
        'SEC-05/other-client',
        await owner.get(consentPath(await createConsent(other)), { deviation }),
      ).toBeRefused()
      expect(await other.get(consentPath(id), { deviation })).toBeRefused()
    }
  },
)

check(
  'SEC-07/second-client',
  "The second client's access token gives nothing of the accounts of another customer",
  { uses: [everything, secondClient, secondCustomer] },
  async ({ approved, customer, tpp }) => {
    customer('second')
    tpp('second')
    const mine = await approved(secondClient)
    const theirs = await approved(secondCustomer)
    const own = await requireAccountIds(mine)
    const foreign = (await requireAccountIds(theirs)).filter((id) => !own.includes(id))
    if (foreign.length === 0)
      blockForData('an account of each customer, with an AccountId of its own')
    const first = await approved(everything)
    for (const { tail, slug } of SINGLE) {
      for (const id of foreign) {
        relyOn('DATA-08/other-approvals', await theirs.get(pathOf(id, tail))).toSucceed()
        const ofFirst = await first.get(pathOf(id, tail), { deviation: OF_ANOTHER })
        if (rowsOf(ofFirst).length > 0) relyOn(`SEC-07/${slug}`, ofFirst).toBeRefused()
        expectNothingForeign(await mine.get(pathOf(id, tail), { deviation: OF_ANOTHER }), own)
      }
    }
  },
)

check(
  'SEC-07/second-customer',
  "The second customer's access token gives nothing of the first customer's accounts",
  { uses: [everything, secondCustomer], needs: ['customers.second'] },
  async ({ approved, customer }) => {
    customer('second')
    const mine = await approved(everything)
    const theirs = await approved(secondCustomer)
    const own = await requireAccountIds(theirs)
    const ofFirst = await requireAccountIds(mine)
    const foreign = ofFirst.find((id) => !own.includes(id))
    // Two customers may share an account.
    const unshared = own.find((id) => !ofFirst.includes(id))
    const some = unshared ?? own[0]
    if (some === undefined || foreign === undefined) {
      blockForData('an account of each customer, with an AccountId of its own')
    }
    for (const { tail, owner, slug } of SINGLE) {
      if (unshared !== undefined) {
        const first = await mine.get(pathOf(unshared, tail), { deviation: OF_ANOTHER })
        if (rowsOf(first).length > 0) relyOn(`SEC-07/${slug}`, first).toBeRefused()
      }
      relyOn(owner, await mine.get(pathOf(foreign, tail))).toSucceed()
      relyOn('DATA-08/other-approvals', await theirs.get(pathOf(some, tail))).toSucceed()
      expectNothingForeign(await theirs.get(pathOf(foreign, tail), { deviation: OF_ANOTHER }), own)
    }
  },
)
