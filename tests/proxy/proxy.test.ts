import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openAuthority } from '../../engine/proxy/authority.ts'
import { documentFor } from '../configuration/documents.ts'
import { type Authority, authority, type Issued } from '../wire/certificates.ts'
import { https, type Running, rawTls } from '../wire/servers.ts'
import { exchanged, openProxied, type Proxied, secured, tunnelled } from './opened.ts'

/** What a proxy passes on, to whom, and what it refuses. */

let directory: Authority
let server: Issued
let first: Issued
let second: Issued
beforeAll(async () => {
  directory = await authority('a directory')
  server = await directory.issue('bank')
  first = await directory.issue('tally')
  second = await directory.issue('kettle')
})

const identityOf = ({ certificate, key }: Issued) => ({ cert: certificate, key })

/** A proxy before a bank, and the bank's host and port. */
async function before(bank: Pick<Running, 'url'>, options: { pass?: string[] } = {}) {
  const document = documentFor(bank.url, { trust: directory.certificate, first, second })
  return { ...(await openProxied(document, options)), at: new URL(bank.url).host }
}

async function ended({ proxy, out }: Proxied, bank?: Running) {
  const reports = await proxy.finish()
  await bank?.close()
  rmSync(out, { recursive: true })
  return reports
}

const ACCOUNTS = '/open-banking/v3.1/aisp/accounts'

const ANSWERS: Record<string, string> = {
  'names, their case and order, doubles':
    'HTTP/1.1 299 As You Like\r\nx-B: 1\r\nX-a: 2\r\nset-cookie: a=1\r\nX-B:  3\r\nSet-Cookie: b=2\r\ncontent-LENGTH: 5\r\nConnection: close\r\n\r\n{\x00\xff }',
  'parts with a trailer':
    'HTTP/1.1 200 OK\r\nTrailer: X-End\r\ntransfer-encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\nX-End: 1\r\n\r\n',
  'a body without length': 'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nto the end',
  'interim answers before it':
    'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n',
}

test.each(Object.entries(ANSWERS))('an answer passes as it came: %s', async (_, answer) => {
  let asked = ''
  const bank = await rawTls(identityOf(server), (socket) => {
    socket.on('data', (part: Buffer) => {
      asked += part.toString('latin1')
      if (asked.endsWith('\xfe!')) socket.end(answer, 'latin1')
    })
  })
  const proxied = await before(bank)
  const request = `POST ${ACCOUNTS}?a=%41&b HTTP/1.1\r\nx-Two: 2\r\nHost: ${proxied.at}\r\nX-two: 1\r\nContent-Length: 4\r\nConnection: close\r\n\r\n\x00\xff\xfe!`
  const answered = await exchanged(await secured(proxied, proxied.at), request)
  expect(asked).toBe(request)
  expect(answered.replace(/^HTTP\/1\.0/, 'HTTP/1.1')).toBe(
    answer.replace(/^HTTP\/1\.0/, 'HTTP/1.1').replace('X-B:  3', 'X-B: 3'),
  )
  await ended(proxied, bank)
})

test('an answer that is cut is cut for the client too, and held against nobody', async () => {
  const bank = await rawTls(identityOf(server), (socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"Da'))
  })
  const proxied = await before(bank)
  const request = `GET ${ACCOUNTS} HTTP/1.1\r\nHost: ${proxied.at}\r\n\r\n`
  const answered = await exchanged(await secured(proxied, proxied.at), request)
  expect(answered).toMatch(/^HTTP\/1\.1 200 OK/)
  const { bank: report } = await ended(proxied, bank)
  expect(report).toMatchObject({ exitCode: 0, summary: { fail: 0 } })
  expect(report.problems.join()).toContain('there is no answer of the bank')
})

test('a connection that the bank closes behind its answer is closed for the client', async () => {
  const bank = await rawTls(identityOf(server), (socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
  })
  const proxied = await before(bank)
  const request = `GET ${ACCOUNTS} HTTP/1.1\r\nHost: ${proxied.at}\r\n\r\n`
  // It settles once the connection is closed.
  const answered = await exchanged(await secured(proxied, proxied.at), request)
  expect(answered).toMatch(/ok$/)
  await ended(proxied, bank)
})

