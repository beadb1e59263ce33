import { constants, createPrivateKey, randomUUID, sign as rawSign } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { signJws } from '../../bank/authorisation-server/signature.ts'
import { startBank } from '../../bank/bank.ts'
import { directoryOfFile, openForFile } from './opened.ts'
import { createTpp } from './tpp.ts'

const directory = await directoryOfFile()
const { bank, first, second } = await openForFile({ directory })
const { endpoints } = bank.services
const seconds = () => Math.floor(Date.now() / 1000)
const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }

afterEach(() => expect(bank.problems).toEqual([]))

test('client_credentials: with scopes, and without any', async () => {
  const one = await first.token({ grant_type: 'client_credentials', scope: 'accounts' })
  expect(one.status).toBe(200)
  expect(one.headers['cache-control']).toBe('no-store')
  expect(one.json).toEqual({
    access_token: expect.any(String),
    expires_in: 3600,
    scope: 'accounts',
    token_type: 'Bearer',
  })
  const all = await first.token({ grant_type: 'client_credentials' })
  expect(all.json.scope).toBe('accounts fundsconfirmations')
  const odd = await first.token({ grant_type: 'client_credentials', scope: 'openid accounts' })
  expect(odd.json.scope).toBe('accounts')
})

test.each(['payments', 'accounts payments', 'openid'])('scope %s is invalid', async (scope) => {
  const { status, json } = await first.token({ grant_type: 'client_credentials', scope })
  expect([status, json.error]).toEqual([400, 'invalid_scope'])
})

test('authorization_code and refresh_token', async () => {
  const { tokens } = await first.approved()
  expect(tokens).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    id_token: expect.any(String),
    expires_in: 3600,
    scope: 'openid accounts',
    token_type: 'Bearer',
  })
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  const again = await first.token(refresh)
  expect([again.status, again.json.scope]).toEqual([200, 'openid accounts'])
  expect(again.json.access_token).not.toBe(tokens.access_token)
  const foreign = await second.token(refresh)
  expect([foreign.status, foreign.json.error]).toEqual([400, 'invalid_grant'])
  expect((await first.token(refresh)).status).toBe(200)
})

test('client_id may stand in the form, and must then be right', async () => {
  const grant = { grant_type: 'client_credentials' }
  expect((await first.token({ ...grant, client_id: String(first.client.client_id) })).status).toBe(
    200,
  )
  expect((await first.token({ ...grant, client_id: String(second.client.client_id) })).status).toBe(
    400,
  )
})

test('a code used twice is refused, and its tokens die', async () => {
  const { code, bearer, tokens } = await first.approved()
  expect((await first.call('/aisp/accounts', { bearer })).status).toBe(200)
  const again = await first.exchange(code)
  expect([again.status, again.json.error]).toEqual([400, 'invalid_grant'])
  expect((await first.call('/aisp/accounts', { bearer })).status).toBe(401)
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  expect((await first.token(refresh)).json.error).toBe('invalid_grant')
})

test('a code is bound to its client and its redirect URI', async () => {
  const { code } = (await first.approve(await first.consent())).fragment
  expect((await second.exchange(String(code))).json.error).toBe('invalid_grant')
  const other = { redirect_uri: String(first.own.redirectUris[1]) }
  expect((await first.exchange(String(code), other)).json.error).toBe('invalid_grant')
  expect((await first.exchange(String(code))).status).toBe(200)
  expect((await first.exchange('no-such-code')).json.error).toBe('invalid_grant')
})

