import { decodeJwt } from 'jose'
import { afterAll, expect, test } from 'vitest'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'
import { directoryOfFile, type Opened, open, shut } from './opened.ts'
import { everything, halfHash } from './tpp.ts'

const directory = await directoryOfFile()
const all: Opened[] = []
afterAll(() => Promise.all(all.map(shut)))

async function altered(...alterations: Alteration[]): Promise<Opened> {
  const opened = await open({ directory, alterations })
  all.push(opened)
  return opened
}

const bare = { story: 'An example.' }

test('a setting', async () => {
  const { first } = await altered({
    ...bare,
    id: 'no-refresh',
    settings: { refreshTokens: 'none' },
  })
  expect((await first.approved()).tokens).not.toHaveProperty('refresh_token')
})

test('a policy that looks at the request: the to filter needs from', async () => {
  const { bank, first } = await altered({
    ...bare,
    id: 'to-needs-from',
    policies: (correct, { fired }) => ({
      bookedWithin(row, period, endpoint) {
        if (period.from !== undefined || period.to === undefined) {
          return correct.bookedWithin(row, period, endpoint)
        }
        expect(currentRequest()?.path).toContain('/transactions')
        fired()
        return true
      },
    }),
  })
  const { bearer } = await first.approved()
  const count = async (query: string) =>
    (await first.call(`/aisp/transactions${query}`, { bearer })).json.Data.Transaction.length
  expect(await count('?toBookingDateTime=2020-01-01T00:00:00Z')).toBe(await count(''))
  expect(bank.firedBy.get('to-needs-from')).toBeGreaterThan(0)
})

test('a stored record: a code may be used again', async () => {
  const { first } = await altered({
    ...bare,
    id: 'code-replay',
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        if (model !== 'AuthorizationCode' || !record?.consumed) return record
        fired()
        return { ...record, consumed: undefined }
      },
    }),
  })
  const { code, bearer } = await first.approved()
  expect((await first.exchange(code)).status).toBe(200)
  expect((await first.call('/aisp/accounts', { bearer })).status).toBe(200)
})

test('a stored record and the request: any redirect URI is registered', async () => {
  const { first } = await altered({
    ...bare,
    id: 'open-redirect',
    policies: () => ({
      stored(model, _id, record) {
        const wanted = currentRequest()?.query.redirect_uri
        if (model !== 'Client' || !record || typeof wanted !== 'string') return record
        return { ...record, redirect_uris: [...(record.redirect_uris as string[]), wanted] }
      },
    }),
  })
  const redirect_uri = 'https://evil.example/'
  const object = first.sign(first.requestObject(await first.consent(), { redirect_uri }))
  const { url } = await first.visit(first.authoriseUrl(object, { redirect_uri }))
  expect(url?.startsWith('https://evil.example/#code=')).toBe(true)
})

test('the request’s body, changed before: an unsupported permission is dropped silently', async () => {
  const { bank, first } = await altered({
    ...bare,
    id: 'permission-dropped',
    async middleware(ctx, next) {
      const state = stateOf(ctx)
      if (ctx.path.endsWith('/account-access-consents')) {
        state.body = state.body.replace(',"ReadPAN"', '')
        state.fired()
      }
      await next()
    },
  })
  const consentId = await first.consent({ Permissions: [...everything, 'ReadPAN'] })
  expect(consentId).toBeDefined()
  expect(bank.firedBy.get('permission-dropped')).toBe(1)
})

test('the request’s query, signed again: an unsigned request object is accepted', async () => {
  const { first } = await altered({
    ...bare,
    id: 'unsigned-request',
    async middleware(ctx, next) {
      const { bank } = stateOf(ctx)
      if (ctx.path === '/authorize') {
        const claims = decodeJwt(String(ctx.query.request))
        ctx.query = { ...ctx.query, request: bank.signAsClient(claims) }
      }
      await next()
    },
  })
  const claims = first.requestObject(await first.consent())
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const { fragment } = await first.visit(
    first.authoriseUrl(`${encode({ alg: 'none' })}.${encode(claims)}.`),
  )
  expect(fragment.code).toBeDefined()
})

