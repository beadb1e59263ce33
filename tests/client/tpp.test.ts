import { createPublicKey, type KeyObject } from 'node:crypto'
import { compactVerify, decodeProtectedHeader, jwtVerify } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JwtDeviation } from '../../engine/client/jwt.ts'
import { createTpp, type Tpp } from '../../engine/client/tpp.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { WireMessage } from '../../engine/wire/wire.ts'
import { documentFor, signingKeys, softwareStatement } from '../configuration/documents.ts'
import { recordingWire } from './bank-double.ts'

const target = targetFrom(documentFor('https://bank.example'))
const publicKeys = {
  first: createPublicKey(signingKeys.first),
  second: createPublicKey(signingKeys.second),
}

let tpp: Tpp
let sent: WireMessage[]

beforeEach(() => {
  const wire = recordingWire()
  sent = wire.sent
  tpp = createTpp({ name: 'first', target, wire })
  tpp.adopt({ client_id: 'client-1', redirect_uris: ['https://tpp.example/callback'] })
  tpp.learn({ issuer: 'https://issuer.example' })
})

/** The only message that was sent. */
function message(): WireMessage {
  expect(sent).toHaveLength(1)
  return sent[0] as WireMessage
}

function names(headers: [string, string][]): string[] {
  return headers.map(([name]) => name)
}

async function claims(jws: string, key: KeyObject = publicKeys.first) {
  const { payload, protectedHeader } = await jwtVerify(jws, key, { algorithms: ['PS256'] })
  expect(protectedHeader).toEqual({ alg: 'PS256', typ: 'JWT', kid: 'kid-first' })
  return payload
}

