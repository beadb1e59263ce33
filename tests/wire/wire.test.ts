import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { connect, getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Target, targetFrom } from '../../engine/configuration/resolve.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { createWire, type Wire } from '../../engine/wire/wire.ts'
import { documentFor } from '../configuration/documents.ts'
import { type Authority, authority, type Issued } from './certificates.ts'
import { https, type Running, rawTls, run, tcp } from './servers.ts'

let ca: Authority
let stranger: Authority
let server: Issued
let first: Issued
let expired: Issued
let foreign: Issued

beforeAll(async () => {
  ;[ca, stranger] = await Promise.all([authority('directory'), authority('stranger')])
  ;[server, first, expired, foreign] = await Promise.all([
    ca.issue('bank'),
    ca.issue('first'),
    ca.issue('expired', { ends: -60_000 }),
    stranger.issue('foreign'),
  ])
})

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function running(server: Promise<Running>): Promise<Running> {
  const started = await server
  open.push(started)
  return started
}

function wireTo(url: string, over: Partial<Target> = {}): Wire {
  const document = documentFor(url, { trust: ca.certificate, first, second: first })
  document.refusedCertificates = { expired }
  const wire = createWire({ ...targetFrom(document), timeout: 2000, ...over })
  open.push(wire)
  return wire
}

function get(wire: Wire, url: string, over: object = {}): Promise<Exchange> {
  return wire.send({
    endpoint: 'accounts',
    identity: 'first',
    method: 'GET',
    url,
    headers: [['Accept', 'application/json']],
    ...over,
  })
}

const tls = (): TlsOptions => ({ cert: server.certificate, key: server.key })

/** OpenSSL itself refuses: only then an alert is sent, as by servers that are not Node. */
const refusing = (version: 'TLSv1.2' | 'TLSv1.3'): TlsOptions => ({
  ...tls(),
  ca: ca.certificate,
  requestCert: true,
  rejectUnauthorized: true,
  minVersion: version,
  maxVersion: version,
})

describe('a response', () => {
  test('is recorded as it came, with the TLS session that carried it', async () => {
    const { url } = await running(
      https(tls(), (request, response) => {
        response.sendDate = false
        response.setHeader('X-Mixed-CASE', 'a')
        response.setHeader('Set-Cookie', ['one=1', 'two=2'])
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ path: request.url, accept: request.headers.accept }))
      }),
    )
    const exchange = await get(wireTo(url), `${url}/a?b=c%20d`)
    expect(exchange).toMatchObject({
      id: 'x1',
      endpoint: 'accounts',
      request: {
        method: 'GET',
        url: `${url}/a?b=c%20d`,
        headers: [
          ['Accept', 'application/json'],
          ['User-Agent', 'Assay'],
        ],
      },
      response: { status: 200, json: { path: '/a?b=c%20d', accept: 'application/json' } },
      connection: { protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', identity: 'first' },
    })
    expect(exchange.failure).toBeUndefined()
    expect(exchange.response?.headers.slice(0, 4)).toEqual([
      ['X-Mixed-CASE', 'a'],
      ['Set-Cookie', 'one=1'],
      ['Set-Cookie', 'two=2'],
      ['content-type', 'application/json'],
    ])
    expect(exchange.startedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(exchange.durationMs).toBeGreaterThan(0)
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ] as const)('with content-encoding %s is decoded', async (coding, compress) => {
    const { url } = await running(
      https(tls(), (_, response) => {
        response.setHeader('Content-Encoding', coding)
        response.end(compress(Buffer.from('{"ä":1}')))
      }),
    )
    const { response } = await get(wireTo(url), url)
    expect(response).toMatchObject({ body: '{"ä":1}', bytes: 8, json: { ä: 1 } })
  })

  test('in chunks is put together', async () => {
    const { url } = await running(
      https(tls(), (_, response) => {
        response.write('{"a":')
        setTimeout(() => response.end('1}'), 20)
      }),
    )
    expect((await get(wireTo(url), url)).response?.json).toEqual({ a: 1 })
  })

  test('with a redirect is not followed', async () => {
    let requests = 0
    const { url } = await running(
      https(tls(), (_, response) => {
        requests += 1
        response.writeHead(302, { Location: '/elsewhere' }).end()
      }),
    )
    expect((await get(wireTo(url), url)).response).toMatchObject({
      status: 302,
      body: '',
      bytes: 0,
    })
    expect(requests).toBe(1)
  })

  test('that is not JSON, or empty, has no json', async () => {
    const { url } = await running(
      https(tls(), (request, response) => response.end(request.url === '/empty' ? '' : '{"a":')),
    )
    const wire = wireTo(url)
    expect((await get(wire, `${url}/cut`)).response).toEqual(
      expect.not.objectContaining({ json: expect.anything() }),
    )
    expect((await get(wire, `${url}/empty`)).response?.body).toBe('')
  })

  test.each([
    ['103', ['HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n']],
    ['100 that nobody asked for', ['HTTP/1.1 100 Continue\r\n\r\n']],
    ['100 in pieces', ['HTT', 'P/1.1 10', '0 Continue\r\n', '\r\nHTTP/1.1 1', '00 \r\n\r\n']],
    ['102, then 100', ['HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n']],
  ])('after an interim response is the final one: %s', async (_, interim) => {
    const { url } = await running(
      rawTls(tls(), (socket) => {
        socket.setNoDelay(true)
        socket.on('data', async () => {
          for (const piece of interim) {
            socket.write(piece)
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
        })
      }),
    )
    const wire = wireTo(url)
    for (const _ of [1, 2]) {
      expect((await get(wire, url)).response).toMatchObject({ status: 200, body: 'ok' })
    }
  })
})

