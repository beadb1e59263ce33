import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { tokensOf } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { answerOf, percentEncoded, succeeded } from '../../../engine/suite-api/responses.ts'
import { everything, secondClient, secondCustomer } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable } from '../../tables.ts'
import {
  bearerCredential,
  isElsewhere,
  isInvalid,
  isMissing,
  isSpelling,
} from '../../values/bearer-credential.ts'
import { clientCertificate, isOver } from '../../values/client-certificate.ts'
import { accountAccess } from '../common/consents/consent-kinds.ts'
import {
  ACCOUNTS,
  CONSENTS,
  consentBody,
  consentPath,
  createConsent,
  requireConsentId,
} from '../common/consents/consent-requests.ts'
import { waysToAsk } from '../common/data/absent-reads.ts'
import { requireAccountIds } from '../common/data/data-reads.ts'
import { endWithoutForeignId, expectNothingForeign } from '../common/data/foreign-account.ts'
import { certificatePlaces, dataOverCertificates } from '../common/places/certificate-places.ts'
import {
  creationPlaces,
  otherConsentPlaces,
  queryPlaces,
} from '../common/places/credential-places.ts'
import { dataPlaces } from '../common/places/data-places.ts'
import { clientsOf } from '../common/registration/clients.ts'
import { anotherRegistration } from '../common/registration/fresh-registration.ts'
import { ONE_CLIENT } from '../common/registration/narrow-registration.ts'
import { partiesOf } from '../common/tokens/wrong-authentications.ts'

/** Certificates, bearer tokens, ownership. Requirements: specs/account-information/security.yaml */

const QUERY = 'CONS-22/answers-200'

/** Checks of one kind of certificate, at the first endpoint of each chapter. */
function certificateCheck(
  id: { consents: string; data: string },
  identity: 'none' | 'untrusted' | 'expired' | 'resumed',
  words: string,
  follows?: { consents: string[]; data: string[] },
): void {
  const table = { type: clientCertificate, rows: isOver(identity) }
  const options = {
    asks: [clientCertificate],
    ...(identity === 'expired' && { needs: ['refusedCertificates.expired' as const] }),
  }
  const ofConsents = { ...options, ...(follows && { follows: follows.consents }) }
  check(id.consents, `A consent is not queried ${words}`, ofConsents, async (context) => {
    await requireCertificate(context, identity)
    const places = certificatePlaces.query(clientsOf(context))
    await expectTable(context, { ...table, owner: id.consents, places })
  })

  const used = { ...options, uses: [everything], ...(follows && { follows: follows.data }) }
  check(id.data, `No data are read ${words}`, used, async (context) => {
    await requireCertificate(context, identity)
    const all = await dataOverCertificates(context, [everything])
    const places = all.filter(({ name }) => name === 'accounts')
    await expectTable(context, { ...table, owner: id.data, places })
  })
}

async function requireCertificate({ tpp }: Pick<Context, 'tpp'>, identity: string): Promise<void> {
  const { wire } = tpp()
  if (!wire.has(identity)) throw new NotApplicable(`the target has no ${identity} certificate`)
  if (identity === 'resumed' && !(await wire.canResume()))
    throw new NotApplicable('no listener without certificates gives a TLS session to resume')
}

certificateCheck(
  { consents: 'SEC-01/no-certificate', data: 'SEC-02/no-certificate' },
  'none',
  'without a client certificate',
)
certificateCheck(
  { consents: 'SEC-01/untrusted', data: 'SEC-02/untrusted' },
  'untrusted',
  'over a certificate of an unknown authority',
)
certificateCheck(
  { consents: 'SEC-01/expired', data: 'SEC-02/expired' },
  'expired',
  'over an expired certificate',
)
certificateCheck(
  { consents: 'SEC-01/resumed', data: 'SEC-02/resumed' },
  'resumed',
  'in a TLS session that began without a certificate at another listener',
  { consents: ['SEC-01/no-certificate'], data: ['SEC-02/no-certificate'] },
)

