import { randomBytes } from 'node:crypto'
import { check } from '../../../engine/suite-api/check.ts'
import type { Approval } from '../../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { claimsOf, encodedPart } from '../../../engine/suite-api/jwt.ts'
import { rowsOf, succeeded } from '../../../engine/suite-api/responses.ts'
import { everything, secondClient, secondCustomer } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable } from '../../tables.ts'
import { bearerCredential, isInvalid } from '../../values/bearer-credential.ts'
import { accountAccess, fundsConfirmation } from '../common/consents/consent-kinds.ts'
import { consentPath, createConsent } from '../common/consents/consent-requests.ts'
import { ABSENT } from '../common/data/absent-reads.ts'
import { pathOf, requireAccountIds, servedRead } from '../common/data/data-reads.ts'
import { endWithoutForeignId, expectNothingForeign } from '../common/data/foreign-account.ts'
import { creationPlaces } from '../common/places/credential-places.ts'
import { clientsOf } from '../common/registration/clients.ts'
import { aroundExpiry, fundsAroundExpiry } from '../common/tokens/expired-token.ts'

/**
 * The tests of security.check.ts, at all other endpoints: a gateway protects
 * each path separately. Requirements: specs/account-information/security.yaml
 */

const OF_ANOTHER = 'account of another customer'

/** The data endpoints of a single account, and the checks that own them. */
const SINGLE = [
  { tail: '', id: 'SEC-07/account', owner: 'ACC-02/answers-200' },
  { tail: '/balances', id: 'SEC-07/balances', owner: 'BAL-02/answers-200' },
  { tail: '/transactions', id: 'SEC-07/transactions', owner: 'TXN-02/answers-200' },
] as const

/**
 * Queries a consent and creates one, with a token before and after it expired (by the hook
 * token-expired, or by waiting). Fails: 2xx afterwards. Not applicable without either.
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
  { asks: [bearerCredential], follows: ['DATA-03/unknown-token', 'SEC-03/unknown-token'] },
  async (context) =>
    expectTable(context, {
      owner: 'SEC-03/create-unknown-token',
      type: bearerCredential,
      rows: isInvalid,
      places: creationPlaces(accountAccess, clientsOf(context)),
    }),
)

check(
  'SEC-03/funds-confirmation',
  'No funds confirmation consent is created without an access token that the bank issued',
  { asks: [bearerCredential], follows: ['DATA-03/unknown-token', 'SEC-03/unknown-token'] },
  async (context) => {
    await expectTable(context, {
      owner: 'SEC-03/funds-confirmation',
      type: bearerCredential,
      rows: ({ level }) => level === 'must',
      places: creationPlaces(fundsConfirmation, await fundsConfirmation.creators(context)),
    })
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
  'The first client cannot query a consent of the second one, awaiting authorisation or authorised',
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
      const answer = await other.get(consentPath(id), { deviation })
      if (succeeded(answer)) {
        const own = consentPath(await createConsent(other))
        relyOn('SEC-05/other-client', await owner.get(own, { deviation })).toBeRefused()
      }
      expect(answer).toBeRefused()
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
    if (foreign.length === 0) return endWithoutForeignId(mine, theirs)
    const first = await approved(everything)
    for (const { tail, id: check } of SINGLE) {
      for (const id of foreign) {
        relyOn('DATA-08/other-approvals', await theirs.get(pathOf(id, tail))).toSucceed()
        const answer = await mine.get(pathOf(id, tail), { deviation: OF_ANOTHER })
        if (rowsOf(answer).length > 0) {
          const ofFirst = await first.get(pathOf(id, tail), { deviation: OF_ANOTHER })
          if (rowsOf(ofFirst).length > 0) relyOn(check, ofFirst).toBeRefused()
        }
        expectNothingForeign(answer, own)
      }
    }
    // Only one request without the customer: a limit allows few of them.
    const alone = { ...ABSENT, deviation: OF_ANOTHER }
    expectNothingForeign(await mine.get(pathOf(foreign[0] ?? '', '/balances'), alone), own)
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
    if (some === undefined || foreign === undefined) return endWithoutForeignId(theirs, mine)
    for (const { tail, owner, id } of SINGLE) {
      relyOn(owner, await mine.get(pathOf(foreign, tail))).toSucceed()
      relyOn('DATA-08/other-approvals', await theirs.get(pathOf(some, tail))).toSucceed()
      const answer = await theirs.get(pathOf(foreign, tail), { deviation: OF_ANOTHER })
      if (unshared !== undefined && rowsOf(answer).length > 0) {
        const first = await mine.get(pathOf(unshared, tail), { deviation: OF_ANOTHER })
        if (rowsOf(first).length > 0) relyOn(id, first).toBeRefused()
      }
      expectNothingForeign(answer, own)
    }
  },
)

/** Rules about the account of a row. */
const OF_ONE_ACCOUNT = [
  'ACC-02/asked-account-only',
  'BAL-02/asked-account-only',
  'TXN-02/asked-account-only',
]