describe('a refused client certificate', () => {
  test.each(['TLSv1.2', 'TLSv1.3'] as const)('none: the alert of %s is told', async (version) => {
    const { url } = await running(https(refusing(version), (_, response) => response.end()))
    const exchange = await get(wireTo(url), url, { identity: 'none' })
    expect(exchange.response).toBeUndefined()
    expect(exchange.failure?.kind).toBe('tls-alert')
    const codes = {
      'TLSv1.2': /ALERT_HANDSHAKE_FAILURE$/,
      'TLSv1.3': /ALERT_CERTIFICATE_REQUIRED$/,
    }
    expect(exchange.failure?.code).toMatch(codes[version])
    expect(exchange.failure?.message).not.toContain(':error:')
    expect(exchange.connection.identity).toBe('none')
  })

  test.each([
    ['TLSv1.2', 'untrusted'],
    ['TLSv1.3', 'untrusted'],
    ['TLSv1.2', 'expired'],
    ['TLSv1.3', 'expired'],
  ] as const)('%s, %s: a bare close is told', async (version, identity) => {
    const { url } = await running(https(refusing(version), (_, response) => response.end()))
    const { failure } = await get(wireTo(url), url, { identity })
    expect(failure?.kind).toBe('closed')
  })

  test('the untrusted one is made up, and offered', async () => {
    const seen: string[] = []
    const { url } = await running(
      https({ ...tls(), requestCert: true, rejectUnauthorized: false }, (request, response) => {
        const socket = request.socket as unknown as {
          getPeerCertificate(): { subject: { CN: string } }
        }
        seen.push(socket.getPeerCertificate().subject?.CN)
        response.writeHead(403).end()
      }),
    )
    const wire = wireTo(url)
    expect((await get(wire, url, { identity: 'untrusted' })).response?.status).toBe(403)
    await get(wire, url, { identity: 'first' })
    await get(wire, url, { identity: 'none' })
    expect(seen).toEqual(['untrusted', 'first', undefined])
  })

  test('an identity that the target does not have is an error of the caller', async () => {
    const wire = wireTo('https://127.0.0.1:1')
    expect(wire.has('expired')).toBe(true)
    expect(wire.has('revoked')).toBe(false)
    await expect(get(wire, 'https://127.0.0.1:1', { identity: 'revoked' })).rejects.toThrow(
      'the target has no client certificate named revoked',
    )
  })
})