/** A bank that says who a client showed itself to be. */
const asking = () =>
  https(
    { ...identityOf(server), requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const shown = (request.socket as never as TlsSocket).getPeerX509Certificate()
      response.end(shown?.subject ?? 'nobody')
    },
  )

type TlsSocket = { getPeerX509Certificate(): { subject: string } | undefined }

test('the bank sees the TPP whose certificate the client shows, and nobody where it shows none', async () => {
  const bank = await asking()
  const proxied = await before(bank)
  const ask = async (identity?: Issued) => {
    const text = `GET ${ACCOUNTS} HTTP/1.1\r\nHost: ${proxied.at}\r\nConnection: close\r\n\r\n`
    return exchanged(await secured(proxied, proxied.at, identity && identityOf(identity)), text)
  }
  const [none, one, other] = await Promise.all([ask(), ask(first), ask(second)])
  expect(none).toMatch(/nobody$/)
  expect(one).toMatch(/CN=tally$/)
  expect(other).toMatch(/CN=kettle$/)
  // Whoever calls himself a TPP and has not its key is shown to nobody.
  const impostor = await (await authority('anybody')).issue('tally')
  const refused = await ask(impostor)
  expect(refused).toMatch(/^HTTP\/1\.1 502 [\s\S]*assay proxy: .*CN=tally/)
  expect(proxied.beside.join()).toContain('a client certificate whose key the target file does not')
  const { tpp, bank: ofBank } = await ended(proxied, bank)
  expect(ofBank.recording?.exchanges).toBe(3)
  const certificate = tpp.checks.find(({ id }) => id === 'TGEN-02/certificate')
  expect(certificate).toMatchObject({ outcome: 'fail', actual: 'certificate: none' })
})

test('nothing but the hosts of the target is reached', async () => {
  let reached = 0
  const count = (_: unknown, response: { end(text: string): void }) => {
    reached += 1
    response.end('reached')
  }
  const other = await https(identityOf(server), count)
  const passed = await https(identityOf(server), (_, response) => response.end('passed'))
  const bank = await https(identityOf(server), count)
  const proxied = await before(bank, { pass: [new URL(passed.url).host] })
  const { url } = proxied.proxy
  const elsewhere = new URL(other.url).host
  for (const authority of [
    elsewhere,
    `user@${elsewhere}`,
    `${elsewhere}/`,
    'localhost',
    '',
    '[::1]:22',
  ]) {
    const [socket, answer] = await tunnelled(url, authority)
    expect([authority, answer.split('\r\n', 1)[0]]).toEqual([
      authority,
      expect.stringMatching(/^HTTP\/1\.1 40[03] /),
    ])
    socket.destroy()
  }
  const plain = await fetch(url, { method: 'POST' })
  expect(plain.status).toBe(404)
  const [socket] = await tunnelled(url, elsewhere)
  socket.destroy()
  const absolute = await plainly(
    url,
    `GET http://${elsewhere}/ HTTP/1.1\r\nHost: ${elsewhere}\r\n\r\n`,
  )
  expect(absolute).toMatch(/^HTTP\/1\.1 403 /)
  expect(reached).toBe(0)
  // A host that is named for it is passed unread, under its own certificate.
  const unread = await secured(
    { ...proxied, trust: directory.certificate },
    new URL(passed.url).host,
  )
  const text = await exchanged(unread, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(text).toMatch(/passed/)
  const { bank: report } = await ended(proxied, bank)
  expect(report.recording?.exchanges).toBe(0)
  expect(report.exitCode).toBe(4)
  expect(report.problems.join()).toContain(`${elsewhere} is none of the target’s hosts`)
  await other.close()
  await passed.close()
})

async function plainly(proxy: string, text: string): Promise<string> {
  const { connect } = await import('node:net')
  const socket = connect(Number(new URL(proxy).port), '127.0.0.1')
  socket.write(text)
  const [part] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return part.toString()
}

test('a host that the bank names in its configuration is read from then on', async () => {
  const keys = await https(identityOf(server), (_, response) => response.end('{"keys":[]}'))
  const bank = await https(identityOf(server), (_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        jwks_uri: `${keys.url}/keys`,
        token_endpoint: 'https://[::ffff:169.254.1.1]/t',
      }),
    )
  })
  const proxied = await before(bank)
  const host = new URL(keys.url).host
  expect((await tunnelled(proxied.proxy.url, host))[1]).toMatch(/^HTTP\/1\.1 403 /)
  const ask = async (at: string, path: string) =>
    exchanged(
      await secured(proxied, at),
      `GET ${path} HTTP/1.1\r\nHost: ${at}\r\nConnection: close\r\n\r\n`,
    )
  await ask(proxied.at, '/.well-known/openid-configuration')
  expect(await ask(host, '/keys')).toContain('"keys"')
  expect(proxied.proxy.hosts()).not.toContain('[::ffff:a9fe:101]:443')
  expect(proxied.beside.join()).toContain(`one more host of its own, which is read too: ${host}`)
  await ended(proxied, bank)
  await keys.close()
})