check(
  'SEC-03/create-without',
  'A consent is not created without an access token',
  { asks: [bearerCredential] },
  async (context) => {
    await expectTable(context, {
      owner: 'SEC-03/create-without',
      type: bearerCredential,
      rows: isMissing,
      places: creationPlaces(accountAccess, clientsOf(context)),
    })
  },
)

check(
  'SEC-03/query-without',
  'A consent is not queried without an access token',
  { asks: [bearerCredential] },
  async (context) => {
    await expectTable(context, {
      owner: 'SEC-03/query-without',
      type: bearerCredential,
      rows: isMissing,
      places: queryPlaces(clientsOf(context)),
    })
  },
)

check(
  'SEC-03/unknown-token',
  'A consent is not queried with an access token that the bank did not issue',
  { asks: [bearerCredential], follows: ['DATA-03/unknown-token'] },
  async (context) => {
    await expectTable(context, {
      owner: 'SEC-03/unknown-token',
      type: bearerCredential,
      rows: isInvalid,
      places: queryPlaces(clientsOf(context)),
    })
  },
)

check(
  'SEC-03/other-tokens',
  'A consent is not queried with an ID token, a refresh token, a code or a client assertion',
  { uses: [everything], follows: ['SEC-03/unknown-token'] },
  async (context) => {
    const { get, consentId, tokens, visit } = await context.approved(everything)
    relyOn(QUERY, await get(consentPath(consentId))).toSucceed()
    const { accessToken, idToken, refreshToken } = await tokens()
    const others = [
      { bearer: idToken, deviation: 'an ID token for an access token' },
      { bearer: refreshToken, deviation: 'a refresh token for an access token' },
      { bearer: visit.code, deviation: 'a code for an access token' },
      {
        bearer: (await partiesOf(context)).used,
        deviation: 'a client assertion for an access token',
      },
    ]
    for (const { bearer, deviation } of others) {
      if (bearer === undefined || bearer === accessToken) continue
      expect(await get(consentPath(consentId), { bearer, deviation })).toBeRefused()
    }
  },
)

check(
  'SEC-12/in-the-query',
  'Consents and data are refused where the access token stands elsewhere than in the Authorization header',
  {
    asks: [bearerCredential],
    uses: [everything],
    follows: [
      'CLC-07/in-the-query',
      'DATA-03/without-authorization',
      'SEC-03/create-without',
      'SEC-03/query-without',
      'SEC-03/funds-confirmation',
    ],
  },
  async (context) => {
    const places = [
      // Where a token may be sent does not depend on whose data it opens.
      ...(await dataPlaces(context, [everything])),
      ...(await otherConsentPlaces(context)),
    ]
    await expectTable(context, {
      owner: 'SEC-12/in-the-query',
      type: bearerCredential,
      rows: isElsewhere,
      places,
    })
  },
)

check(
  'SEC-13/recorded',
  'Which spellings of the scheme Bearer the bank takes',
  { uses: [everything] },
  async (context) => {
    const places = await dataPlaces(context, [everything])
    await expectTable(context, {
      owner: 'SEC-13/recorded',
      type: bearerCredential,
      rows: isSpelling,
      places,
    })
  },
)

/**
 * GET /accounts with an access token of the second client over the first
 * client's certificate; records the status or the failure; never fails.
 * Late: a bank may treat it as theft and end the approval.
 */
check(
  'SEC-04/recorded',
  'What an access token gives over the certificate of another client',
  { uses: [secondClient], spends: secondClient },
  async ({ approved, tpp, observe }) => {
    const { name: identity } = tpp('first')
    const { get } = await approved(secondClient)
    if (!succeeded(await get('/accounts'))) {
      throw new NotApplicable('the approval ended before, as other checks tell')
    }
    const deviation = 'certificate of another client'
    const answer = await get('/accounts', { identity, deviation })
    observe('access token over another client’s certificate', answerOf(answer), answer)
  },
)

