import { X509Certificate } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import { directoryOfFile } from './opened.ts'

const directory = await directoryOfFile()
const bank = await startBank({ directory, behindGateway: 'https://bank.example:8443' })
afterAll(() => bank.close())

const { raw } = new X509Certificate(directory.clients.first.transport.certificate)
const pem = directory.clients.first.transport.certificate
const base64 = raw.toString('base64')

const portOf = (name: string) => bank.listeners.find((one) => one.name === name)?.port

/** A request as a gateway passes it on. */
function registering(headers: Record<string, string>): Promise<Response> {
  return fetch(`http://127.0.0.1:${portOf('api')}/open-banking/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/jwt', ...headers },
    body: 'not a JWT',
  })
}

test('each listener has the address of the gateway', () => {
  expect(bank.listeners.map(({ name, mutual, address }) => [name, mutual, address])).toEqual([
    ['api', true, 'https://bank.example:8443'],
    ['authorisation', false, 'https://bank.example:8444'],
    ['discovery', false, 'https://bank.example:8445'],
    ['products', false, 'https://bank.example:8446'],
  ])
  expect(bank.target.addresses.base_url).toBe('https://bank.example:8443')
})

test('discovery names the addresses outside', async () => {
  const url = `http://127.0.0.1:${portOf('discovery')}/.well-known/openid-configuration`
  const configuration = await (await fetch(url)).json()
  expect(configuration).toMatchObject({
    issuer: 'https://bank.example:8445',
    token_endpoint: 'https://bank.example:8443/open-banking/oauth/token',
  })
})

test.each([
  ['RFC 9440', `:${base64}:`],
  ['Base64', base64],
  ['PEM, percent-encoded', encodeURIComponent(pem)],
  ['PEM in one line', pem.trim().replaceAll('\n', ' ')],
])('a certificate as %s', async (_, told) => {
  // The certificate is right: what is refused is the body.
  expect((await registering({ 'client-cert': told })).status).toBe(400)
  expect((await registering({ 'client-cert': told, 'client-verify': 'SUCCESS' })).status).toBe(400)
  expect((await registering({ 'client-cert': told, 'client-verify': '0' })).status).toBe(400)
})

test.each([
  ['no header', {}],
  ['an empty one', { 'client-cert': '' }],
  ['what Apache writes for none', { 'client-cert': '(null)' }],
  ['half a percent sign', { 'client-cert': '%' }],
  ['something else', { 'client-cert': 'yes' }],
  ['one that the gateway refuses', { 'client-cert': base64, 'client-verify': 'FAILED:expired' }],
  ['one that HAProxy refuses', { 'client-cert': base64, 'client-verify': '20' }],
])('no certificate: %s', async (_, headers) => {
  expect((await registering(headers as Record<string, string>)).status).toBe(401)
})

test('a bank that ends TLS itself does not read these headers', async () => {
  const own = await startBank({ directory, settings: { tlsRefusal: 'status' } })
  const { Agent, request } = await import('undici')
  const dispatcher = new Agent({ connect: { ca: directory.authority } })
  const { statusCode } = await request(own.services.endpoints.registration, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/jwt', 'client-cert': base64 },
    body: 'not a JWT',
  })
  expect(statusCode).toBe(401)
  await dispatcher.close()
  await own.close()
})
