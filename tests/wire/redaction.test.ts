import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { jwt } from '../../engine/client/jwt.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { ExchangeRecord } from '../../engine/report/report.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { openExchangeLog } from '../../engine/wire/exchange-log.ts'
import { createRedactor } from '../../engine/wire/redaction.ts'
import { documentFor, pemOf, signingKeys } from '../configuration/documents.ts'
import { verifyChain } from '../report/verify-chain.ts'
import { leaks } from './leaks.ts'

const KEY = '00'.repeat(32)
const signer = { key: signingKeys.first, kid: 'k1' }

function exchange(over: Partial<Exchange> = {}): Exchange {
  return {
    id: 'x1',
    endpoint: 'accounts',
    about: { client: 'first' },
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 1,
    request: { method: 'GET', url: 'https://bank.example/accounts', headers: [] },
    connection: { protocol: 'TLSv1.3', cipher: 'c', identity: 'first' },
    ...over,
  }
}

function answer(body: string, headers: [string, string][] = []): Partial<Exchange> {
  return { response: { status: 200, headers, body, bytes: Buffer.byteLength(body) } }
}

/** All that a canary may look like after what banks and clients do to it. */
const DISGUISES: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'in JSON': (secret) => JSON.stringify({ deep: [{ member: `a ${secret} b` }] }),
  'in a query': (secret) => `https://bank.example/?x=${encodeURIComponent(secret)}&y=1`,
  'in a form': (secret) => new URLSearchParams({ x: secret }).toString(),
  'in a form in a query': (secret) =>
    `https://bank.example/?x=${encodeURIComponent(new URLSearchParams({ x: secret }).toString())}`,
  'in a form in a form': (secret) =>
    new URLSearchParams({ y: new URLSearchParams({ x: secret }).toString() }).toString(),
  'encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'in HTML': (secret) =>
    `<p>${secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')}</p>`,
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'in base64, one byte in': (secret) => Buffer.from(`x${secret}yy`).toString('base64'),
  'in base64, two bytes in': (secret) => Buffer.from(`xx${secret}y`).toString('base64url'),
  'in the payload of a JWT': (secret) =>
    jwt({ iss: 'x', any: { thing: [secret] }, aud: secret }, signer),
}

/** Secrets with something of everything; long enough not to appear by chance. */
const secret = fc
  .tuple(
    fc.stringMatching(/^[A-Za-z0-9]{10,40}$/),
    fc.constantFrom('', 'ä€', ' & "q"', "<'>", '+/=', '%2B', '\\n', '-_.~'),
    fc.stringMatching(/^[A-Za-z0-9]{4}$/),
  )
  .map((parts) => parts.join(''))

test.each(Object.entries(DISGUISES))('these tests see a secret that is %s', (_, disguise) => {
  expect(leaks(disguise('canary0123'), 'canary0123')).toBe(true)
})

