import { afterEach, describe, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import { directoryOfFile, open, openForFile, shut } from './opened.ts'
import { createTpp } from './tpp.ts'

const directory = await directoryOfFile()
const { bank, first } = await openForFile({ directory })

afterEach(() => expect(bank.problems).toEqual([]))

const mutual = ({ endpoints }: typeof bank.services): [string, string][] => [
  ['POST', endpoints.registration],
  ['POST', endpoints.token],
  ['GET', `${endpoints.at.api}/open-banking/v3.1/aisp/accounts`],
]

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('%s alone', (version) => {
  test('refusal while the connection is made', async () => {
    const opened = await open({
      directory,
      settings: { tlsMinVersion: version, tlsMaxVersion: version },
    })
    for (const [method, url] of mutual(opened.bank.services)) {
      for (const certificate of ['none', 'expired', 'untrusted'] as const) {
        await expect(opened.first.send(url, { method, certificate })).rejects.toThrow()
      }
      expect((await opened.first.send(url, { method })).status).toBeGreaterThan(399)
    }
    expect((await opened.first.approved()).tokens.scope).toBe('openid accounts')
    await shut(opened)
  })
})

test('refusal by status', async () => {
  const opened = await open({ directory, settings: { tlsRefusal: 'status' } })
  for (const [method, url] of mutual(opened.bank.services)) {
    for (const certificate of ['none', 'expired', 'untrusted'] as const) {
      const { status, json } = await opened.first.send(url, { method, certificate })
      const { endpoints } = opened.bank.services
      const api = url.startsWith(`${endpoints.at.api}/open-banking/v3.1`)
      const word = api ? json.Code : json.error
      expect([status, word]).toEqual([401, api ? '401 Unauthorized' : 'invalid_client'])
    }
  }
  await shut(opened)
})

test('a token endpoint that needs no certificate: tokens are bound to one that is shown', async () => {
  const opened = await open({ directory, settings: { tokenEndpointMtls: false } })
  const grant = { grant_type: 'client_credentials' }
  const { status } = await opened.first.token(grant, { certificate: 'none' })
  expect(status).toBe(200)
  const { bearer } = await opened.first.approved()
  expect((await opened.first.call('/aisp/accounts', { bearer })).status).toBe(200)
  expect((await opened.first.call('/aisp/accounts', { bearer, certificate: 'none' })).status).toBe(
    401,
  )
  await shut(opened)
})

test('no certificate is needed elsewhere', async () => {
  const { endpoints } = bank.services
  const certificate = 'none'
  const configuration = `${endpoints.at.discovery}/.well-known/openid-configuration`
  expect((await first.send(configuration, { certificate })).status).toBe(200)
  expect((await first.send(endpoints.jwks, { certificate })).status).toBe(200)
  const products = `${endpoints.at.products}/open-banking/v1/consumer-credit-cards`
  expect((await first.send(products, { certificate })).status).toBe(200)
})

test('new connections that resume a session still show their certificate', async () => {
  const bearer = await first.clientToken()
  const headers = { connection: 'close' }
  for (let times = 0; times < 5; times += 1) {
    const { status } = await first.call('/aisp/account-access-consents/x', { bearer, headers })
    expect(status).toBe(400)
  }
})

test('each listener serves its own paths alone', async () => {
  const { at, paths } = bank.services.endpoints
  const certificate = 'none'
  for (const url of [
    `${at.authorisation}/.well-known/openid-configuration`,
    `${at.authorisation}${paths.token}`,
    `${at.discovery}${paths.authorisation}`,
    `${at.discovery}/open-banking/v1/consumer-credit-cards`,
    `${at.authorisation}/open-banking/v3.1/aisp/accounts`,
  ]) {
    expect((await first.send(url, { certificate })).status).toBe(404)
  }
  expect((await first.send(`${at.api}${paths.authorisation}`)).status).toBe(404)
})

test('the sandbox layout', async () => {
  const opened = await open({ directory, settings: { layout: 'sandbox' } })
  const { addresses, services } = opened.bank
  expect(Object.keys(addresses)).toEqual([
    'sandbox_discovery_url',
    'sandbox_api_url',
    'sandbox_registration_url',
    'sandbox_token_url',
    'product_api_url',
  ])
  const { endpoints } = services
  expect(endpoints.registration).toBe(
    `${addresses.sandbox_registration_url}/dynamic-client-registration/v3.1/register`,
  )
  expect(endpoints.token).toBe(`${addresses.sandbox_token_url}/token`)
  expect(endpoints.authorisation).toBe(`${addresses.sandbox_discovery_url}/auth`)
  const { bearer } = await opened.first.approved()
  expect((await opened.first.call('/aisp/transactions', { bearer })).status).toBe(200)
  const { json } = await opened.first.send(`${endpoints.issuer}/.well-known/openid-configuration`, {
    certificate: 'none',
  })
  expect(json).toMatchObject({
    token_endpoint: endpoints.token,
    registration_endpoint: endpoints.registration,
  })
  await shut(opened)
})

test('the login form at once, instead of a redirect to it', async () => {
  const opened = await open({ directory, settings: { loginPage: 'forms' } })
  const { visit, tokens } = await opened.first.approved()
  expect(visit.statuses[0]).toBe(200)
  expect(tokens.access_token).toBeDefined()
  await shut(opened)
})

test('fixed ports, and several keys', async () => {
  const fixed = await startBank({
    directory,
    settings: { jwksKeys: 2, ports: { products: 21_017 } },
  })
  expect(fixed.addresses.product_api_url).toBe('https://127.0.0.1:21017')
  const tpp = createTpp(fixed)
  const { json } = await tpp.send(fixed.services.endpoints.jwks, { certificate: 'none' })
  expect(json.keys.map((key: { kid: string }) => key.kid)).toEqual(['bank-1', 'bank-2'])
  for (const key of json.keys) expect(key).not.toHaveProperty('d')
  await tpp.close()
  await fixed.close()
  await expect(startBank({ directory, settings: { nothing: 1 } as never })).rejects.toThrow(
    'nothing',
  )
})
