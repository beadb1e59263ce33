import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { directoryOfFile, openForFile } from './opened.ts'
import { everything } from './tpp.ts'

const directory = await directoryOfFile()
const { bank, first } = await openForFile({ directory })
const { endpoints } = bank.services
const strange = [
  undefined,
  null,
  '',
  'x',
  0,
  -1,
  1e20,
  true,
  [],
  [1],
  ['a', 'a'],
  {},
  { value: {} },
]

afterEach(() => expect(bank.problems).toEqual([]))

const below500 = (what: unknown, status: number) =>
  expect([what, status < 500]).toEqual([what, true])

test('strange members of a request object', async () => {
  const consentId = await first.consent()
  const members = Object.keys(first.requestObject(consentId))
  const more = [
    'response_mode',
    'prompt',
    'max_age',
    'acr_values',
    'request',
    'id_token_hint',
    'login_hint',
    'code_challenge',
    'resource',
    'jti',
  ]
  for (const member of [...members, ...more]) {
    for (const value of strange) {
      const object = first.sign(first.requestObject(consentId, { [member]: value }))
      const { answer } = await first.visit(first.authoriseUrl(object), { password: 'wrong' })
      below500([member, value], answer.status)
    }
  }
  for (const claims of [
    { id_token: 1 },
    { id_token: { openbanking_intent_id: null } },
    { id_token: { openbanking_intent_id: 'x' } },
    { userinfo: {} },
  ]) {
    const object = first.sign(first.requestObject(consentId, { claims }))
    below500(
      claims,
      (await first.visit(first.authoriseUrl(object), { password: 'wrong' })).answer.status,
    )
  }
}, 60_000)

test('strange queries of an authorisation request', async () => {
  const object = first.sign(first.requestObject(await first.consent()))
  for (const name of [
    'client_id',
    'response_type',
    'redirect_uri',
    'scope',
    'state',
    'request',
    'response_mode',
    'request_uri',
    'nonce',
  ]) {
    for (const value of [
      undefined,
      '',
      'x',
      '%',
      'a b',
      '\u0000',
      'x'.repeat(5000),
      'none',
      '..',
    ]) {
      const url = first.authoriseUrl(object, { [name]: value })
      const { answer } = await first.visit(url, { password: 'wrong' })
      below500([name, value], answer.status)
    }
    const twice = `${first.authoriseUrl(object)}&${name}=x`
    below500([name, 'twice'], (await first.visit(twice, { password: 'wrong' })).answer.status)
  }
}, 60_000)

test('strange members of a registration', async () => {
  const members = [
    'iss',
    'aud',
    'iat',
    'exp',
    'jti',
    'redirect_uris',
    'token_endpoint_auth_method',
    'grant_types',
    'response_types',
    'scope',
    'software_statement',
    'application_type',
    'id_token_signed_response_alg',
    'request_object_signing_alg',
    'token_endpoint_auth_signing_alg',
    'client_name',
    'jwks_uri',
    'jwks',
    'subject_type',
    'client_id',
  ]
  for (const member of members) {
    for (const value of strange) {
      const jwt = first.registrationJwt({ [member]: value })
      const headers = { 'content-type': 'application/jwt' }
      const { status } = await first.send(endpoints.registration, {
        method: 'POST',
        headers,
        body: jwt,
      })
      below500([member, value], status)
    }
  }
}, 60_000)

test('strange members of a token request and its assertion', async () => {
  const grants = ['authorization_code', 'refresh_token', 'client_credentials', '', 'x']
  for (const grant_type of grants) {
    for (const name of [
      'code',
      'redirect_uri',
      'refresh_token',
      'scope',
      'client_id',
      'client_assertion',
      'client_assertion_type',
    ]) {
      for (const value of ['', 'x', 'a b', 'a.b.c', '{}', '\u0000', 'x'.repeat(5000)]) {
        below500(
          [grant_type, name, value],
          (await first.token({ grant_type, [name]: value })).status,
        )
      }
    }
  }
  for (const member of ['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti']) {
    for (const value of strange) {
      const grant = { grant_type: 'client_credentials' }
      const { status } = await first.token(grant, { assertion: { [member]: value } })
      below500([member, value], status)
    }
  }
}, 60_000)

