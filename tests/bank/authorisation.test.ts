import { compactVerify, createLocalJWKSet, decodeJwt } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { signJws } from '../../bank/authorisation-server/signature.ts'
import { directoryOfFile, open, openForFile, shut } from './opened.ts'
import { everything, halfHash, state } from './tpp.ts'

const directory = await directoryOfFile()
const { bank, first, second } = await openForFile({ directory })
const { endpoints } = bank.services
const seconds = () => Math.floor(Date.now() / 1000)

afterEach(() => expect(bank.problems).toEqual([]))

async function statusOf(consentId: string) {
  const bearer = await first.clientToken()
  return (await first.call(`/aisp/account-access-consents/${consentId}`, { bearer })).json.Data
    .Status
}

test('approval: fragment with code, ID token and state; hashes; the consent is Authorised', async () => {
  const consentId = await first.consent()
  expect(await statusOf(consentId)).toBe('AwaitingAuthorisation')
  const { url, query, fragment, statuses } = await first.approve(consentId)
  expect(statuses).not.toContain(303)
  expect(url?.startsWith('https://tally.example/callback#')).toBe(true)
  expect(query).toEqual({})
  expect(Object.keys(fragment).sort()).toEqual(['code', 'id_token', 'state'])
  expect(fragment.state).toBe('the-state')
  const keys = createLocalJWKSet((await first.send(endpoints.jwks, { certificate: 'none' })).json)
  const { protectedHeader } = await compactVerify(String(fragment.id_token), keys)
  expect(protectedHeader.alg).toBe('PS256')
  expect(decodeJwt(String(fragment.id_token))).toMatchObject({
    iss: endpoints.issuer,
    aud: first.client.client_id,
    nonce: 'the-nonce',
    acr: 'urn:openbanking:psd2:sca',
    auth_time: expect.any(Number),
    openbanking_intent_id: consentId,
    c_hash: halfHash(String(fragment.code)),
    s_hash: halfHash('the-state'),
  })
  expect(await statusOf(consentId)).toBe('Authorised')
})

test('without state there is none in the answer', async () => {
  const consentId = await first.consent()
  const object = first.sign(first.requestObject(consentId, { state: undefined }))
  const { fragment } = await first.visit(first.authoriseUrl(object, { state: undefined }))
  expect(Object.keys(fragment).sort()).toEqual(['code', 'id_token'])
  expect(decodeJwt(String(fragment.id_token)).s_hash).toBeUndefined()
})

test('denial: access_denied in the fragment with state, and the consent is Rejected for good', async () => {
  const consentId = await first.consent()
  const { fragment, query } = await first.approve(consentId, { decision: 'deny' })
  expect(query).toEqual({})
  expect(fragment).toMatchObject({ error: 'access_denied', state: 'the-state' })
  expect(Object.keys(fragment).sort()).toEqual(['error', 'error_description', 'state'])
  expect(await statusOf(consentId)).toBe('Rejected')
  expect((await first.approve(consentId)).fragment.error).toBe('invalid_request')
})

test('a wrong password shows the page again, with a message', async () => {
  const { answer, url } = await first.approve(await first.consent(), { password: 'wrong' })
  expect(url).toBeUndefined()
  expect(answer.status).toBe(200)
  expect(answer.text).toContain('is not right')
})

test('no card ticked: the page again, with a message', async () => {
  const { answer, url } = await first.approve(await first.consent(), { only: 0 })
  expect(url).toBeUndefined()
  expect(answer.text).toContain('Choose at least one card')
})

