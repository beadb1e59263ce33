import { request } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { directoryOfFile, openForFile } from './opened.ts'
import { state } from './tpp.ts'

const directory = await directoryOfFile()
const { bank, first } = await openForFile({ directory })
const accessPath = '/aisp/account-access-consents'
const soon = () => new Date(Date.now() + 30 * 86_400_000).toISOString()

afterEach(() => expect(bank.problems).toEqual([]))

const reads = async (bearer: string) => (await first.call('/aisp/accounts', { bearer })).status
const refresh = async (refresh_token: string) =>
  first.token({ grant_type: 'refresh_token', refresh_token })

async function statusOf(consentId: string) {
  const bearer = await first.clientToken()
  const { status, json } = await first.call(`${accessPath}/${consentId}`, { bearer })
  return status === 200 ? json.Data : status
}

test('token-expired: that token alone; a refresh yields another one', async () => {
  const one = await first.approved()
  const other = await first.approved()
  expect(await state(bank, 'token-expired', { accessToken: one.bearer })).toBe(204)
  expect(await reads(one.bearer)).toBe(401)
  expect(await reads(other.bearer)).toBe(200)
  const { json } = await refresh(one.tokens.refresh_token)
  expect(await reads(json.access_token)).toBe(200)
  const bearer = await first.clientToken()
  expect(await state(bank, 'token-expired', { accessToken: bearer })).toBe(204)
  expect((await first.call(`${accessPath}/${one.consentId}`, { bearer })).status).toBe(401)
})

test('consent-expired: that consent alone', async () => {
  const one = await first.approved({ ExpirationDateTime: soon() })
  const other = await first.approved({ ExpirationDateTime: soon() })
  expect(await state(bank, 'consent-expired', { consentId: one.consentId })).toBe(204)
  expect(await reads(one.bearer)).toBe(401)
  expect((await refresh(one.tokens.refresh_token)).json.error).toBe('invalid_grant')
  expect(await reads(other.bearer)).toBe(200)
  expect((await statusOf(one.consentId)).Status).toBe('Authorised')
  const endless = await first.consent()
  expect(await state(bank, 'consent-expired', { consentId: endless })).toBe(409)
})

test('an ExpirationDateTime that really passes', async () => {
  const ExpirationDateTime = new Date(Date.now() + 700).toISOString()
  const { bearer } = await first.approved({ ExpirationDateTime })
  expect(await reads(bearer)).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 750))
  expect(await reads(bearer)).toBe(401)
})

test('ninety-days-passed: data is refused until the customer re-confirms', async () => {
  const { consentId, bearer, tokens } = await first.approved()
  const other = await first.approved()
  expect(await state(bank, 'ninety-days-passed', { consentId })).toBe(204)
  const { status, json } = await first.call('/aisp/accounts', { bearer })
  expect([status, json.Errors[0].ErrorCode]).toEqual([403, 'UK.OBIE.Reauthenticate'])
  expect((await refresh(tokens.refresh_token)).json.error).toBe('invalid_grant')
  expect(await reads(other.bearer)).toBe(200)
  const { fragment } = await first.approve(consentId)
  const again = (await first.exchange(String(fragment.code))).json
  expect(await reads(again.access_token)).toBe(200)
  expect(await reads(bearer)).toBe(200)
  expect((await refresh(tokens.refresh_token)).status).toBe(200)
})

test('customer-revokes: Revoked for the TPP, tokens dead, deletion still possible', async () => {
  const { consentId, bearer, tokens } = await first.approved()
  const before = await statusOf(consentId)
  expect(await state(bank, 'customer-revokes', { consentId })).toBe(204)
  expect(await reads(bearer)).toBe(401)
  expect((await refresh(tokens.refresh_token)).json.error).toBe('invalid_grant')
  const after = await statusOf(consentId)
  expect(after.Status).toBe('Revoked')
  expect(after.StatusUpdateDateTime > before.StatusUpdateDateTime).toBe(true)
  const method = 'DELETE'
  const deleted = await first.call(`${accessPath}/${consentId}`, {
    method,
    bearer: await first.clientToken(),
  })
  expect(deleted.status).toBe(204)
})

test('a code that was not exchanged before the revocation is void', async () => {
  const consentId = await first.consent()
  const { code } = (await first.approve(consentId)).fragment
  await state(bank, 'customer-revokes', { consentId })
  expect((await first.exchange(String(code))).json.error).toBe('invalid_grant')
})

test('deletion by the TPP: tokens dead, no longer queryable', async () => {
  const { consentId, bearer, tokens } = await first.approved()
  const method = 'DELETE'
  await first.call(`${accessPath}/${consentId}`, { method, bearer: await first.clientToken() })
  expect(await reads(bearer)).toBe(401)
  expect((await refresh(tokens.refresh_token)).json.error).toBe('invalid_grant')
  expect(await statusOf(consentId)).toBe(400)
})

test('facts about nothing, unknown facts, a wrong key', async () => {
  expect(await state(bank, 'token-expired', { accessToken: 'x' })).toBe(404)
  expect(await state(bank, 'customer-revokes', { consentId: 'x' })).toBe(404)
  expect(await state(bank, 'ninety-days-passed', { consentId: await first.consent() })).toBe(409)
  expect(await state(bank, 'rain', {})).toBe(404)
  expect(await state(bank, 'constructor', {})).toBe(404)
  const { origin } = new URL(bank.operatorUrl)
  const wrong = await request(`${origin}/facts/customer-revokes`, { method: 'POST', body: '{}' })
  expect(wrong.statusCode).toBe(404)
  await wrong.body.dump()
})

test('the account servicing facility: sees deleted consents, revokes others', async () => {
  const kept = await first.approved()
  const gone = await first.approved()
  const method = 'DELETE'
  await first.call(`${accessPath}/${gone.consentId}`, { method, bearer: await first.clientToken() })
  const { credentials } = bank.target.customers.first
  const post = (path: string, body: Record<string, string>, cookie = '') =>
    first.send(new URL(path, bank.servicingUrl).href, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
      body: new URLSearchParams(body).toString(),
      certificate: 'none',
    })
  const page = (cookie = '') =>
    first.send(bank.servicingUrl, { headers: { cookie }, certificate: 'none' })

  expect((await page()).text).toContain('name="password"')
  expect((await post('/servicing/login', { ...credentials, password: 'x' })).text).toContain(
    'is not right',
  )
  const entered = await post('/servicing/login', credentials)
  expect([entered.status, entered.headers.location]).toEqual([302, '/servicing'])
  const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
  const { text } = await page(cookie)
  expect(text).toContain(kept.consentId)
  expect(text).toContain(gone.consentId)
  expect(text).toContain('Ended by the application')

  const revoke = `/servicing/consents/${kept.consentId}/revoke`
  expect((await post(revoke, { seal: 'guessed' }, cookie)).status).toBe(302)
  expect(await reads(kept.bearer)).toBe(200)
  const seal = /name="seal" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await post(revoke, { seal }, cookie)
  expect(await reads(kept.bearer)).toBe(401)
  expect((await statusOf(kept.consentId)).Status).toBe('Revoked')
  expect((await page(cookie)).text).toContain('Revoked by you')

  const foreign = await first.approved({}, { customer: 'second' })
  await post(`/servicing/consents/${foreign.consentId}/revoke`, { seal }, cookie)
  expect(await reads(foreign.bearer)).toBe(200)
  await post('/servicing/logout', { seal }, cookie)
  expect((await page(cookie)).text).toContain('name="password"')
})