describe('a registered value', () => {
  test.each(Object.entries(DISGUISES))('%s is not found again', (_, disguise) => {
    fc.assert(
      fc.property(secret, fc.string({ maxLength: 20 }), (value, around) => {
        const redactor = createRedactor([value], { key: KEY })
        const text = redactor.redactText(`${around} ${disguise(value)} ${around}`)
        expect(leaks(text, value)).toBe(false)
      }),
      { numRuns: 150 },
    )
  })

  test('is found nowhere in the record of an exchange that has it everywhere', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom(...Object.values(DISGUISES)), (value, disguise) => {
        const hidden = disguise(value)
        const record = createRedactor([value], { key: KEY }).redactExchange(
          exchange({
            about: { client: hidden, deviation: value },
            request: {
              method: 'POST',
              url: `https://bank.example/${encodeURIComponent(value)}?q=${hidden}#${hidden}`,
              headers: [
                ['X-Any', hidden],
                ['Authorization', `Bearer ${hidden}`],
                ['Cookie', `a=${hidden}; b=${value}`],
              ],
              body: hidden,
            },
            ...answer(hidden, [
              ['Set-Cookie', `a=${hidden}; Path=/`],
              ['Location', `https://tpp.example/cb#code=${hidden}`],
              ['X-Echo', hidden],
            ]),
            failure: { kind: 'closed', code: 'X', message: hidden },
          }),
        )
        for (const text of texts(record)) expect(leaks(text, value)).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  test('at the edge of what is kept of a long body is not cut in two', () => {
    const value = 'canary-Ab3'.repeat(10)
    for (let before = 32_768 - 210; before < 32_768 + 10; before += 7) {
      const body = `${'. '.repeat(before / 2)}${value}${' .'.repeat(30_000)}`
      const record = createRedactor([value]).redactExchange(exchange(answer(body)))
      expect(record.response?.body).not.toContain('canary')
      expect(record.response?.body.length).toBeLessThanOrEqual(32_768)
    }
  })

  test('that shrinks a long body does not let the end of the look in', () => {
    const value = `canary-${'Ab3'.repeat(3000)}`
    const record = createRedactor([value]).redactExchange(exchange(answer(`${value} `.repeat(9))))
    expect(record.response?.body).not.toContain('canary')
  })

  test('that is a short word is not looked for inside of longer ones', () => {
    const redactor = createRedactor(['amy', 'anna1'], { key: KEY })
    expect(redactor.redactText('annalise anna10 xanna1')).toBe('annalise anna10 xanna1')
    for (const before of ['user=', '%22', '%3d', '\\n', '\\u0022']) {
      const text = redactor.redactText(`${before}anna1&x`)
      expect(text.slice(before.length), before).toMatch(/^<secret:[0-9a-f]{6}>&x$/)
    }
  })

  test('that is a plain word of any length is not looked for inside of longer ones', () => {
    const redactor = createRedactor(['password', 'Sandbox', 'PRODUCTION'])
    for (const text of ['passwords', 'sandboxes', 'reproductions', 'mypassword1']) {
      expect(redactor.redactText(text)).toBe(text)
    }
    for (const text of ['"password"', 'SANDBOX.', 'production', 'a=password&b']) {
      expect(redactor.redactText(text)).toMatch(/<secret:[0-9a-f]{6}>/)
    }
  })

  test('that is an ordinary word leaves the id of the check, and nothing else that says it', () => {
    const redactor = createRedactor(['other'])
    const about = { check: 'TOK-13/other-client', deviation: 'the other client' }
    const record = redactor.redactExchange(exchange({ about: { client: 'first', ...about } }))
    expect(record.about.check).toBe(about.check)
    expect(record.about.deviation).toMatch(/^the <secret:[0-9a-f]{6}> client$/)
  })

  test.each([
    ['пароль1', 'windows-1251', '%EF%E0%F0%EE%EB%FC1'],
    ['ge€heim', 'windows-1252', 'ge%80heim'],
    ['geheimé€', 'koi8-r', 'geheim%26%23233%3B%26%238364%3B'],
  ])('%s is not found in a form whose encoding is %s', (value, _charset, spelt) => {
    const { redactText } = createRedactor([value])
    expect(redactText(`a=${spelt}&b=1`)).toMatch(/^a=<secret:\w+>&b=1$/)
  })

  test('registered late is found from then on', () => {
    const redactor = createRedactor([])
    expect(redactor.redactText('one-time 493021')).toBe('one-time 493021')
    redactor.add('493021', 'one-time-code')
    expect(redactor.redactText('one-time 493021')).toMatch(/^one-time <one-time-code:[0-9a-f]{6}>$/)
  })
})

/** Every text of a record, as it is: in JSON a backslash would be doubled. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(texts)
}

describe('a private key', () => {
  const pem = pemOf(signingKeys.first)
  const { d = '' } = signingKeys.first.export({ format: 'jwk' })

  test.each([
    ['whole', pem],
    ['on one line', pem.replaceAll('\n', ' ')],
    ['one of its lines', pem.split('\n')[5] ?? ''],
    ['in JSON', JSON.stringify({ pem })],
    ['base64 of all', Buffer.from(pem).toString('base64')],
  ])('%s is not found again', (_, text) => {
    const redacted = createRedactor([pem]).redactText(`before ${text} after`)
    for (const line of pem.split('\n').slice(2, 8)) expect(leaks(redacted, line)).toBe(false)
    // A line that begins or ends with a plus may take the space beside it along.
    expect(redacted).toMatch(/^before.*after$/s)
  })

  test('nobody registered is known by its frame', () => {
    const other = pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    expect(createRedactor([]).redactText(`a ${other} b`)).toMatch(
      /^a <private-key:[0-9a-f]{6}>\s+b$/,
    )
  })

  test('as JWK: its private members are secret', () => {
    const redactor = createRedactor([JSON.stringify(signingKeys.first.export({ format: 'jwk' }))])
    expect(redactor.redactText(`d is ${d}`)).not.toContain(d)
  })
})

describe('by its place', () => {
  const redacted = (text: string) => createRedactor([], { key: KEY }).redactText(text)

  test.each([
    [
      '{"access_token": "Zq81", "scope": "a"}',
      /^\{"access_token": "<access_token:\w{6}>", "scope": "a"\}$/,
    ],
    [
      '{"refresh_token":"a\\"b","id_token":"x"}',
      /^\{"refresh_token":"<refresh_token:\w{6}>","id_token":"<id_token:\w{6}>"\}$/,
    ],
    [
      'grant_type=authorization_code&code=ab&redirect_uri=r',
      /^grant_type=authorization_code&code=<code:\w{6}>&redirect_uri=r$/,
    ],
    [
      'https://tpp.example/cb#code=a.b-c&state=s',
      /^https:\/\/tpp\.example\/cb#code=<code:\w{6}>&state=s$/,
    ],
    [
      'https://bank.example/accounts?a=b&access_token=ab',
      /^https:\/\/bank\.example\/accounts\?a=b&access_token=<access_token:\w{6}>$/,
    ],
    [
      'https://bank.example/p?apikey=a1&subscription-key=b2&page=1',
      /\?apikey=<apikey:\w{6}>&subscription-key=<subscription-key:\w{6}>&page=1$/,
    ],
    ['username=u&password=p+w%21&otp=1', /^username=u&password=<password:\w{6}>&otp=<otp:\w{6}>$/],
    ['<input type="password" name="p" value="hunter2">', /value="<password:\w{6}>">$/],
    ['Authorization: Bearer abcdefghij0123456789', /^Authorization: Bearer <access_token:\w{6}>$/],
    [
      '{"Name":"Ada Canary","Identification":"******1234"}',
      /^\{"Name":"<name:\w{6}>","Identification":"\*{6}1234"\}$/,
    ],
    ['card 4111 1111 1111 1111, 5500005555555559.', /^card <pan:\w{6}>, <pan:\w{6}>\.$/],
  ])('%s', (text, expected) => {
    expect(redacted(text)).toMatch(expected)
  })

  test.each([
    'ReadAccountsBasic needs the Basic permission; send a Bearer token in time',
    '{"Code":"400 BadRequest","ErrorCode":"UK.X.Field.Invalid","error":"invalid_request"}',
    '2026-11-21T03:00:00+00:00 1795232399123 4111111111111112 ************1234',
    'requestId=12&postcode=AB1&state=xyz',
    '{"ProductName":"Gold","MerchantName":"Shop","LegalName":"Bank plc"}',
  ])('what only looks like it stays: %s', (text) => {
    expect(redacted(text)).toBe(text)
  })

  test('credentials of headers and cookies', () => {
    const record = createRedactor([], { key: KEY }).redactExchange(
      exchange({
        request: {
          method: 'GET',
          url: 'https://bank.example/?error=hunter22-secret',
          headers: [
            ['Authorization', `Basic ${Buffer.from('id:hunter22-secret').toString('base64')}`],
            ['X-Api-Key', 'k'],
            ['Cookie', 'sid=s1; theme=dark'],
            ['Accept', 'application/json'],
          ],
        },
        ...answer('', [['Set-Cookie', 'sid=s1; Path=/; HttpOnly']]),
      }),
    )
    expect(record.request.headers).toEqual([
      ['Authorization', expect.stringMatching(/^Basic <basic:\w{6}>$/)],
      ['X-Api-Key', expect.stringMatching(/^<credential:\w{6}>$/)],
      ['Cookie', expect.stringMatching(/^sid=<cookie:\w{6}>; ?theme=<cookie:\w{6}>$/)],
      ['Accept', 'application/json'],
    ])
    const setCookie = record.response?.headers[0]?.[1] ?? ''
    expect(setCookie).toMatch(/^sid=<cookie:\w{6}>; Path=\/; HttpOnly$/)
    expect(setCookie.slice(0, 19)).toBe(record.request.headers[2]?.[1].slice(0, 19))
    expect(record.request.url).toMatch(/\?error=<client_secret:\w{6}>$/)
  })

  test.each([
    ...[
      'X-Auth',
      'X-Credential',
      'Ocp-Apim-Subscription-Key',
      'x-amz-security-token',
      'Session-Id',
    ],
    ...['X-IBM-Client-Secret', 'Proxy-Authorization', 'X-Passphrase', 'Authentication'],
  ])('the header %s holds a credential', (name) => {
    expect(headerOf(name, 'a1')).toMatch(/^<credential:\w{6}>$/)
  })

  test.each([
    ...['WWW-Authenticate', 'x-fapi-auth-date', 'Author', 'X-Authority', 'x-idempotency-key'],
    ...['Access-Control-Allow-Credentials', 'Authentication-Info', 'X-Bypass-Cache'],
  ])('the header %s holds none', (name) => {
    expect(headerOf(name, 'a1')).toBe('a1')
  })

  function headerOf(name: string, value: string): string | undefined {
    const headers: [string, string][] = [[name, value]]
    const request = { method: 'GET', url: 'https://b.example/', headers }
    const record = createRedactor([], { key: KEY }).redactExchange(exchange({ request }))
    return record.request.headers[0]?.[1]
  }

  test('a token under the scheme Basic gives away no password, whatever it decodes to', () => {
    const redactor = createRedactor([], { key: KEY })
    const token = Buffer.from('\xff\x00\x81:9f12', 'latin1').toString('base64')
    const headers: [string, string][] = [['Authorization', `Basic ${token}`]]
    redactor.redactExchange(
      exchange({ request: { method: 'GET', url: 'https://b.example/', headers } }),
    )
    expect(redactor.redactText('75951fed-4815-4782-9f12-0b49e73060a5')).toBe(
      '75951fed-4815-4782-9f12-0b49e73060a5',
    )
  })

  test.each(['Bearer: ', 'Bearer', 'bearer  ', 'Token '])(
    'credentials behind %j are secret, the scheme is not',
    (scheme) => {
      const redactor = createRedactor([], { key: KEY })
      const token = 'BEnd4o221N-ORxyFaWvmV1YqcolPY6FwKe_IQLN3'
      const headers: [string, string][] = [['Authorization', `${scheme}${token}`]]
      const request = { method: 'GET', url: 'https://b.example/', headers }
      const record = redactor.redactExchange(exchange({ request }))
      expect(record.request.headers[0]?.[1]).toMatch(/^\w+:? *<[a-z_]+:\w{6}>$/)
      const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
      expect(redactor.redactText(type)).toBe(type)
      expect(redactor.redactText(`the token ${token}`)).not.toContain(token)
    },
  )

  test('what stands where somebody has no token is none', () => {
    const redactor = createRedactor([], { key: KEY })
    for (const value of ['Bearer', 'Bearer undefined', 'Bearer null']) {
      const headers: [string, string][] = [['Authorization', value]]
      const request = { method: 'GET', url: 'https://b.example/', headers }
      expect(redactor.redactExchange(exchange({ request })).request.headers).toEqual(headers)
    }
  })

  test('what a place gave away is found elsewhere, unless it is a plain word', () => {
    const redactor = createRedactor([], { key: KEY })
    redactor.redactText('{"access_token":"Zq81-kk3v"}{"refresh_token":"token"}')
    expect(redactor.redactText('the token Zq81-kk3v')).toMatch(/^the token <access_token:\w{6}>$/)
  })
})

describe('a JWT', () => {
  const claims = {
    iss: 'c',
    aud: 'https://bank.example',
    exp: 1,
    email: 'ada@example.org',
    nonce: 'n',
  }

  test('keeps header and names of claims, and loses the signature', () => {
    const jws = jwt(claims, signer)
    const text = createRedactor([], { key: KEY }).redactText(`id ${jws} end`)
    expect(text).toMatch(
      /^id <jwt:\w{6} alg=PS256 typ=JWT kid=k1; iss=c aud=https:\/\/bank\.example exp=1 email nonce=n> end$/,
    )
    expect(text).not.toContain(jws.split('.')[2])
  })

  test('in JSON leaves JSON', () => {
    const jws = jwt({ ...claims, iss: 'a"b\\c\n' }, signer)
    const text = createRedactor([]).redactText(JSON.stringify({ id_token: jws, access_token: 'x' }))
    expect(JSON.parse(text).id_token).toMatch(/^<id_token:\w{6} alg=PS256/)
  })

  test('its signature alone is not found again', () => {
    const jws = jwt(claims, signer)
    const redactor = createRedactor([])
    redactor.redactText(jws)
    expect(redactor.redactText(`signature ${jws.split('.')[2]}`)).toMatch(/^signature <signature:/)
  })

  test('that is broken is still not shown where a token stands', () => {
    const record = createRedactor([]).redactExchange(
      exchange({
        request: {
          method: 'GET',
          url: 'https://b/',
          headers: [['Authorization', 'Bearer eyJxxxxx.yyyy.zzzz']],
        },
      }),
    )
    expect(record.request.headers[0]?.[1]).toMatch(/^Bearer <access_token:\w{6}>$/)
  })
})

describe('a pseudonym', () => {
  test('is the same for the same secret in a run, and another one in the next', () => {
    const one = createRedactor([])
    const [first, second] = ['access_token=abcd1234', 'x {"access_token":"abcd1234"}'].map(
      (text) => /<[^>]*>/.exec(one.redactText(text))?.[0],
    )
    expect(first).toBe(second)
    expect(createRedactor([], { key: one.key }).redactText('access_token=abcd1234')).toContain(
      first,
    )
    expect(createRedactor([]).redactText('access_token=abcd1234')).not.toContain(first)
  })

  test('stays when a text is redacted again', () => {
    const redactor = createRedactor(['hunter22'])
    const jws = jwt({ iss: 'a' }, signer)
    const once = redactor.redactText(
      `code=abc&password=hunter22&id_token=${jws} {"access_token":"t"}`,
    )
    expect(redactor.redactText(once)).toBe(once)
  })
})

describe('a target', () => {
  test('none of its secrets passes, its addresses do', () => {
    const document = documentFor('https://bank.example')
    document.clients.first.signing.passphrase = 'pass phrase 1'
    document.proxy = 'http://user:proxy%20secret@proxy.example:3128'
    document.customers.first.names = ['Ada Canary']
    document.hooks = {
      'customer-revokes': {
        http: { url: 'https://b/', headers: { authorization: 'Bearer op-7', accept: 'text/html' } },
      },
    }
    const redactor = createRedactor(targetFrom(document).secrets)
    const { hooks: _, proxy, addresses, ...rest } = document
    const text = redactor.redactText(JSON.stringify(rest))
    for (const secret of ['pass phrase 1', 'correct horse', 'anna.example', 'Ada Canary', 'c2ln']) {
      expect(text).not.toContain(secret)
    }
    expect(redactor.redactText('op-7 proxy secret proxy%20secret')).not.toMatch(/op-7|secret$/)
    expect(redactor.redactText('text/html')).toBe('text/html')
    expect(redactor.redactText(JSON.stringify(addresses))).toBe(JSON.stringify(addresses))
    expect(proxy).toBeDefined()
  })
})

describe('exchanges.jsonl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-log-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('holds redacted lines in a chain, each as soon as there is time', async () => {
    const path = join(folder, 'exchanges.jsonl')
    const log = openExchangeLog(path, createRedactor(['hunter22']))
    const read = (): ExchangeRecord[] =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    log.append(exchange(answer('one hunter22')))
    await expect.poll(read).toHaveLength(1)
    const long = `${'x '.repeat(40_000)}hunter22`
    log.append(exchange({ id: 'x2', ...answer(long) }))
    log.append(exchange({ id: 'x3', failure: { kind: 'closed', code: 'E', message: 'hunter22' } }))
    log.close()
    const lines = read()
    expect(lines.map(({ id }) => id)).toEqual(['x1', 'x2', 'x3'])
    expect(readFileSync(path, 'utf8')).not.toContain('hunter22')
    expect(lines[1]?.response).toMatchObject({
      bytes: 80_008,
      digest: createHash('sha256').update(long).digest('hex'),
    })
    expect(lines[0]?.response?.digest).toBeUndefined()
    const schema = JSON.parse(readFileSync('schemas/assay/exchange.schema.json', 'utf8'))
    const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema)
    for (const line of lines) expect([validate(line), validate.errors]).toEqual([true, null])
    expect(verifyChain(lines)).toEqual({ head: log.head, breaks: [] })
    expect(log.count).toBe(3)
  })
})