describe('refused by redirect, with state, in the fragment', () => {
  test.each<[string, string, (id: string) => Record<string, unknown>]>([
    ['expired', 'invalid_request_object', () => ({ exp: seconds() - 60 })],
    ['exp a text', 'invalid_request_object', () => ({ exp: 'tomorrow' })],
    ['not yet', 'invalid_request_object', () => ({ nbf: seconds() + 600 })],
    ['another aud', 'invalid_request_object', () => ({ aud: 'https://another.example' })],
    ['no aud', 'invalid_request_object', () => ({ aud: undefined })],
    ['another iss', 'invalid_request_object', () => ({ iss: 'somebody' })],
    ['no nonce', 'invalid_request_object', () => ({ nonce: undefined })],
    ['no response type', 'invalid_request', () => ({ response_type: undefined })],
    ['no redirect_uri', 'invalid_request_object', () => ({ redirect_uri: undefined })],
    ['no scope', 'invalid_request_object', () => ({ scope: undefined })],
    ['scope a number', 'invalid_request_object', () => ({ scope: 5 })],
    ['no intent', 'invalid_request_object', () => ({ claims: undefined })],
    ['scope beyond registration', 'invalid_scope', () => ({ scope: 'openid accounts payments' })],
    ['scope of another intent', 'invalid_request', () => ({ scope: 'openid fundsconfirmations' })],
    ['response_mode query', 'invalid_request', () => ({ response_mode: 'query' })],
    ['response_mode form_post', 'invalid_request', () => ({ response_mode: 'form_post' })],
    ['prompt none', 'consent_required', () => ({ prompt: 'none' })],
    ['unknown intent', 'invalid_request', () => ({ claims: intent('no-such-intent') })],
  ])('%s', async (_what, error, claims) => {
    const consentId = await first.consent()
    const object = first.sign(first.requestObject(consentId, claims(consentId)))
    const { fragment, query } = await first.visit(first.authoriseUrl(object))
    expect(query).toEqual({})
    expect(fragment).toMatchObject({ error, state: 'the-state' })
  })

  test('no request object, an unsigned one, one of another key, a tampered one', async () => {
    const consentId = await first.consent()
    const claims = first.requestObject(consentId)
    const [header, payload, signature] = first.sign(claims).split('.') as [string, string, string]
    const changed = Buffer.from(JSON.stringify({ ...claims, nonce: 'other' })).toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const bad: [string | undefined, string][] = [
      [undefined, 'invalid_request'],
      [`${none}.${payload}.`, 'invalid_request_object'],
      [second.sign(claims), 'invalid_request_object'],
      [signJws(claims, directory.signing), 'invalid_request_object'],
      [`${header}.${changed}.${signature}`, 'invalid_request_object'],
    ]
    for (const [object, error] of bad) {
      const { fragment } = await first.visit(first.authoriseUrl(object))
      expect(fragment).toMatchObject({ error, state: 'the-state' })
    }
  })

  test('another client’s intent', async () => {
    const foreign = await second.consent()
    const { fragment } = await first.approve(foreign)
    expect(fragment.error).toBe('invalid_request')
    expect(fragment.code).toBeUndefined()
  })

  test('another customer’s consent cannot be re-confirmed', async () => {
    const { consentId } = await first.approved()
    const { fragment } = await first.approve(consentId, { customer: 'second' })
    expect(fragment).toMatchObject({ error: 'access_denied', state: 'the-state' })
  })

  test('a deleted, revoked or expired consent', async () => {
    const deleted = await first.approved()
    const bearer = await first.clientToken()
    const path = `/aisp/account-access-consents/${deleted.consentId}`
    expect((await first.call(path, { method: 'DELETE', bearer })).status).toBe(204)
    const revoked = await first.approved()
    expect(await state(bank, 'customer-revokes', { consentId: revoked.consentId })).toBe(204)
    const ExpirationDateTime = new Date(Date.now() + 86_400_000).toISOString()
    const expired = await first.approved({ ExpirationDateTime })
    expect(await state(bank, 'consent-expired', { consentId: expired.consentId })).toBe(204)
    for (const { consentId } of [deleted, revoked, expired]) {
      expect((await first.approve(consentId)).fragment.error).toBe('invalid_request')
    }
  })
})

test('response_type code is refused', async () => {
  const object = first.sign(first.requestObject(await first.consent(), { response_type: 'code' }))
  const { fragment, query } = await first.visit(
    first.authoriseUrl(object, { response_type: 'code' }),
  )
  expect(fragment.code ?? query.code).toBeUndefined()
  expect(fragment.error ?? query.error).toBeDefined()
})

test('an unregistered redirect URI is never redirected to', async () => {
  const consentId = await first.consent()
  for (const uri of [
    'https://evil.example/',
    'https://tally.example/callback?x=1',
    'https://tally.example/callback/..',
  ]) {
    const object = first.sign(first.requestObject(consentId, { redirect_uri: uri }))
    const { url, answer } = await first.visit(first.authoriseUrl(object, { redirect_uri: uri }))
    expect(url).toBeUndefined()
    expect(answer.status).toBe(400)
    expect(answer.headers['content-type']).toContain('text/html')
  }
})

test('an unknown client is told so on a page', async () => {
  const { answer, url } = await first.visit(first.authoriseUrl('x.y.z', { client_id: 'nobody' }))
  expect(url).toBeUndefined()
  expect(answer.status).toBe(400)
})