/** At its address, and in a list, which the document does not have and a bank may show. */
check(
  'SEC-05/other-client',
  'A client cannot query a consent of another client',
  {},
  async ({ caller, tpp }) => {
    tpp('second')
    const first = await caller()
    const second = await caller('second')
    const consentId = await createConsent(first, ACCOUNTS)
    relyOn(QUERY, await first.get(consentPath(consentId))).toSucceed()
    relyOn(QUERY, await second.get(consentPath(await createConsent(second, ACCOUNTS)))).toSucceed()
    const deviation = 'a consent of another client'
    expect(await second.get(consentPath(consentId), { deviation })).toBeRefused()
    const list = await second.get(CONSENTS, { deviation: 'the address of all consents' })
    const { json, body = '' } = list.response ?? {}
    expectThat(!(json === undefined ? body : JSON.stringify(json)).includes(consentId), {
      message: 'a list of consents has one of another client',
      expected: 'no consent of another client',
      actual: consentId,
      exchange: list,
    })
  },
)

for (const { id, path, owner } of [
  { id: 'SEC-07/account', path: '', owner: 'ACC-02/answers-200' },
  { id: 'SEC-07/balances', path: '/balances', owner: 'BAL-02/answers-200' },
  { id: 'SEC-07/transactions', path: '/transactions', owner: 'TXN-02/answers-200' },
]) {
  check(
    id,
    `A customer's access token gives nothing of /accounts/{AccountId}${path} of another customer`,
    { uses: [everything, secondCustomer], needs: ['customers.second'] },
    async ({ approved, customer }) => {
      customer('second')
      const mine = await approved(everything)
      const theirs = await approved(secondCustomer)
      const own = await requireAccountIds(mine)
      const foreign = (await requireAccountIds(theirs)).find((id) => !own.includes(id))
      const [some] = own
      if (some === undefined || foreign === undefined) return endWithoutForeignId(mine, theirs)
      const at = (id: string) => `/accounts/${percentEncoded(id)}${path}`
      relyOn('DATA-08/other-approvals', await theirs.get(at(foreign))).toSucceed()
      relyOn(owner, await mine.get(at(some))).toSucceed()
      const deviation = 'account of another customer'
      expectNothingForeign(await mine.get(at(foreign), { deviation }), own)
      // Also while the customer is absent, and with each filter: none of these gives access to it.
      for (const way of waysToAsk(path).slice(1)) {
        expectNothingForeign(await mine.get(at(foreign), { ...way, deviation }), own)
      }
    },
  )
}

/**
 * Another client of the same software, which reads and deletes a consent
 * of its own. Not applicable where the bank keeps one client per software.
 */
check(
  'SEC-10/same-software',
  'A client neither queries nor deletes a consent of another client of the same software',
  {
    registers: true,
    follows: [
      'SEC-05/other-client',
      'SEC-05/other-direction',
      'CLC-08/refused',
      'CLC-08/survives',
      'CLC-08/other-direction',
    ],
  },
  async (context) => {
    const { tpp: other } = await anotherRegistration(context)
    const owner = await context.caller()
    if (other.registered?.client_id === owner.tpp.registered?.client_id) {
      throw new NotApplicable(ONE_CLIENT)
    }
    const token = await other.token({ grant_type: 'client_credentials' })
    relyOn(OWNERS.management, token).toSucceed()
    const bearer = tokensOf(token)?.accessToken
    const body = consentBody(ACCOUNTS)
    const created = await other.call('create-account-access-consent', { bearer, body })
    relyOn(OWNERS.consent, created).toSucceed()
    const own = requireConsentId(created)
    const subject = await createConsent(owner, ACCOUNTS)
    const deviation = 'a consent of another client of the same software'
    const ask = (id: string, deviation?: string) =>
      other.call('query-account-access-consent', { bearer, subject: id, deviation })
    const remove = (id: string, deviation?: string) =>
      other.call('delete-account-access-consent', { bearer, subject: id, deviation })
    relyOn(QUERY, await ask(own)).toSucceed()
    const read = await ask(subject, deviation)
    relyOn(OWNERS.deletion, await remove(own)).toSucceed()
    expect(read).toBeAnError()
    expect(await remove(subject, deviation)).toBeAnError()
    expect(await owner.get(consentPath(subject))).toSucceed()
  },
)