test('strange bodies of consents', async () => {
  const bearer = await first.clientToken('accounts fundsconfirmations')
  const post = (path: string, body: unknown) => first.call(path, { bearer, body })
  const paths = ['/aisp/account-access-consents', '/cbpii/funds-confirmation-consents']
  const account = { SchemeName: 'UK.OBIE.PAN', Identification: '4417' }
  for (const path of paths) {
    for (const value of strange) {
      const bodies: unknown[] = [
        JSON.stringify(value) ?? '',
        { Data: value, Risk: {} },
        { Data: {}, Risk: value },
      ]
      for (const member of [
        'Permissions',
        'ExpirationDateTime',
        'TransactionFromDateTime',
        'TransactionToDateTime',
        'DebtorAccount',
      ]) {
        bodies.push({
          Data: { Permissions: everything, DebtorAccount: account, [member]: value },
          Risk: {},
        })
      }
      for (const member of ['SchemeName', 'Identification', 'Name', 'SecondaryIdentification']) {
        bodies.push({ Data: { DebtorAccount: { ...account, [member]: value } }, Risk: {} })
      }
      for (const body of bodies) below500([path, body], (await post(path, body)).status)
    }
  }
})

test('strange paths, queries, headers and methods', async () => {
  const { bearer } = await first.approved()
  const tails = [
    '',
    '/',
    '//',
    '/%',
    '/%00',
    '/%2e%2e',
    '/..',
    `/${'x'.repeat(3000)}`,
    '/x/y/z',
    '?a=%',
    '?fromBookingDateTime[]=1',
    '?toBookingDateTime=',
  ]
  for (const place of [
    '/aisp/accounts',
    '/aisp/transactions',
    '/aisp/account-access-consents',
    '/cbpii/funds-confirmation-consents',
    '',
  ]) {
    for (const tail of tails) {
      for (const method of ['GET', 'DELETE', 'POST', 'PUT', 'PATCH', 'OPTIONS', 'HEAD']) {
        below500(
          [method, place, tail],
          (await first.call(`${place}${tail}`, { bearer, method })).status,
        )
      }
    }
  }
  for (const authorization of [
    'Bearer',
    'Bearer ',
    'bearer x y',
    'x',
    'Bearer \u00e9',
    'Basic !',
  ]) {
    below500(
      authorization,
      (await first.call('/aisp/accounts', { headers: { authorization } })).status,
    )
  }
  for (const accept of ['*/*', 'application/*', 'x', 'text/html, application/json;q=0', '']) {
    below500(accept, (await first.call('/aisp/accounts', { bearer, headers: { accept } })).status)
  }
}, 60_000)

test('strange visits', async () => {
  const post = (path: string, body: string) =>
    first.send(`${endpoints.at.authorisation}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
      certificate: 'none',
    })
  for (const path of [
    '/interaction/x/login',
    '/interaction/x/decision',
    '/servicing/login',
    '/servicing/logout',
    '/servicing/consents/x/revoke',
    '/authorize',
    '/authorize/x',
    '/interaction/%',
  ]) {
    for (const body of ['', 'x', 'username=%', 'decision=approve'])
      below500([path, body], (await post(path, body)).status)
  }
})

test.each([
  ['none, as HTTP/1.0 may', 'GET / HTTP/1.0'],
  ['two words', 'GET / HTTP/1.1', 'Host: a b'],
  ['a port that is none', 'GET / HTTP/1.1', 'Host: bank:99999'],
  ['an address', 'GET / HTTP/1.1', 'Host: https://bank'],
  ['a user', 'GET / HTTP/1.1', 'Host: user@bank'],
])('a Host header with %s', async (_, ...lines) => {
  const { hostname: host, port } = new URL(endpoints.at.authorisation)
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /)
})