const seconds = () => Math.floor(Date.now() / 1000)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('registration', () => {
  test('is a PS256 JWT of content type application/jwt', async () => {
    await tpp.register()
    const { method, url, headers, body, identity, endpoint, about } = message()
    expect({ method, url, identity, endpoint, about }).toEqual({
      method: 'POST',
      url: 'https://bank.example/open-banking/oauth/register',
      identity: 'first',
      endpoint: 'registration',
      about: { client: 'first' },
    })
    expect(headers).toEqual([
      ['Content-Type', 'application/jwt'],
      ['Accept', 'application/json'],
    ])
    const { iat, exp, jti, ...rest } = await claims(body ?? '')
    expect(rest).toEqual({
      iss: 'software1',
      aud: 'https://issuer.example',
      redirect_uris: ['https://tpp.example/callback'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'PS256',
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types: ['code id_token'],
      id_token_signed_response_alg: 'PS256',
      request_object_signing_alg: 'PS256',
      application_type: 'web',
      scope: 'openid accounts fundsconfirmations',
      software_id: 'software1',
      software_statement: softwareStatement,
    })
    expect(jti).toMatch(uuid)
    expect(iat).toBeLessThanOrEqual(seconds())
    expect(exp).toBeGreaterThan(seconds() + 60)
  })

  test.each([
    ['another', 'application/json', ['application/json']],
    ['none', null, []],
  ])('content type: %s', async (_, contentType, expected) => {
    await tpp.register({ contentType })
    const { headers } = message()
    expect(headers.filter(([name]) => name === 'Content-Type').map(([, v]) => v)).toEqual(expected)
  })

  test('software statement: none, another, changed', async () => {
    await tpp.register({ softwareStatement: null })
    await tpp.register({ softwareStatement: 'a.b.c' })
    await tpp.register({ softwareStatement: (statement) => `${statement}x` })
    const bodies = await Promise.all(sent.map(({ body }) => claims(body ?? '')))
    expect(bodies.map(({ software_statement }) => software_statement)).toEqual([
      undefined,
      'a.b.c',
      `${softwareStatement}x`,
    ])
  })

  test('claims of the target stand over those of the suite', async () => {
    const document = documentFor('https://bank.example')
    document.clients.first.registrationClaims = { aud: 'ASPSP', extra: true }
    const wire = recordingWire()
    await createTpp({ name: 'first', target: targetFrom(document), wire }).register()
    expect(await claims(wire.sent[0]?.body ?? '')).toMatchObject({ aud: 'ASPSP', extra: true })
  })

  test('what the bank returns is used; without a client_id nothing can be', () => {
    expect(tpp.registered).toMatchObject({ client_id: 'client-1' })
    expect(() => tpp.adopt({ redirect_uris: [] })).toThrow('has no client_id')
    expect(() => tpp.adopt(undefined)).toThrow(TypeError)
    expect(tpp.adopt({ client_id: 'c', redirect_uris: 'x', org_name: 'o' })).toEqual({
      client_id: 'c',
      redirect_uris: [],
      org_name: 'o',
    })
  })
})

describe('token', () => {
  const form = () => Object.fromEntries(new URLSearchParams(message().body))

  test('client_credentials: private_key_jwt of OpenID Connect Core section 9', async () => {
    await tpp.token({ grant_type: 'client_credentials' })
    const { client_assertion, ...rest } = form()
    expect(rest).toEqual({
      grant_type: 'client_credentials',
      scope: 'accounts',
      client_id: 'client-1',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    expect(message()).toMatchObject({
      method: 'POST',
      url: 'https://bank.example/open-banking/oauth/token',
      identity: 'first',
      headers: [
        ['Content-Type', 'application/x-www-form-urlencoded'],
        ['Accept', 'application/json'],
      ],
    })
    const { iat, exp, jti, ...identity } = await claims(client_assertion ?? '')
    expect(identity).toEqual({
      iss: 'client-1',
      sub: 'client-1',
      aud: 'https://bank.example/open-banking/oauth/token',
    })
    expect(jti).toMatch(uuid)
    expect(Number(exp) - Number(iat)).toBeLessThan(300)
  })

  test('authorization_code and refresh_token carry their own fields', async () => {
    await tpp.token({ grant_type: 'authorization_code', code: 'c', redirect_uri: 'https://r' })
    expect(form()).toMatchObject({ code: 'c', redirect_uri: 'https://r' })
    expect(form().scope).toBeUndefined()
    sent.length = 0
    await tpp.token({ grant_type: 'refresh_token', refresh_token: 'r' })
    expect(form()).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'r' })
  })

  test('each assertion is new', async () => {
    await tpp.token({ grant_type: 'client_credentials' })
    await tpp.token({ grant_type: 'client_credentials' })
    const assertions = sent.map(({ body }) => new URLSearchParams(body).get('client_assertion'))
    expect(new Set(assertions).size).toBe(2)
  })

  test('a field is replaced or removed, and nothing else', async () => {
    await tpp.token(
      { grant_type: 'client_credentials' },
      { form: { scope: 'x', client_id: undefined } },
    )
    expect(Object.keys(form())).toEqual([
      'grant_type',
      'scope',
      'client_assertion_type',
      'client_assertion',
    ])
    expect(form().scope).toBe('x')
  })

  test('other authentication methods send no assertion', async () => {
    await tpp.token({ grant_type: 'client_credentials' }, { authentication: 'none' })
    expect(form()).toEqual({
      grant_type: 'client_credentials',
      scope: 'accounts',
      client_id: 'client-1',
    })
    sent.length = 0
    await tpp.token({ grant_type: 'client_credentials' }, { authentication: 'client_secret_post' })
    expect(form()).toMatchObject({ client_id: 'client-1', client_secret: expect.any(String) })
    sent.length = 0
    tpp.adopt({ client_id: 'client:1', client_secret: 's&t' })
    await tpp.token({ grant_type: 'client_credentials' }, { authentication: 'client_secret_basic' })
    expect(form()).toEqual({ grant_type: 'client_credentials', scope: 'accounts' })
    const [name, value] = message().headers[0] ?? []
    expect(name).toBe('Authorization')
    expect(Buffer.from(value?.slice(6) ?? '', 'base64').toString()).toBe('client%3A1:s%26t')
  })

  test('before the registration there is no client_id to send', async () => {
    const unregistered = createTpp({ name: 'second', target, wire: recordingWire() })
    expect(unregistered.registered).toBeUndefined()
    await expect(unregistered.token({ grant_type: 'client_credentials' })).rejects.toThrow(
      'client second is not registered yet',
    )
  })
})

describe('authorisation', () => {
  test('has the documented parameters and a request object of FAPI 1.0 Advanced', async () => {
    const request = await tpp.authorisation({ consentId: 'consent-1' })
    const url = new URL(request.url)
    expect(url.origin + url.pathname).toBe('https://bank.example/authorize')
    expect(request.url).toContain('response_type=code%20id_token')
    const { request: requestObject, ...query } = Object.fromEntries(url.searchParams)
    expect(query).toEqual({
      response_type: 'code id_token',
      client_id: 'client-1',
      redirect_uri: 'https://tpp.example/callback',
      scope: 'openid accounts',
      state: request.state,
    })
    expect(requestObject).toBe(request.requestObject)
    const { iat, nbf, exp, jti, ...rest } = await claims(requestObject ?? '')
    expect(rest).toEqual({
      iss: 'client-1',
      aud: 'https://issuer.example',
      response_type: 'code id_token',
      client_id: 'client-1',
      redirect_uri: 'https://tpp.example/callback',
      scope: 'openid accounts',
      state: request.state,
      nonce: request.nonce,
      claims: {
        id_token: {
          openbanking_intent_id: { value: 'consent-1', essential: true },
        },
      },
    })
    expect(iat).toBe(nbf)
    expect(Number(exp) - Number(nbf)).toBeLessThanOrEqual(3600)
    expect(jti).toMatch(uuid)
    expect(sent).toEqual([])
  })

  test('an acr is asked for among those that the bank offers, and what the target adds', async () => {
    const asked = async () => {
      const { requestObject } = await tpp.authorisation({ consentId: 'c' })
      return claims(requestObject)
    }
    tpp.learn({ acr_values_supported: ['urn:bank:strong', 7, ''] })
    expect(tpp.idTokenClaims()).toEqual({ acr: { essential: true, values: ['urn:bank:strong'] } })
    tpp.client.requestObjectClaims = {
      claims: { id_token: { acr: null, auth_time: { essential: true } }, userinfo: {} },
      max_age: 0,
    }
    expect(await asked()).toMatchObject({
      max_age: 0,
      claims: {
        userinfo: {},
        id_token: {
          openbanking_intent_id: { value: 'c', essential: true },
          acr: null,
          auth_time: { essential: true },
        },
      },
    })
    delete tpp.client.requestObjectClaims
    tpp.learn({ acr_values_supported: [] })
    expect(tpp.idTokenClaims()).toEqual({})
  })

  test('the chosen state, scope and redirect URI stand outside and inside', async () => {
    const chosen = { state: 's', scope: 'openid', redirectUri: 'https://other.example/' }
    const { url, requestObject } = await tpp.authorisation({ consentId: 'c', ...chosen })
    const sent = await claims(requestObject)
    const outside = new URL(url).searchParams
    for (const [name, value] of [
      ['state', 's'],
      ['scope', 'openid'],
      ['redirect_uri', 'https://other.example/'],
    ] as const) {
      expect(outside.get(name)).toBe(value)
      expect(sent[name]).toBe(value)
    }
  })

  test('a deviation of the query leaves the request object alone, and the other way round', async () => {
    const outside = await tpp.authorisation({ consentId: 'c' }, { query: { request: undefined } })
    expect(new URL(outside.url).searchParams.has('request')).toBe(false)
    const sent = await tpp.authorisation(
      { consentId: 'c' },
      { requestObject: { claims: { scope: 'openid more' } } },
    )
    expect(new URL(sent.url).searchParams.get('scope')).toBe('openid accounts')
    expect((await claims(sent.requestObject)).scope).toBe('openid more')
  })
})

describe('a JWT deviates in one thing', () => {
  const build = async (deviation: JwtDeviation) =>
    (await tpp.authorisation({ consentId: 'c' }, { requestObject: deviation })).requestObject

  test.each(['RS256', 'RS512', 'PS384', 'ES256', 'ES384', 'ES512', 'EdDSA', 'HS256'])(
    'alg %s is really signed with it',
    async (alg) => {
      const jws = await build({ alg })
      expect(decodeProtectedHeader(jws)).toEqual({ alg, typ: 'JWT', kid: 'kid-first' })
      expect(jws.split('.')[2]?.length).toBeGreaterThan(40)
      if (/^[RP]S/.test(alg)) await compactVerify(jws, publicKeys.first)
      if (alg === 'HS256') {
        const pem = publicKeys.first.export({ type: 'spki', format: 'pem' })
        await compactVerify(jws, Buffer.from(pem))
      }
    },
  )

  test('alg none has no signature', async () => {
    const jws = await build({ alg: 'none' })
    expect(decodeProtectedHeader(jws).alg).toBe('none')
    expect(jws.endsWith('.')).toBe(true)
  })

  test('key: of the other client, of nobody, too short', async () => {
    await compactVerify(await build({ key: 'other-client' }), publicKeys.second)
    for (const key of ['unknown', 'weak'] as const) {
      const jws = await build({ key })
      expect(decodeProtectedHeader(jws)).toEqual({ alg: 'PS256', typ: 'JWT', kid: 'kid-first' })
      for (const known of Object.values(publicKeys)) {
        await expect(compactVerify(jws, known)).rejects.toThrow()
      }
      expect(Buffer.from(jws.split('.')[2] ?? '', 'base64url')).toHaveLength(
        key === 'weak' ? 128 : 256,
      )
    }
  })

  test.each(['signature', 'payload'] as const)('tampered %s does not verify', async (tampered) => {
    const jws = await build({ tampered })
    await expect(compactVerify(jws, publicKeys.first)).rejects.toThrow('signature verification')
    expect(JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      iss: 'client-1',
      aud: 'https://issuer.example',
    })
  })

  test('header and claims are replaced and removed', async () => {
    const header = await build({ header: { kid: undefined, typ: 'x' } })
    expect(decodeProtectedHeader(header)).toEqual({ alg: 'PS256', typ: 'x' })
    expect(await claims(await build({ claims: { aud: undefined, nonce: 'n' } }))).toEqual(
      expect.not.objectContaining({ aud: expect.anything() }),
    )
  })

  test('raw is sent as it is', async () => {
    expect(await build({ raw: 'not a JWT' })).toBe('not a JWT')
  })

  test('without another client its key cannot be used', async () => {
    const document = documentFor('https://bank.example')
    delete document.clients.second
    const alone = createTpp({ name: 'first', target: targetFrom(document), wire: recordingWire() })
    await expect(alone.register({ jwt: { key: 'other-client' } })).rejects.toThrow(
      'the target has no second client',
    )
    expect(() =>
      createTpp({ name: 'second', target: targetFrom(document), wire: recordingWire() }),
    ).toThrow('the target has no client second')
  })
})