test('the token request’s form, signed again: no client assertion is needed', async () => {
  const { first, bank } = await altered({
    ...bare,
    id: 'no-authentication',
    async middleware(ctx, next) {
      const state = stateOf(ctx)
      const { token } = state.bank.services.endpoints
      const form = new URLSearchParams(state.body)
      const id = form.get('client_id')
      if (token.endsWith(ctx.path) && id && !form.has('client_assertion')) {
        const now = Math.floor(Date.now() / 1000)
        const claims = { iss: id, sub: id, aud: token, jti: String(Math.random()), exp: now + 60 }
        const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
        form.set('client_assertion_type', type)
        form.set('client_assertion', state.bank.signAsClient(claims))
        state.body = form.toString()
        state.fired()
      }
      await next()
    },
  })
  const client_id = String(first.client.client_id)
  const { status } = await first.send(bank.services.endpoints.token, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id }).toString(),
  })
  expect(status).toBe(200)
  expect(bank.firedBy.get('no-authentication')).toBe(1)
})

test('the answer of the authorisation server, changed after: a wrong c_hash, well signed', async () => {
  const { first } = await altered({
    ...bare,
    id: 'wrong-c-hash',
    async middleware(ctx, next) {
      await next()
      const location = String(ctx.response.get('location') ?? '')
      if (!location.includes('#code=')) return
      const [place, fragment] = location.split('#')
      const parameters = new URLSearchParams(fragment)
      const claims = decodeJwt(parameters.get('id_token') ?? '')
      const { bank, fired } = stateOf(ctx)
      parameters.set('id_token', bank.signAsBank({ ...claims, c_hash: halfHash('other') }))
      ctx.set('location', `${place}#${parameters}`)
      fired()
    },
  })
  const { visit } = await first.approved()
  expect(decodeJwt(String(visit.fragment.id_token)).c_hash).toBe(halfHash('other'))
})

test('the answer of the token endpoint, changed after, is an object', async () => {
  const { first } = await altered({
    ...bare,
    id: 'no-scope',
    async middleware(ctx, next) {
      await next()
      const answer = ctx.body as Record<string, unknown> | undefined
      if (ctx.path.endsWith('/token')) delete answer?.scope
    },
  })
  expect((await first.token({ grant_type: 'client_credentials' })).json).not.toHaveProperty('scope')
})

test('a refusal by another status, and two alterations in order, each counted for itself', async () => {
  const order: string[] = []
  const noting = (id: string): Alteration => ({
    ...bare,
    id,
    async middleware(ctx, next) {
      order.push(id)
      await next()
      stateOf(ctx).fired()
    },
    policies: (correct) => ({
      refusal(reason) {
        const { message, ...rest } = correct.refusal(reason)
        return {
          ...rest,
          status: reason === 'consent-unknown' ? 404 : rest.status,
          message: `${message} ${id}`,
        }
      },
    }),
  })
  const { bank, first } = await altered(noting('one'), noting('two'))
  order.length = 0
  bank.firedBy.clear()
  const bearer = await first.clientToken()
  const { status, json } = await first.call('/aisp/account-access-consents/x', { bearer })
  expect([status, json.Message]).toEqual([404, 'There is no such consent. one two'])
  expect(order).toEqual(['one', 'two', 'one', 'two'])
  expect([...bank.firedBy]).toEqual([
    ['two', 2],
    ['one', 2],
  ])
  expect(bank.problems).toEqual([])
})

test('a bank without alterations does not know the key by which alterations sign again', async () => {
  const { bank, first } = await altered()
  const forged = bank.signAsClient(first.requestObject(await first.consent()))
  expect((await first.visit(first.authoriseUrl(forged))).fragment.error).toBe(
    'invalid_request_object',
  )
})

test('tokenInfoOf tells the client, the consent, and whether the token was refreshed', async () => {
  const seen: unknown[] = []
  const { first, second } = await altered({
    ...bare,
    id: 'asks',
    async middleware(ctx, next) {
      const info = tokenInfoOf(ctx)
      if (info) seen.push([info.client, info.consent?.id, info.refreshed])
      await next()
    },
  })
  const one = await first.approved()
  const two = await second.approved()
  const refresh_token = one.tokens.refresh_token
  const { json } = await first.token({ grant_type: 'refresh_token', refresh_token })
  seen.length = 0
  for (const bearer of [one.bearer, json.access_token])
    await first.call('/aisp/accounts', { bearer })
  await second.call('/aisp/accounts', { bearer: two.bearer })
  await second.call('/aisp/accounts', { bearer: await second.clientToken() })
  expect(seen).toEqual([
    ['first', one.consentId, false],
    ['first', one.consentId, true],
    ['second', two.consentId, false],
    ['second', undefined, false],
  ])
})