describe('client assertions', () => {
  test.each<[string, () => Record<string, unknown>]>([
    ['expired', () => ({ exp: seconds() - 60 })],
    ['no exp', () => ({ exp: undefined })],
    ['no jti', () => ({ jti: undefined })],
    ['no sub', () => ({ sub: undefined })],
    ['no iss', () => ({ iss: undefined })],
    ['another iss', () => ({ iss: 'somebody' })],
    ['no aud', () => ({ aud: undefined })],
    ['another aud', () => ({ aud: 'https://another.example/token' })],
    ['unknown client', () => ({ iss: 'somebody', sub: 'somebody' })],
    ['not yet', () => ({ nbf: seconds() + 600 })],
  ])('refused: %s', async (_what, assertion) => {
    const { status, json } = await first.token(
      { grant_type: 'client_credentials' },
      { assertion: assertion() },
    )
    expect([status, json.error]).toEqual([401, 'invalid_client'])
  })

  test('the issuer is an audience too', async () => {
    const grant = { grant_type: 'client_credentials' }
    expect((await first.token(grant, { assertion: { aud: endpoints.issuer } })).status).toBe(200)
  })

  test('jti counts once', async () => {
    const grant = { grant_type: 'client_credentials' }
    const assertion = { jti: randomUUID() }
    expect((await first.token(grant, { assertion })).status).toBe(200)
    expect((await first.token(grant, { assertion })).status).toBe(401)
  })

  test('another key, RS256 and none are refused', async () => {
    const id = first.client.client_id
    const claims = {
      iss: id,
      sub: id,
      aud: endpoints.token,
      jti: randomUUID(),
      exp: seconds() + 60,
    }
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const input = `${encode({ alg: 'RS256', kid: first.own.signing.kid })}.${encode(claims)}`
    const key = createPrivateKey(first.own.signing.key)
    const rs256 = rawSign('sha256', Buffer.from(input), {
      key,
      padding: constants.RSA_PKCS1_PADDING,
    })
    const bad = [
      second.sign(claims),
      signJws(claims, directory.signing),
      `${input}.${rs256.toString('base64url')}`,
      `${encode({ alg: 'none' })}.${encode(claims)}.`,
    ]
    for (const client_assertion of bad) {
      const { status } = await first.token({ grant_type: 'client_credentials', client_assertion })
      expect(status).toBe(401)
    }
  })

  test('no other method of authentication', async () => {
    const client_id = String(first.client.client_id)
    const grant = { grant_type: 'client_credentials', scope: 'accounts' }
    const post = (fields: Record<string, string>, headers = {}) =>
      first.send(endpoints.token, {
        method: 'POST',
        headers: { ...form, ...headers },
        body: new URLSearchParams({ ...grant, ...fields }).toString(),
      })
    const basic = {
      authorization: `Basic ${Buffer.from(`${client_id}:secret`).toString('base64')}`,
    }
    const answers = [
      await post({ client_id }),
      await post({}),
      await post({ client_id, client_secret: 'secret' }),
      await post({}, basic),
      await post({
        client_assertion_type: 'urn:example:other',
        client_assertion: first.assertion(),
      }),
      await post({ client_assertion: first.assertion() }),
      await first.token({ ...grant, client_secret: 'secret' }),
    ]
    for (const { status, json } of answers) {
      expect([400, 401]).toContain(status)
      expect(['invalid_client', 'invalid_request']).toContain(json.error)
      expect(json.access_token).toBeUndefined()
    }
    const empty = await first.token({ ...grant, client_secret: '', code: '' })
    expect(empty.status, 'what has no value counts as omitted').toBe(200)
  })
})

test('unregistered and unknown grants', async () => {
  const tpp = createTpp(bank)
  await tpp.register({ grant_types: ['authorization_code'] })
  const credentials = await tpp.token({ grant_type: 'client_credentials', scope: 'accounts' })
  expect(credentials.json.error).toBe('unauthorized_client')
  const refresh = await tpp.token({ grant_type: 'refresh_token', refresh_token: 'x' })
  expect(refresh.json.error).toBe('unauthorized_client')
  expect((await first.token({ grant_type: 'password' })).json.error).toBe('unsupported_grant_type')
  expect((await first.token({ grant_type: 'implicit' })).json.error).toBe('unsupported_grant_type')
  await tpp.close()
})

test('JSON, an empty body and GET are refused', async () => {
  const json = { 'content-type': 'application/json' }
  const body = JSON.stringify({ grant_type: 'client_credentials' })
  expect((await first.send(endpoints.token, { method: 'POST', headers: json, body })).status).toBe(
    400,
  )
  expect(
    (await first.send(endpoints.token, { method: 'POST', headers: form, body: '' })).status,
  ).toBe(400)
  const get = await first.send(endpoints.token)
  expect([get.status, get.headers.allow]).toEqual([405, 'POST'])
  expect((await first.send(endpoints.registration)).status).toBe(405)
})

test('another organisation’s certificate does not do', async () => {
  const grant = { grant_type: 'client_credentials' }
  const { status, json } = await first.token(grant, { certificate: 'second' })
  expect([status, json.error]).toEqual([401, 'invalid_client'])
})

test('settings: no refresh token, rotation, no ID token, no token type, lifetimes', async () => {
  const settings = {
    refreshTokens: 'none',
    idTokenInTokenResponse: false,
    tokenTypeInResponse: false,
    accessTokenLifetime: 123,
  } as const
  const bare = await startBank({ directory, settings })
  const tpp = createTpp(bare)
  await tpp.register()
  const { tokens } = await tpp.approved()
  expect(tokens).toEqual({
    access_token: expect.any(String),
    expires_in: 123,
    scope: 'openid accounts',
  })
  await tpp.close()
  await bare.close()

  const rotating = await startBank({ directory, settings: { refreshTokens: 'rotated' } })
  const other = createTpp(rotating)
  await other.register()
  const { tokens: old } = await other.approved()
  const grant_type = 'refresh_token'
  const next = await other.token({ grant_type, refresh_token: old.refresh_token })
  expect(next.json.refresh_token).not.toBe(old.refresh_token)
  expect((await other.token({ grant_type, refresh_token: old.refresh_token })).status).toBe(400)
  await other.close()
  await rotating.close()
})
