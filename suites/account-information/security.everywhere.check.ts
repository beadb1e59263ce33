import { randomBytes } from 'node:crypto'
import type { CallDeviation } from '../../engine/journey/caller.ts'
import { fundsConfirmationBody } from '../../engine/journey/consent.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { OWNERS, taken } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { lacking } from '../../engine/judge/outcome.ts'
import { rowsOf } from '../../engine/judge/rows.ts'
import { everything, secondCustomer } from '../consents.ts'
import { CONSENTS, consentBody, consentPath, newConsentId } from './common/consent-requests.ts'
import { relyOnRefusalOf } from './common/earlier-refusal.ts'
import { expiredManagementToken } from './common/expired-token.ts'
import { expectNothingForeign } from './common/foreign-account.ts'
import { accountIds, pathOf } from './common/readings.ts'

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
const refusedForQueries = once(async (context) => {
  const { get } = await context.caller()
  const { id } = taken(await context.steps.consent(everything))
  const wrongs: Wrong[] = []
  for (const { slug, ...wrong } of wrongConnections(context)) {
    relyOnRefusalOf(`SEC-01/${slug}`, await get(consentPath(id), wrong))
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
    relyOn(OWNERS.consent, await post(CONSENTS, consentBody()))
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
    const path = consentPath(await newConsentId(client))
    relyOn(OWNERS.query, await client.get(path))
    for (const wrong of await refusedForQueries(context)) {
      expect(await client.delete(path, wrong)).toBeRefused()
      expect(await client.get(path)).toSucceed()
    }
    relyOn(OWNERS.deletion, await client.delete(path))
  },
)

check(
  'SEC-01/funds-confirmation',
  'No funds confirmation consent is created without a valid transport certificate',
  {},
  async (context) => {
    taken(await context.steps.fundsConfirmation())
    const { post, funds } = await context.caller()
    const body = fundsConfirmationBody(context.target, funds().scheme)
    const create = (wrong?: CallDeviation) => post('/funds-confirmation-consents', body, wrong)
    relyOn(OWNERS.fundsConfirmation, await create())
    for (const wrong of await refusedForQueries(context)) {
      expect(await create(wrong)).toBeRefused()
    }
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
  { uses: ['everything'] },
  async (context) => {
    const approval = await context.approved(everything)
    const [id = ''] = await accountIds(approval)
    for (const { slug, ...wrong } of wrongConnections(context)) {
      relyOnRefusalOf(`SEC-02/${slug}`, await approval.get('/accounts', wrong))
    }
    const endpoints = [
      { path: '/balances', owner: OWNERS.balances },
      { path: '/transactions', owner: OWNERS.transactions },
      ...SINGLE.map(({ tail, owner }) => ({ path: pathOf(id, tail), owner })),
    ]
    for (const { path, owner } of endpoints) {
      relyOn(owner, await approval.get(path))
      for (const { slug: _, ...wrong } of wrongConnections(context)) {
        expect(await approval.get(path, wrong)).toBeRefused()
      }
    }
  },
)

check(
  'SEC-03/expired-token',
  'No consent is created or queried with an access token that has expired',
  { needs: ['hooks.token-expired'] },
  async (context) => {
    const client = await context.caller()
    const path = consentPath(await newConsentId(client))
    const bearer = await expiredManagementToken(context)
    const deviation = 'an expired access token'
    relyOn(OWNERS.query, await client.get(path))
    const madeUp = { bearer: randomBytes(32).toString('base64url'), deviation: 'a made-up token' }
    relyOnRefusalOf('SEC-03/unknown-token', await client.get(path, madeUp))
    expect(await client.get(path, { bearer, deviation })).toBeRefused()
    relyOn(OWNERS.consent, await client.post(CONSENTS, consentBody()))
    expect(await client.post(CONSENTS, consentBody(), { bearer, deviation })).toBeRefused()
  },
)

check(
  'SEC-03/create-unknown-token',
  'No consent is created with an access token that the bank did not issue',
  {},
  async (context) => {
    const client = await context.caller()
    const { id } = taken(await context.steps.consent(everything))
    const wrong = { bearer: randomBytes(32).toString('base64url'), deviation: 'a made-up token' }
    relyOnRefusalOf('SEC-03/unknown-token', await client.get(consentPath(id), wrong))
    relyOn(OWNERS.consent, await client.post(CONSENTS, consentBody()))
    expect(await client.post(CONSENTS, consentBody(), wrong)).toBeRefused()
  },
)

check(
  'SEC-03/funds-confirmation',
  'No funds confirmation consent is created without an access token that the bank issued',
  {},
  async (context) => {
    taken(await context.steps.fundsConfirmation())
    const client = await context.caller()
    const body = fundsConfirmationBody(context.target, client.funds().scheme)
    const create = (wrong?: CallDeviation) =>
      client.post('/funds-confirmation-consents', body, wrong)
    relyOn(OWNERS.fundsConfirmation, await create())
    const made = randomBytes(32).toString('base64url')
    expect(await create({ bearer: null, deviation: 'no Authorization header' })).toBeRefused()
    expect(await create({ bearer: made, deviation: 'a made-up token' })).toBeRefused()
  },
)

check(
  'SEC-05/authorised',
  'A client cannot query a consent of another client that the customer has authorised either',
  { uses: ['everything'] },
  async ({ approved, caller, tpp }) => {
    tpp('second')
    const owner = await approved(everything)
    const other = await caller('second')
    const path = consentPath(owner.consentId)
    relyOn(OWNERS.query, await owner.get(path))
    relyOn(OWNERS.query, await other.get(consentPath(await newConsentId(other))))
    const waiting = consentPath(await newConsentId(owner))
    relyOnRefusalOf(
      'SEC-05/other-client',
      await other.get(waiting, { deviation: 'a consent of another client' }),
    )
    const deviation = 'an authorised consent of another client'
    expect(await other.get(path, { deviation })).toBeRefused()
  },
)

check(
  'SEC-07/second-customer',
  "The second customer's access token gives nothing of the first customer's accounts",
  { uses: ['everything', 'second customer'] },
  async ({ approved, customer }) => {
    customer('second')
    const mine = await approved(everything)
    const theirs = await approved(secondCustomer)
    const own = await accountIds(theirs)
    const foreign = (await accountIds(mine)).find((id) => !own.includes(id))
    const [some] = own
    if (some === undefined || foreign === undefined) {
      lacking('an account of each customer, with an AccountId of its own')
    }
    for (const { tail, owner, slug } of SINGLE) {
      const first = await mine.get(pathOf(some, tail), { deviation: OF_ANOTHER })
      if (rowsOf(first).length > 0) relyOnRefusalOf(`SEC-07/${slug}`, first)
      relyOn(owner, await mine.get(pathOf(foreign, tail)))
      relyOn('DATA-08/other-approvals', await theirs.get(pathOf(some, tail)))
      expectNothingForeign(await theirs.get(pathOf(foreign, tail), { deviation: OF_ANOTHER }))
    }
  },
)
