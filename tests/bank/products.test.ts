import { afterEach, expect, test } from 'vitest'
import { directoryOfFile, openForFile } from './opened.ts'

const directory = await directoryOfFile()
const { bank, first } = await openForFile({ directory })
const base = `${bank.services.endpoints.at.products}/open-banking/v1`
const json = { 'content-type': 'application/json', accept: 'application/json' }

afterEach(() => expect(bank.problems).toEqual([]))

test('the list of products, every optional field somewhere', async () => {
  const answer = await first.send(`${base}/consumer-credit-cards`, {
    headers: json,
    certificate: 'none',
  })
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toContain('application/json')
  const { data, meta } = answer.json
  expect(data.length).toBeGreaterThanOrEqual(3)
  expect(meta).toMatchObject({ TotalResults: data.length, LastUpdated: expect.any(String) })
  const names = (of: Record<string, unknown>[]) => new Set(of.flatMap((one) => Object.keys(one)))
  expect(names(data).size).toBe(13)
  // biome-ignore lint/suspicious/noExplicitAny: looked into freely
  const items = data.map((one: any) => one.Details.ConsumerCreditCardItem)
  expect(names(items).size).toBe(24)
  // biome-ignore lint/suspicious/noExplicitAny: looked into freely
  expect(names(data.map((one: any) => one.Eligibility)).size).toBe(7)
})

test.each([
  ['GET', '/nothing', 404],
  ['GET', '/consumer-credit-cards/one', 404],
  ['POST', '/consumer-credit-cards', 405],
  ['DELETE', '/consumer-credit-cards', 405],
] as const)('%s %s answers %i with an ErrorResponse', async (method, path, status) => {
  const answer = await first.send(`${base}${path}`, { method, headers: json, certificate: 'none' })
  expect(answer.status).toBe(status)
  expect(answer.json).toEqual({
    description: expect.any(String),
    status: String(status),
    title: expect.any(String),
  })
})

test('an Accept that JSON does not satisfy is a request that cannot be understood', async () => {
  const headers = { accept: 'text/html' }
  const answer = await first.send(`${base}/consumer-credit-cards`, { headers, certificate: 'none' })
  expect([answer.status, answer.json.status]).toEqual([400, '400'])
})

test('the well-known configuration', async () => {
  const { endpoints } = bank.services
  const url = `${endpoints.at.discovery}/.well-known/openid-configuration`
  const { json: configuration, status } = await first.send(url, { certificate: 'none' })
  expect(status).toBe(200)
  expect(configuration).toMatchObject({
    issuer: endpoints.issuer,
    authorization_endpoint: endpoints.authorisation,
    token_endpoint: endpoints.token,
    registration_endpoint: endpoints.registration,
    jwks_uri: endpoints.jwks,
    scopes_supported: ['openid', 'accounts', 'fundsconfirmations'],
    grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
    response_types_supported: ['code id_token'],
    response_modes_supported: ['fragment'],
    token_endpoint_auth_methods_supported: ['private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['PS256'],
    id_token_signing_alg_values_supported: ['PS256'],
    request_object_signing_alg_values_supported: ['PS256'],
    request_parameter_supported: true,
    tls_client_certificate_bound_access_tokens: true,
    acr_values_supported: ['urn:openbanking:psd2:sca', 'urn:openbanking:psd2:ca'],
  })
  expect(configuration).not.toHaveProperty('authorization_response_iss_parameter_supported')
})