/** A framework that binds path and query to one object takes one of the two values, after the other was checked. */
check(
  'SEC-07/in-the-query',
  'An AccountId in the query, beside an own one in the path, gives nothing of another customer’s account',
  {
    uses: [everything, secondCustomer],
    needs: ['customers.second'],
    follows: ['SEC-07/account', 'SEC-07/balances', 'SEC-07/transactions'],
  },
  async ({ approved, customer }) => {
    customer('second')
    const mine = await approved(everything)
    const theirs = await approved(secondCustomer)
    const own = await requireAccountIds(mine)
    const foreign = (await requireAccountIds(theirs)).find((id) => !own.includes(id))
    if (foreign === undefined) return endWithoutForeignId(mine, theirs)
    for (const { tail, owner } of SINGLE) {
      const path = pathOf(own[0] ?? '', tail)
      relyOn(owner, await servedRead(mine, path)).toSucceed()
      const deviation = 'an account of another customer in the query'
      const about = { owns: OF_ONE_ACCOUNT }
      const answer = await mine.get(path, { query: { AccountId: foreign }, deviation, about })
      if (!succeeded(answer)) expect(answer).toBeRefused()
      expect(answer).toHoldOnly('a row of an own account', ({ AccountId: id }) =>
        own.includes(String(id)),
      )
    }
  },
)

/**
 * The access token of a customer, with headers that name another's consent and login. Gateways tell the services behind
 * them so whose request it is, and must remove such headers from requests that come from outside.
 */
check(
  'SEC-07/in-headers',
  'Headers that name another customer and consent give nothing of that customer’s accounts',
  { uses: [everything, secondCustomer], needs: ['customers.second'] },
  async ({ approved, customer }) => {
    customer('second')
    const mine = await approved(everything)
    const theirs = await approved(secondCustomer)
    const foreign = await requireAccountIds(theirs)
    const own = await requireAccountIds(mine)
    if (foreign.every((id) => own.includes(id))) return endWithoutForeignId(mine, theirs)
    for (const list of ['accounts', 'balances', 'transactions'] as const) {
      const control = await servedRead(mine, `/${list}`)
      relyOn(OWNERS[list], control).toSucceed()
      const shown = [...own, ...rowsOf(control).map(({ AccountId }) => String(AccountId))]
      const deviation = 'headers that name another customer'
      const answer = await mine.get(`/${list}`, { headers: namedBy(theirs), deviation })
      if (!succeeded(answer)) expect(answer).toBeRefused()
      expect(answer).toHoldOnly('a row of an own account', ({ AccountId: id }) =>
        shown.includes(String(id)),
      )
    }
  },
)

/** Headers in which gateways and their plugins pass on a consent, a user, or the claims of a token. */
function namedBy({ consentId, visit }: Approval): Record<string, string> {
  const sub = claimsOf(visit.redirect.idToken ?? '')?.sub
  const user = typeof sub === 'string' ? sub : consentId
  const claims = encodedPart({ sub: user, consent_id: consentId })
  return {
    ...{ 'Consent-ID': consentId, 'X-Consent-ID': consentId },
    ...{ 'X-Authenticated-Userid': user, 'X-User-ID': user, 'X-Consumer-Custom-ID': user },
    ...{ 'X-Forwarded-User': user, 'X-Auth-Request-User': user, 'X-Remote-User': user },
    ...{ 'X-Userinfo': claims, 'X-JWT-Assertion': `${encodedPart({ alg: 'none' })}.${claims}.` },
  }
}