describe('call', () => {
  const aisp = 'https://bank.example/open-banking/v3.1/aisp'

  test.each([
    ['create-account-access-consent', 'POST', `${aisp}/account-access-consents`],
    ['query-account-access-consent', 'GET', `${aisp}/account-access-consents/S%2F1`],
    ['delete-account-access-consent', 'DELETE', `${aisp}/account-access-consents/S%2F1`],
    ['accounts', 'GET', `${aisp}/accounts`],
    ['account', 'GET', `${aisp}/accounts/S%2F1`],
    ['balances', 'GET', `${aisp}/balances`],
    ['account-balances', 'GET', `${aisp}/accounts/S%2F1/balances`],
    ['transactions', 'GET', `${aisp}/transactions`],
    ['account-transactions', 'GET', `${aisp}/accounts/S%2F1/transactions`],
    [
      'create-funds-confirmation-consent',
      'POST',
      'https://bank.example/open-banking/v3.1/cbpii/funds-confirmation-consents',
    ],
    [
      'delete-funds-confirmation-consent',
      'DELETE',
      'https://bank.example/open-banking/v3.1/cbpii/funds-confirmation-consents/S%2F1',
    ],
  ] as const)('%s: %s %s', async (endpoint, method, url) => {
    const post = method === 'POST'
    await tpp.call(endpoint, { subject: 'S/1', bearer: 't', ...(post && { body: { a: 1 } }) })
    const sentMessage = message()
    expect(sentMessage).toMatchObject({ method, url, identity: 'first', about: { subject: 'S/1' } })
    expect(names(sentMessage.headers)).toEqual([
      'Authorization',
      'Accept',
      ...(post ? ['Content-Type'] : []),
      'x-fapi-interaction-id',
      'x-fapi-customer-ip-address',
    ])
    expect(sentMessage.headers[0]).toEqual(['Authorization', 'Bearer t'])
    expect(sentMessage.body).toBe(post ? '{"a":1}' : undefined)
  })

  test('products: "Request headers Content-Type and Accept are both application/json"', async () => {
    await tpp.call('products')
    expect(message()).toMatchObject({
      method: 'GET',
      url: 'https://bank.example/open-banking/v1/consumer-credit-cards',
      identity: 'none',
    })
    expect(message().headers).toEqual([
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ])
  })

  test('discovery, and any other address', async () => {
    await tpp.call('discovery')
    await tpp.call('jwks', { path: 'https://keys.example/jwks' })
    await tpp.call('elsewhere', { path: 'https://bank.example/x', identity: 'first' })
    expect(sent.map(({ url, identity }) => [url, identity])).toEqual([
      ['https://bank.example/.well-known/openid-configuration', 'none'],
      ['https://keys.example/jwks', 'none'],
      ['https://bank.example/x', 'first'],
    ])
    await expect(tpp.call('jwks')).rejects.toThrow('jwks needs a whole URL in path')
    await expect(tpp.call('account')).rejects.toThrow('account needs a subject')
  })

  test('query: values are encoded, undefined is left out', async () => {
    await tpp.call('transactions', {
      query: {
        fromBookingDateTime: '2026-01-01T00:00:00+00:00',
        toBookingDateTime: undefined,
        a: ['1', '2 3'],
      },
    })
    expect(message().url).toBe(
      `${aisp}/transactions?fromBookingDateTime=2026-01-01T00%3A00%3A00%2B00%3A00&a=1&a=2%203`,
    )
  })

  test('headers: one replaced, one removed, one more; the customer absent', async () => {
    await tpp.call('accounts', {
      bearer: 't',
      customerPresent: false,
      headers: { authorization: 'x', ACCEPT: undefined, 'x-more': 'y' },
    })
    const { headers } = message()
    expect(headers).toEqual([
      ['authorization', 'x'],
      ['x-fapi-interaction-id', expect.stringMatching(uuid)],
      ['x-more', 'y'],
    ])
  })

  test('about: what is told stands over what is known', async () => {
    await tpp.call('account', { subject: 's', about: { check: 'ACC-01/x' }, deviation: 'no token' })
    expect(message().about).toEqual({
      client: 'first',
      subject: 's',
      check: 'ACC-01/x',
      deviation: 'no token',
    })
  })

  test('no bearer: no Authorization header', async () => {
    await tpp.call('accounts', { bearer: null })
    expect(names(message().headers)).not.toContain('Authorization')
  })
})
