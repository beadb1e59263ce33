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

/** The finding about an address at which no session is opened, for this reason. */
async function unopened(kind: string, code: string, message = '', proxy?: string) {
  const origin = 'http://127.0.0.1:9'
  const place = { origin, serves: [], members: ['addresses.base_url'], mutual: false }
  const failure = { kind, code, message }
  const exchange = { request: { url: 'https://127.0.0.1:9' }, failure, connection: {} }
  return addressFinding(place, exchange as unknown as Exchange, { target: { proxy } } as never)
}

test.each([
  ['ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED', 'bank', 'lacks secure renegotiation'],
  ['ERR_SSL_DH_KEY_TOO_SMALL', 'bank', 'a key of its server is too short'],
  ['ERR_SSL_LENGTH_MISMATCH', 'network', 'the log of its server may say why'],
])('a server with which no session is opened: %s', async (code, whose, why) => {
  expect(await unopened('unreachable', code, 'some words')).toMatchObject({
    whose,
    text: `no TLS session can be opened with 127.0.0.1:9: some words (${code})`,
    mend: expect.stringContaining(why) as string,
  })
})

test.each([
  ['unreachable', 'ECONNREFUSED', 'configuration', /^Correct proxy, or leave it out\.$/],
  ['unreachable', 'ENOTFOUND', 'configuration', /^Correct proxy, or leave it out\.$/],
  ['unreachable', 'EAI_AGAIN', 'configuration', /^Correct proxy, or leave it out\.$/],
  ['unreachable', 'EHOSTUNREACH', 'network', /^Correct proxy, or leave it out\.$/],
  ['closed', 'ECONNRESET', 'network', / ask whoever runs the proxy why the connection is closed, /],
])('a proxy where it ends so is looked at first: %s %s', async (kind, code, whose, mend) => {
  expect(await unopened(kind, code, '', 'http://proxy.example:3128')).toMatchObject({
    whose,
    text: expect.stringContaining(`through the proxy proxy.example:3128 (${code})`),
    mend: expect.stringMatching(mend),
  })
})

test.each([
  ['UNSPECIFIED', 'bank', 'cannot be used: EE certificate key too weak'],
  ['INVALID_PURPOSE', 'bank', 'cannot be used: EE certificate key too weak'],
  ['CERT_SIGNATURE_FAILURE', 'configuration', 'than the one that is trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'configuration', 'which is not trusted'],
])('a server certificate that is refused: %s', async (code, whose, text) => {
  const found = await unopened('untrusted', code, 'EE certificate key too weak')
  expect(found).toMatchObject({ whose, text: expect.stringContaining(text) as string })
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