test('a bank that is down is answered for, in words of the proxy, and not judged', async () => {
  const gone = await https(identityOf(server), () => {})
  const proxied = await before(gone)
  await gone.close()
  const text = `GET ${ACCOUNTS} HTTP/1.1\r\nHost: ${proxied.at}\r\naccept: application/json\r\n\r\n`
  const answered = await exchanged(await secured(proxied, proxied.at), text)
  expect(answered).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
  expect(answered).toMatch(
    /assay proxy: there is no answer of the bank: nothing listens there.*The proxy says this, not the bank\.\n$/,
  )
  const { bank, tpp } = await ended(proxied)
  expect(bank.summary).toMatchObject({ fail: 0, warn: 0, pass: 0 })
  expect(bank.problems.join()).toContain('ECONNREFUSED')
  expect(tpp.requests).toBe(1)
})

test('a bank that never answers, and a client that hangs up', async () => {
  const bank = await https(identityOf(server), () => {})
  const document = documentFor(bank.url, { trust: directory.certificate, first })
  const proxied = await openProxied({ ...document, timeout: 1 })
  const at = new URL(bank.url).host
  const text = `GET ${ACCOUNTS} HTTP/1.1\r\nHost: ${at}\r\n\r\n`
  const impatient = await secured({ ...proxied }, at)
  impatient.write(text)
  await once(impatient, 'secureConnect')
  setTimeout(() => impatient.destroy(), 100)
  const answered = await exchanged(await secured(proxied, at), text)
  expect(answered).toMatch(/502 [\s\S]*no answer within 1 s/)
  const { bank: report } = await ended(proxied, bank)
  expect(report.summary).toMatchObject({ fail: 0, warn: 0 })
  expect(report.problems.join()).toContain('a client hung up before the answer')
})

test('several clients at once have each its own answers', async () => {
  const bank = await https(identityOf(server), async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    response.end(`${request.url} ${Buffer.concat(parts).toString()}`)
  })
  const proxied = await before(bank)
  const client = async (name: number) => {
    const socket = await secured(proxied, proxied.at)
    const body = `${name}`.repeat(40_000)
    // Three requests on one connection, sent without waiting.
    const text = [1, 2, 3].map((n) => {
      const end = n === 3 ? 'Connection: close\r\n' : ''
      return `POST /x/${name}/${n} HTTP/1.1\r\nHost: h\r\n${end}Content-Length: ${body.length}\r\n\r\n${body}`
    })
    const answered = await exchanged(socket, text.join(''))
    return [1, 2, 3].every((n) => answered.includes(`/x/${name}/${n} ${body}`))
  }
  const all = await Promise.all(Array.from({ length: 9 }, (_, at) => client(at + 1)))
  expect(all).toEqual(Array(9).fill(true))
  await ended(proxied, bank)
})

test('the authority is made once, private, and made anew only where it is gone', async () => {
  const proxied = await openProxied(documentFor('https://127.0.0.1:1', { first }))
  const folder = join(proxied.out, 'authority')
  for (const file of ['authority.key', 'authority.pem']) {
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
  }
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  const again = await openAuthority(folder)
  expect(again).toMatchObject({ isNew: false, certificate: proxied.trust })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  writeFileSync(join(folder, 'authority.key'), other.export({ type: 'pkcs8', format: 'pem' }))
  await expect(openAuthority(folder)).rejects.toThrow(/is not the key of .* Remove both/)
  rmSync(folder, { recursive: true })
  expect(existsSync((await openAuthority(folder)).file)).toBe(true)
  await ended(proxied)
})