test('the order of scopes and a second redirect URI are free', async () => {
  const consentId = await first.consent()
  const redirect_uri = first.own.redirectUris[1] as string
  const object = first.sign(
    first.requestObject(consentId, { scope: 'accounts openid', redirect_uri }),
  )
  const { url } = await first.visit(
    first.authoriseUrl(object, { redirect_uri, scope: 'accounts openid' }),
  )
  expect(url?.startsWith(`${redirect_uri}#code=`)).toBe(true)
})

test('the consent page shows who asks for what, escaped and without scripts', async () => {
  const ExpirationDateTime = '2031-05-06T07:08:09Z'
  const consentId = await first.consent({
    ExpirationDateTime,
    TransactionFromDateTime: '2026-01-02T00:00:00Z',
  })
  const { answer } = await first.approve(consentId, { only: 0 })
  expect(answer.text).toContain('Tally Ledger Limited')
  expect(answer.text).toContain('Tally Budgeting')
  expect(answer.text).toContain('Your balance and your credit limit')
  expect(answer.text).toContain('6 May 2031')
  expect(answer.text).toContain('2 January 2026')
  expect(answer.text).toContain('************4417')
  expect(answer.text).not.toContain('<script')
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
})

test('a funds confirmation consent is approved by the holder of the card', async () => {
  const bearer = await first.clientToken('fundsconfirmations')
  const Data = { DebtorAccount: { SchemeName: 'UK.OBIE.PAN', Identification: '4417' } }
  const { json } = await first.call('/cbpii/funds-confirmation-consents', {
    bearer,
    body: { Data, Risk: {} },
  })
  const claims = first.requestObject(json.Data.ConsentId, { scope: 'openid fundsconfirmations' })
  const url = first.authoriseUrl(first.sign(claims), { scope: 'openid fundsconfirmations' })
  expect((await first.visit(url, { customer: 'second' })).fragment.error).toBe('access_denied')
  const { code } = (await first.visit(url)).fragment
  const tokens = (await first.exchange(String(code))).json
  expect(tokens.scope).toBe('openid fundsconfirmations')
  expect((await first.call('/aisp/accounts', { bearer: tokens.access_token })).status).toBe(403)
})

test('a page of a visit that never began says so', async () => {
  const { status, text } = await first.send(`${endpoints.at.authorisation}/interaction/none`, {
    certificate: 'none',
  })
  expect(status).toBe(400)
  expect(text).toContain('This visit has ended or never began')
  const method = 'POST'
  const posted = await first.send(endpoints.authorisation, { method, certificate: 'none' })
  expect([posted.status, posted.headers.allow]).toEqual([405, 'GET'])
  const missing = await first.send(`${endpoints.at.authorisation}/nothing`, { certificate: 'none' })
  expect(missing.status).toBe(404)
})

test('re-confirming keeps ConsentId and AccountIds', async () => {
  const before = await first.approved({ Permissions: everything }, { only: 1 })
  const ids = async (bearer: string) =>
    (await first.call('/aisp/accounts', { bearer })).json.Data.Account.map(
      (one: { AccountId: string }) => one.AccountId,
    )
  const accounts = await ids(before.bearer)
  expect(accounts).toHaveLength(1)
  const visit = await first.approve(before.consentId)
  const after = (await first.exchange(String(visit.fragment.code))).json
  expect(await ids(after.access_token)).toEqual(accounts)
  const denied = await first.approve(before.consentId, { decision: 'deny' })
  expect(denied.fragment.error).toBe('access_denied')
  expect(await statusOf(before.consentId)).toBe('Authorised')
})

function intent(value: string) {
  return { id_token: { openbanking_intent_id: { value, essential: true } } }
}

describe('what FAPI 1.0 Advanced asks for beyond the documents', () => {
  const beyond: [string, () => Record<string, unknown>][] = [
    ['no exp', () => ({ exp: undefined })],
    ['no nbf', () => ({ nbf: undefined })],
    ['nbf long ago', () => ({ nbf: seconds() - 7200 })],
    ['lives too long', () => ({ exp: seconds() + 7200 })],
  ]

  async function errorOf(tpp: typeof first, claims: Record<string, unknown>) {
    const object = tpp.sign(tpp.requestObject(await tpp.consent(), claims))
    return (await tpp.visit(tpp.authoriseUrl(object))).fragment?.error
  }

  test.each(beyond)('%s is not refused', async (_what, claims) => {
    expect(await errorOf(first, claims())).toBeUndefined()
  })

  test('a strict bank refuses it', async () => {
    const strict = await open({ directory, settings: { strict: 'fapi' } })
    for (const [what, claims] of beyond) {
      expect(await errorOf(strict.first, claims()), what).toBe('invalid_request_object')
    }
    await shut(strict)
  })
})