describe('no response', () => {
  test('nobody listens', async () => {
    const { url, close } = await tcp(() => {})
    await close()
    expect((await get(wireTo(url), url)).failure).toMatchObject({
      kind: 'unreachable',
      code: 'ECONNREFUSED',
    })
  })

  test('the name is unknown', async () => {
    const url = 'https://bank.invalid'
    const { failure } = await get(wireTo(url), url)
    expect(failure?.kind).toBe('unreachable')
  })

  test('the address is not a URL', async () => {
    const { failure } = await get(wireTo('https://127.0.0.1:1'), '')
    expect(failure).toMatchObject({ kind: 'unreachable', code: 'ERR_INVALID_URL' })
  })

  test('the certificate is of an authority that is not trusted', async () => {
    const options = { cert: foreign.certificate, key: foreign.key }
    const { url } = await running(https(options, (_, response) => response.end()))
    expect((await get(wireTo(url), url)).failure?.kind).toBe('untrusted')
  })

  test('the certificate has expired', async () => {
    const options = { cert: expired.certificate, key: expired.key }
    const { url } = await running(https(options, (_, response) => response.end()))
    expect((await get(wireTo(url), url)).failure).toMatchObject({
      kind: 'untrusted',
      code: 'CERT_HAS_EXPIRED',
    })
  })

  test('the certificate is of another host', async () => {
    const { certificate, key } = await ca.issue('other', { host: 'other.example' })
    const { url } = await running(https({ cert: certificate, key }, (_, r) => r.end()))
    expect((await get(wireTo(url), url)).failure).toMatchObject({
      kind: 'untrusted',
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  test('the authority may not issue for this address', async () => {
    const constrained = await authority('constrained', [127, 0, 0, 0, 255, 0, 0, 0])
    const { certificate, key } = await constrained.issue('bank')
    const { url } = await running(https({ cert: certificate, key }, (_, r) => r.end()))
    const document = documentFor(url, { trust: constrained.certificate, first, second: first })
    const wire = createWire({ ...targetFrom(document), timeout: 2000 })
    open.push(wire)
    expect((await get(wire, url)).failure).toMatchObject({
      kind: 'untrusted',
      message: 'excluded subtree violation',
    })
  })

  test('the server hangs after the request', async () => {
    const { url } = await running(https(tls(), () => {}))
    const exchange = await get(wireTo(url), url, { timeout: 150 })
    expect(exchange.failure).toMatchObject({ kind: 'timeout', code: 'TIMEOUT' })
    expect(exchange.durationMs).toBeGreaterThanOrEqual(145)
    expect(exchange.durationMs).toBeLessThan(1000)
  })

  test('the server hangs in the middle of the body', async () => {
    const { url } = await running(https(tls(), (_, response) => void response.write('{"a":')))
    expect((await get(wireTo(url), url, { timeout: 150 })).failure?.kind).toBe('timeout')
  })

  test('the server hangs before TLS', async () => {
    const { url } = await running(tcp(() => {}))
    expect((await get(wireTo(url), url, { timeout: 150 })).failure).toMatchObject({
      kind: 'timeout',
      message: 'no TLS session within 0.15 s',
    })
  })

  test('a hang does not hold up the next request', async () => {
    const { url } = await running(
      https(tls(), (request, response) => {
        if (request.url !== '/hangs') response.end('ok')
      }),
    )
    const wire = wireTo(url)
    const hung = await get(wire, `${url}/hangs`, { timeout: 100 })
    expect(hung.failure?.kind).toBe('timeout')
    expect((await get(wire, url)).response?.body).toBe('ok')
  })

  test('the server closes without a word', async () => {
    const { url } = await running(rawTls(tls(), (socket) => socket.on('data', () => socket.end())))
    const wire = wireTo(url)
    expect((await get(wire, url)).failure?.kind).toBe('closed')
    expect(wire.requests).toBe(2)
  })

  test('the server resets the connection', async () => {
    const { url } = await running(
      tcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
    )
    expect((await get(wireTo(url), url)).failure).toMatchObject({
      kind: 'closed',
      code: 'ECONNRESET',
    })
  })

  test('the body is cut', async () => {
    const { url } = await running(
      rawTls(tls(), (socket) => {
        socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'))
      }),
    )
    const exchange = await get(wireTo(url), url)
    expect(exchange.response).toBeUndefined()
    expect(exchange.failure?.kind).toBe('closed')
  })

  test('it is not HTTP', async () => {
    const { url } = await running(
      rawTls(tls(), (socket) => socket.on('data', () => socket.end('SSH-2.0-OpenSSH\r\n'))),
    )
    expect((await get(wireTo(url), url)).failure?.kind).toBe('garbage')
  })

  test('it is not TLS', async () => {
    const { url } = await running(
      tcp((socket) => socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
    )
    expect((await get(wireTo(url), url)).failure?.kind).toBe('unreachable')
  })

  test('the coding of the body is another one than it says', async () => {
    const { url } = await running(
      https(tls(), (_, response) => {
        response.setHeader('Content-Encoding', 'gzip')
        response.end('{"plain":true}')
      }),
    )
    expect((await get(wireTo(url), url)).failure).toMatchObject({ kind: 'garbage' })
  })

  test('the body is larger than the limit', async () => {
    const { url } = await running(https(tls(), (_, response) => response.end('x'.repeat(200_000))))
    const wire = wireTo(url, { maxResponseSize: 100_000 })
    expect((await get(wire, url)).failure).toMatchObject({ kind: 'too-large', code: 'TOO_LARGE' })
  })

  test('the decoded body is larger than the limit', async () => {
    const { url } = await running(
      https(tls(), (_, response) => {
        response.setHeader('Content-Encoding', 'gzip')
        response.end(gzipSync(Buffer.alloc(1_000_000)))
      }),
    )
    const wire = wireTo(url, { maxResponseSize: 100_000 })
    expect((await get(wire, url)).failure?.kind).toBe('too-large')
  })

  test('a header that the bank made impossible to send is told, not thrown', async () => {
    const wire = wireTo('https://127.0.0.1:1')
    const headers = [['Authorization', 'Bearer a\nb']]
    expect((await get(wire, 'https://127.0.0.1:1', { headers })).failure).toMatchObject({
      kind: 'garbage',
      code: 'UND_ERR_INVALID_ARG',
    })
  })
})

describe('connections', () => {
  test('are kept, one pool per identity', async () => {
    const ports = new Map<string, Set<number>>()
    const { url } = await running(
      https({ ...tls(), requestCert: true, rejectUnauthorized: false }, (request, response) => {
        const name = request.url ?? ''
        ports.set(name, (ports.get(name) ?? new Set()).add(request.socket.remotePort ?? 0))
        response.end()
      }),
    )
    const wire = wireTo(url)
    for (const identity of ['first', 'first', 'none', 'first', 'none']) {
      await get(wire, `${url}/${identity}`, { identity })
    }
    expect(ports.get('/first')?.size).toBe(1)
    expect(ports.get('/none')?.size).toBe(1)
    expect(ports.get('/first')).not.toEqual(ports.get('/none'))
  })

  test('one that was closed while idle is replaced, and the repeat is visible', async () => {
    let connections = 0
    const { url } = await running(
      rawTls(tls(), (socket) => {
        connections += 1
        let requests = 0
        const mine = connections
        socket.on('data', () => {
          requests += 1
          if (mine === 1 && requests === 2) return socket.destroy()
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
        })
      }),
    )
    const wire = wireTo(url)
    const exchanges: Exchange[] = []
    wire.onExchange((exchange) => exchanges.push(exchange))
    await get(wire, url)
    const second = await get(wire, url)
    expect(second.response?.body).toBe('ok')
    expect(exchanges.map(({ id, retriedBy, failure }) => [id, retriedBy, failure?.kind])).toEqual([
      ['x1', undefined, undefined],
      ['x2', 'x3', 'closed'],
      ['x3', undefined, undefined],
    ])
    expect(wire.requests).toBe(3)
  })

  test('a server that always closes is told after one repeat', async () => {
    let requests = 0
    const { url } = await running(
      rawTls(tls(), (socket) => {
        socket.on('data', () => {
          requests += 1
          if (requests > 1) return socket.destroy()
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
        })
      }),
    )
    const wire = wireTo(url)
    await get(wire, url)
    expect((await get(wire, url)).failure?.kind).toBe('closed')
    expect(requests).toBe(3)
  })

  test('requests at once get ids of their own, and every listener every exchange', async () => {
    const { url } = await running(https(tls(), (request, response) => response.end(request.url)))
    const wire = wireTo(url)
    const seen: string[] = []
    const stop = wire.onExchange(({ id }) => seen.push(id))
    const paths = Array.from({ length: 20 }, (_, index) => `${url}/${index}`)
    const exchanges = await Promise.all(paths.map((path) => get(wire, path)))
    expect(exchanges.map(({ response }) => `${url}${response?.body}`)).toEqual(paths)
    expect(new Set(seen).size).toBe(20)
    stop()
    await get(wire, url)
    expect(seen).toHaveLength(20)
  })
})

const NOW = { 'Retry-After': '0' }

describe('a repeat that was asked for', () => {
  const limited = (answers: [number, Record<string, string>][]) =>
    https(tls(), (_, response) => {
      const [status, headers] = answers.shift() ?? [200, {}]
      response.writeHead(status, headers).end()
    })

  test('waits as Retry-After says', async () => {
    const { url } = await running(limited([[502, { 'Retry-After': '1' }]]))
    const started = performance.now()
    const exchange = await get(wireTo(url), url, { retry: true })
    expect(exchange.response?.status).toBe(200)
    expect(performance.now() - started).toBeGreaterThan(990)
  })

  test('understands a date', async () => {
    const past = new Date(Date.now() - 1000).toUTCString()
    const { url } = await running(limited([[503, { 'Retry-After': past }]]))
    expect((await get(wireTo(url), url, { retry: true })).response?.status).toBe(200)
  })

  test('does not wait for longer than the bound', async () => {
    const { url } = await running(limited([[503, { 'Retry-After': '3600' }]]))
    const exchange = await get(wireTo(url), url, { retry: true })
    expect([exchange.response?.status, exchange.unavailable]).toEqual([503, 'answered 503'])
  })

  test('does not happen unasked', async () => {
    const { url } = await running(limited([[429, { 'Retry-After': '0' }]]))
    const wire = wireTo(url)
    expect((await get(wire, url)).response?.status).toBe(429)
    expect(wire.requests).toBe(1)
  })

  test('ends after three, and what stays unavailable is not waited for again', async () => {
    const again: [number, Record<string, string>] = [504, { 'Retry-After': '0' }]
    const { url } = await running(limited([again, again, again, again, again]))
    const wire = wireTo(url)
    expect((await get(wire, url, { retry: true })).unavailable).toBe('answered 504, 4 times')
    expect(wire.requests).toBe(4)
    expect((await get(wire, url, { retry: true })).unavailable).toBe('answered 504')
    expect((await get(wire, url, { retry: true })).response?.status).toBe(200)
  })

  test('429 to a data request without the customer is the documented answer', async () => {
    const { url } = await running(limited([[429, { 'Retry-After': '0' }]]))
    const exchange = await get(wireTo(url), url, { retry: true })
    expect([exchange.response?.status, exchange.unavailable]).toEqual([429, undefined])
  })

  test('does not happen after 429 where only that is judged', async () => {
    const { url } = await running(
      limited([
        [503, { 'Retry-After': '0' }],
        [429, {}],
      ]),
    )
    const headers = [['x-fapi-customer-ip-address', '203.0.113.7']]
    const exchange = await get(wireTo(url), url, { retry: 'not-429', headers })
    expect([exchange.response?.status, exchange.unavailable]).toEqual([429, undefined])
  })

  test('has a body of its own where one cannot be sent twice', async () => {
    const bodies: string[] = []
    const server = https(tls(), (request, response) => {
      request.on('data', (chunk) => bodies.push(String(chunk)))
      request.on('end', () => response.writeHead(bodies.length < 2 ? 503 : 200, NOW).end())
    })
    const { url } = await running(server)
    const once = { method: 'POST', endpoint: 'token', body: 'one', renewed: () => 'two' }
    expect((await get(wireTo(url), url, { retry: true, ...once })).response?.status).toBe(200)
    expect(bodies).toEqual(['one', 'two'])
  })

  test('that is refused after 504 tells nothing: the first may have been carried out', async () => {
    const { url } = await running(
      limited([
        [504, NOW],
        [404, {}],
      ]),
    )
    const deletion = { method: 'DELETE', endpoint: 'delete-account-access-consent' }
    const exchange = await get(wireTo(url), url, { retry: true, ...deletion })
    expect(exchange.unavailable).toMatch(/^answered 504, and when repeated 404/)
  })
})

describe('what an identity offers', () => {
  test('may be an encrypted key', async () => {
    const key = createPrivateKey(first.key)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open' })
      .toString()
    const { url } = await running(https(refusing('TLSv1.3'), (_, response) => response.end('ok')))
    const transports = { first: { certificate: first.certificate, key, passphrase: 'open' } }
    expect((await get(wireTo(url, { transports }), url)).response?.body).toBe('ok')
  })

  test('may be a PKCS#12 file', async () => {
    const pem = readFileSync('tests/configuration/fixtures/client.pem', 'utf8')
    const pkcs12 = readFileSync('tests/configuration/fixtures/client.p12').toString('base64')
    const { url } = await running(
      https({ ...refusing('TLSv1.3'), ca: pem }, (_, response) => response.end('ok')),
    )
    const transports = { first: { pkcs12, passphrase: 'canary-passphrase' } }
    expect((await get(wireTo(url, { transports }), url)).response?.body).toBe('ok')
  })

  test('must be readable: that is an error of the caller, never of the bank', async () => {
    const transports = { first: { certificate: first.certificate, key: server.key } }
    const wire = wireTo('https://127.0.0.1:1', { transports })
    await expect(get(wire, 'https://127.0.0.1:1')).rejects.toThrow('key values mismatch')
  })
})

describe('a proxy', () => {
  /** A CONNECT proxy that wants a password, and counts its tunnels. */
  async function proxy(status?: number, opens = '200 Connection established') {
    const seen: string[] = []
    const server = createHttp().on('connect', (request, socket) => {
      seen.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
      if (status) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      const { hostname, port } = new URL(`tcp://${request.url}`)
      const to = connect(Number(port), hostname, () => {
        socket.write(`HTTP/1.1 ${opens}\r\n\r\n`)
        to.pipe(socket).pipe(to)
      })
      to.on('error', () => socket.destroy())
      socket.on('error', () => to.destroy())
    })
    const started = await running(run(server, 'http'))
    return { seen, url: started.url.replace('//', '//user:p%20w@') }
  }

  test('tunnels, and the identity is offered inside of the tunnel', async () => {
    const { url } = await running(https(refusing('TLSv1.3'), (_, response) => response.end('ok')))
    const { seen, url: proxyUrl } = await proxy()
    const wire = wireTo(url, { proxy: proxyUrl })
    const exchange = await get(wire, url)
    expect(exchange.response?.body).toBe('ok')
    expect(exchange.connection.protocol).toBe('TLSv1.3')
    await get(wire, url)
    const credentials = Buffer.from('user:p w').toString('base64')
    expect(seen).toEqual([`${url.slice('https://'.length)} Basic ${credentials}`])
    const { failure } = await get(wire, url, { identity: 'none' })
    expect(failure?.code).toMatch(/ALERT_CERTIFICATE_REQUIRED$/)
  })

  test('that refuses is the environment', async () => {
    const { url } = await proxy(407)
    const { failure } = await get(
      wireTo('https://127.0.0.1:1', { proxy: url }),
      'https://127.0.0.1:1',
    )
    expect(failure).toEqual({
      kind: 'unreachable',
      code: 'PROXY_407',
      message: 'the proxy answered CONNECT with 407',
    })
  })

  test('opens a tunnel by any 2xx (RFC 9110 9.3.6)', async () => {
    const { url } = await running(https(refusing('TLSv1.3'), (_, response) => response.end('ok')))
    for (const opens of ['201 Created', '204 No Content']) {
      const { url: proxyUrl } = await proxy(undefined, opens)
      const { response } = await get(wireTo(url, { proxy: proxyUrl }), url)
      expect(response?.body).toBe('ok')
    }
  })

  test('that is not there, or hangs, is the environment', async () => {
    const hanging = await running(tcp(() => {}, 'http'))
    const wire = wireTo('https://127.0.0.1:1', { proxy: hanging.url, timeout: 150 })
    expect((await get(wire, 'https://127.0.0.1:1')).failure?.kind).toBe('unreachable')
    const gone = await tcp(() => {}, 'http')
    await gone.close()
    const other = wireTo('https://127.0.0.1:1', { proxy: gone.url })
    expect((await get(other, 'https://127.0.0.1:1')).failure).toMatchObject({
      kind: 'unreachable',
      code: 'ECONNREFUSED',
    })
  })
})

afterAll(() => {
  expect(open).toEqual([])
})

test('a distant bank has a second for each of its addresses', () => {
  expect(getDefaultAutoSelectFamilyAttemptTimeout()).toBeGreaterThanOrEqual(1000)
})
