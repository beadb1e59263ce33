import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { signJws } from '../../bank/authorisation-server/signature.ts'
import { directoryOfFile, openForFile } from './opened.ts'
import { createTpp } from './tpp.ts'

const directory = await directoryOfFile()
const { bank, first, second } = await openForFile({ directory })
const { endpoints } = bank.services
const statementWith = (claims: Record<string, unknown>, key = directory.signing) =>
  signJws({ ...first.statement, ...claims }, key, { typ: 'JWT' })

test('a registration answers 201 with every field of the table', async () => {
  const { status, json, headers } = await createTpp(bank).register()
  expect(status).toBe(201)
  expect(headers['cache-control']).toBe('no-store')
  expect(json).toMatchObject({
    client_id: expect.any(String),
    registration_access_token: expect.any(String),
    registration_client_uri: `${endpoints.registration}/${json.client_id}`,
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    redirect_uris: first.own.redirectUris,
    scope: 'openid accounts fundsconfirmations',
    jwks_uri: first.statement.software_jwks_endpoint,
    response_types: ['code id_token'],
    token_endpoint_auth_method: 'private_key_jwt',
    request_object_signing_alg: 'PS256',
    id_token_signed_response_alg: 'PS256',
    software_on_behalf_of: 'Tally Budgeting',
    org_id: first.statement.org_id,
    org_name: 'Tally Ledger Limited',
    token_endpoint_auth_signing_alg: 'PS256',
  })
})

test('absent redirect_uris are all of the statement’s, a subset is kept', async () => {
  const tpp = createTpp(bank)
  expect((await tpp.register({ redirect_uris: undefined })).json.redirect_uris).toEqual(
    first.own.redirectUris,
  )
  const subset = first.own.redirectUris.slice(1)
  expect((await tpp.register({ redirect_uris: subset })).json.redirect_uris).toEqual(subset)
})

test.each<[string, Record<string, unknown>, string]>([
  [
    'redirect URI outside',
    { redirect_uris: ['https://evil.example/callback'] },
    'invalid_redirect_uri',
  ],
  [
    'redirect URI with a longer path',
    { redirect_uris: ['https://tally.example/callback/x'] },
    'invalid_redirect_uri',
  ],
  ['no redirect URI', { redirect_uris: [] }, 'invalid_redirect_uri'],
  [
    'redirect_uris a string',
    { redirect_uris: 'https://tally.example/callback' },
    'invalid_redirect_uri',
  ],
  ['no statement', { software_statement: undefined }, 'invalid_software_statement'],
  [
    'another key',
    { software_statement: statementWith({}, directory.clients.second.signing) },
    'invalid_software_statement',
  ],
  [
    'another issuer',
    { software_statement: statementWith({ iss: 'Somebody' }) },
    'unapproved_software_statement',
  ],
  [
    'another organisation',
    { software_statement: statementWith({ org_id: '000' }) },
    'unapproved_software_statement',
  ],
  [
    'the second TPP’s statement',
    { software_statement: second.own.softwareStatement },
    'unapproved_software_statement',
  ],
  ['expired', { exp: Math.floor(Date.now() / 1000) - 60 }, 'invalid_client_metadata'],
  ['an exp in words', { exp: 'tomorrow' }, 'invalid_client_metadata'],
  ['another iss', { iss: 'somebody' }, 'invalid_client_metadata'],
  ['another aud', { aud: 'https://another.example' }, 'invalid_client_metadata'],
  [
    'client_secret_basic',
    { token_endpoint_auth_method: 'client_secret_basic' },
    'invalid_client_metadata',
  ],
  ['RS256', { id_token_signed_response_alg: 'RS256' }, 'invalid_client_metadata'],
  ['unsigned request objects', { request_object_signing_alg: 'none' }, 'invalid_client_metadata'],
  ['response type code', { response_types: ['code'] }, 'invalid_client_metadata'],
  [
    'grant type password',
    { grant_types: ['authorization_code', 'password'] },
    'invalid_client_metadata',
  ],
  ['scope payments', { scope: 'openid accounts payments' }, 'invalid_client_metadata'],
])('refused: %s', async (_what, claims, error) => {
  const { status, json } = await createTpp(bank).register(claims)
  expect([status, json.error]).toEqual([400, error])
})

test('"Registration request claims: not shown": none of them is missed', async () => {
  const none = { iss: undefined, aud: undefined, iat: undefined, exp: undefined, jti: undefined }
  expect((await createTpp(bank).register(none)).status).toBe(201)
})

test('a registration that another key signed, that is no JWT, or that comes twice, is refused', async () => {
  const tpp = createTpp(bank)
  const claims = JSON.parse(
    Buffer.from(tpp.registrationJwt().split('.')[1] ?? '', 'base64url').toString(),
  )
  const foreign = signJws(claims, directory.clients.second.signing)
  expect((await tpp.register({}, foreign)).status).toBe(400)
  expect((await tpp.register({}, 'not a JWT')).status).toBe(400)
  expect((await tpp.register({}, '')).status).toBe(400)
  const jwt = tpp.registrationJwt()
  expect((await tpp.register({}, jwt)).status).toBe(201)
  expect((await tpp.register({}, jwt)).status).toBe(400)
})

test.each(['application/json', 'text/plain', 'application/jose'])('%s is refused', async (type) => {
  const { status } = await first.send(endpoints.registration, {
    method: 'POST',
    headers: { 'content-type': type },
    body: first.registrationJwt(),
  })
  expect(status).toBe(415)
})

test('a scope that the roles of the software do not allow is not stored', async () => {
  const software_statement = statementWith({ software_roles: ['AISP'], jti: randomUUID() })
  const { status, json } = await createTpp(bank).register({ software_statement })
  expect([status, json.scope]).toEqual([201, 'openid accounts'])
})

test.each(['GET', 'PUT', 'DELETE'])('%s of a registration is not supported', async (method) => {
  const url = String(first.client.registration_client_uri)
  const authorization = `Bearer ${first.client.registration_access_token}`
  const { status } = await first.send(url, { method, headers: { authorization } })
  expect(status).toBe(405)
})
