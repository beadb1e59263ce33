import { afterEach, expect, test, vi } from 'vitest'
import { addressFinding, lacksTls } from '../../engine/doctor/address.ts'
import { unusedProxy } from '../../engine/record/environment.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

const answered = (url: string, body: string) =>
  ({ request: { url }, response: { status: 400, body } }) as unknown as Exchange
const ended = (url: string, kind: string) =>
  ({ request: { url }, failure: { kind } }) as unknown as Exchange

/** What nginx 1.22, Apache httpd 2.4 and Go answer. */
const ANSWERS = [
  '<center>The plain HTTP request was sent to HTTPS port</center>',
  "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
  'Client sent an HTTP request to an HTTPS server.',
]

test.each(ANSWERS)('asked without TLS, a server says “%s”', (body) => {
  expect(lacksTls(answered('http://127.0.0.1:8443/', body))).toBe(true)
  expect(lacksTls(answered('https://127.0.0.1:8443/', body))).toBe(false)
})

test('a connection without TLS that is closed lacks it; an answer or a time-out does not say so', () => {
  expect(lacksTls(ended('http://127.0.0.1:8443/', 'closed'))).toBe(true)
  expect(lacksTls(ended('https://127.0.0.1:8443/', 'closed'))).toBe(false)
  expect(lacksTls(ended('http://127.0.0.1:8443/', 'timeout'))).toBe(false)
  expect(lacksTls(answered('http://127.0.0.1:8443/', 'Bad Request'))).toBe(false)
})

afterEach(() => vi.unstubAllEnvs())

test('a machine with a proxy for other programs is told to name it in the target', async () => {
  const place = {
    origin: 'https://api.bank.example',
    serves: [],
    members: ['addresses.base_url'],
    mutual: false,
  }
  const failure = { kind: 'unreachable', code: 'ENOTFOUND', message: '' }
  const exchange = {
    request: { url: place.origin },
    failure,
    connection: {},
  } as unknown as Exchange
  const finding = (proxy?: string) =>
    addressFinding(place, exchange, { target: { proxy }, timeout: 1 } as never)
  const hint = /This machine has HTTPS_PROXY, which is not used: write its address under proxy\.$/
  vi.stubEnv('https_proxy', 'http://proxy.example:3128')
  expect(await finding()).toMatchObject({ mend: expect.stringMatching(hint) })
  expect(await finding('http://proxy.example:3128')).not.toMatchObject({
    mend: expect.stringMatching(hint),
  })
})

test.each([
  [{ HTTPS_PROXY: 'p' }, 'api.bank.example', 'HTTPS_PROXY'],
  [{ http_proxy: 'p' }, 'api.bank.example', 'HTTP_PROXY'],
  [{ HTTPS_PROXY: 'p', NO_PROXY: 'other.example, .bank.example' }, 'api.bank.example', undefined],
  [{ HTTPS_PROXY: 'p', NO_PROXY: '*' }, 'api.bank.example', undefined],
  [{ HTTPS_PROXY: 'p' }, '127.0.0.1', undefined],
  [{}, 'api.bank.example', undefined],
])('with %o for %s: %s', (env, hostname, name) => {
  expect(unusedProxy(env, hostname)).toBe(name)
})
