import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redirectUri } from '../../suites/values/redirect-uri.ts'
import { joinUri, splitUri } from '../../suites/values/uri-components.ts'
import { rowsOf } from '../../suites/values/value-type.ts'
import { divided, madeOf, rowOf } from './rows.ts'

const { wrong, lawful } = divided(redirectUri)

const alone = (uri: string) => ({ registered: [uri], ofOthers: ['https://other.example/back'] })

const ORDINARY = alone('https://tpp.example.com/oauth/callback')

/** Registered URIs that together have everything that a row needs. */
const VARIED = [
  ORDINARY,
  alone('https://app.tpp.example:9443/a%2fb/%7Ec?b=1&a=2'),
  alone('https://tpp.example:443'),
  alone('https://tpp.example/'),
  alone('https://192.0.2.7/back'),
  alone('https://127.0.0.1:8443/back'),
  alone('https://localhost/back'),
  alone('https://[2001:db8::7]:8443/back'),
  {
    ...ORDINARY,
    registered: ['https://a.example/1', 'https://a.example/2', 'https://b.example/3'],
  },
]

const registered = fc.oneof(
  fc.webUrl({ withQueryParameters: true, validSchemes: ['https', 'http'] }),
  fc
    .tuple(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6().map((address) => `[${address}]`),
      ),
      fc.webPath(),
    )
    .map(([host, path]) => `https://${host}${path}`),
  fc.string(),
)

const right = fc.record({
  registered: fc.array(registered, { minLength: 1, maxLength: 4 }),
  ofOthers: fc.array(registered),
})

test('a wrong row is never a registered URI, a lawful one always is', () => {
  fc.assert(
    fc.property(right, (uris) => {
      for (const [id, made] of madeOf(wrong, uris)) expect(uris.registered, id).not.toContain(made)
      for (const [id, made] of madeOf(lawful, uris)) expect(uris.registered, id).toContain(made)
    }),
  )
})

test('a row makes the same of the same', () => {
  fc.assert(
    fc.property(right, (uris) => {
      const rows = rowsOf(redirectUri)
      expect(madeOf(rows, uris)).toEqual(madeOf(rows, structuredClone(uris)))
    }),
  )
})

test('each row makes something of one of the varied URIs', () => {
  const made = new Set(
    VARIED.flatMap((uris) => madeOf(rowsOf(redirectUri), uris).map(([id]) => id)),
  )
  expect(rowsOf(redirectUri).filter(({ id }) => !made.has(id))).toEqual([])
})

test('no two rows make the same of an ordinary URI', () => {
  const made = madeOf(wrong, ORDINARY).map(([, uri]) => uri)
  expect(made.length).toBeGreaterThan(90)
  expect(made.filter((uri, index) => made.indexOf(uri) !== index)).toEqual([])
})

test('without a registered URI there is no row', () => {
  expect(madeOf(rowsOf(redirectUri), { registered: [], ofOthers: [] })).toEqual([])
})

test('the first registered URI, the second and the last of three are lawful', () => {
  const made = (...uris: string[]) =>
    madeOf(lawful, { registered: uris, ofOthers: [] }).map(([, uri]) => uri)
  expect(made('a:1')).toEqual(['a:1'])
  expect(made('a:1', 'a:2')).toEqual(['a:1', 'a:2'])
  expect(made('a:1', 'a:2', 'a:3', 'a:4')).toEqual(['a:1', 'a:2', 'a:4'])
})

test.each([
  ['other-scheme', 'http://tpp.example.com/oauth/callback'],
  ['host-as-user', 'https://tpp.example.com@elsewhere.invalid/oauth/callback'],
  ['backslash-and-at', 'https://elsewhere.invalid\\@tpp.example.com/oauth/callback'],
  ['at-in-path', 'https://elsewhere.invalid/@tpp.example.com/oauth/callback'],
  ['host-with-suffix-domain', 'https://tpp.example.com.elsewhere.invalid/oauth/callback'],
  ['parent-domain', 'https://example.com/oauth/callback'],
  ['dot-as-any-character', 'https://tppxexample.com/oauth/callback'],
  ['host-wildcard', 'https://*.example.com/oauth/callback'],
  ['look-alike-in-ascii', 'https://tpp.xn--exmple-4nf.com/oauth/callback'],
  ['trailing-dot', 'https://tpp.example.com./oauth/callback'],
  ['other-port', 'https://tpp.example.com:8443/oauth/callback'],
  ['below', 'https://tpp.example.com/oauth/callback/more'],
  ['above', 'https://tpp.example.com/oauth'],
  ['other-segment', 'https://tpp.example.com/oauth/more'],
  ['shorter-segment', 'https://tpp.example.com/oauth/callbac'],
  ['slash-encoded', 'https://tpp.example.com/oauth%2Fcallback'],
  ['trailing-slash', 'https://tpp.example.com/oauth/callback/'],
  ['dot-dot-segment', 'https://tpp.example.com/more/../oauth/callback'],
  ['path-letter-encoded', 'https://tpp.example.com/%6Fauth/callback'],
  ['host-letter-encoded', 'https://%74pp.example.com/oauth/callback'],
  ['default-port', 'https://tpp.example.com:443/oauth/callback'],
  ['empty-fragment', 'https://tpp.example.com/oauth/callback#'],
  ['without-scheme', '//tpp.example.com/oauth/callback'],
  ['host-and-path-alone', 'tpp.example.com/oauth/callback'],
  ['behind-comma', 'https://tpp.example.com/oauth/callback,https://elsewhere.invalid/'],
  ['of-another-client', 'https://other.example/back'],
])('%s is %s', (id, uri) => {
  expect(rowOf(redirectUri, id).make(ORDINARY)).toBe(uri)
})

test.each([
  ['https://tpp.example:443/', 'without-default-port', 'https://tpp.example/'],
  ['https://tpp.example:8443/', 'without-port', 'https://tpp.example/'],
  ['https://tpp.example:8443/', 'other-port', 'https://tpp.example:8444/'],
  ['https://tpp.example:8443/', 'longer-port', 'https://tpp.example:84430/'],
  ['https://tpp.example', 'empty-path', 'https://tpp.example/'],
  ['https://tpp.example/', 'empty-path', 'https://tpp.example'],
  ['https://tpp.example/a/', 'trailing-slash', 'https://tpp.example/a'],
  ['https://tpp.example/aB%2fc/', 'path-in-other-case', 'https://tpp.example/Ab%2fC/'],
  ['https://tpp.example/a%2fb', 'hexadecimal-in-other-case', 'https://tpp.example/a%2Fb'],
  ['https://tpp.example/%7ea', 'unreserved-decoded', 'https://tpp.example/~a'],
  ['https://tpp.example/?b=1&a=2', 'query-reordered', 'https://tpp.example/?a=2&b=1'],
  ['https://tpp.example/?a=1', 'query', 'https://tpp.example/?a=1&more=1'],
  ['https://192.0.2.7/', 'ipv4-as-one-number', 'https://3221225991/'],
  ['https://192.0.2.7/', 'ipv4-in-hexadecimal', 'https://0xc0.0x0.0x2.0x7/'],
  ['https://127.0.0.1/', 'loopback-by-name', 'https://localhost/'],
  ['https://[2001:db8::7]/', 'ipv6-with-zeroes', 'https://[2001:db8::07]/'],
])('of %s, %s is %s', (uri, id, made) => {
  expect(rowOf(redirectUri, id).make(alone(uri))).toBe(made)
})

test('on loopback any port may do, so that no row has another', () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    for (const port of ['', ':8443']) {
      const uris = alone(`https://${host}${port}/back`)
      const same = madeOf(wrong, uris).filter(([, made]) => {
        if (!URL.canParse(made)) return false
        const { protocol, hostname, pathname, search, hash, username } = new URL(made)
        return (
          `${protocol}//${username}${hostname}${pathname}${search}${hash}` ===
          `https://${host}/back`
        )
      })
      for (const [id, made] of same) expect(new URL(made).port, id).toBe(port.slice(1))
    }
  }
})

/** How lax banks compare what was asked for with a registered URI. */
const LAX: Record<string, (asked: string, registered: string) => boolean> = {
  'one that begins as a registered one': (asked, uri) => asked.startsWith(uri),
  'one as which a registered one begins': (asked, uri) => uri.startsWith(asked),
  'one that ends as a registered one': (asked, uri) => asked.endsWith(uri),
  'one that contains a registered one': (asked, uri) => asked.includes(uri),
  'without regard to case': (asked, uri) => asked.toLowerCase() === uri.toLowerCase(),
  'as a pattern': (asked, uri) => new RegExp(`^${uri}$`).test(asked),
  'as a pattern of lines': (asked, uri) => new RegExp(`^${uri}$`, 'm').test(asked),
  'as the pattern that was asked for': (asked, uri) => asked.includes('*') && glob(asked).test(uri),
  trimmed: (asked, uri) => asked.trim() === uri,
  'without control characters': (asked, uri) => asked.replace(/[^!-~]/g, '') === uri,
  'up to a NUL': (asked, uri) => asked.split('\0')[0] === uri,
  'the first of a list': (asked, uri) => asked.split(/[ ,]/)[0] === uri,
  'any of a list': (asked, uri) => asked.split(/[ ,]/).at(-1) === uri,
  'decoded once more': (asked, uri) => decoded(asked) === uri,
  'both decoded': (asked, uri) => decoded(asked) === decoded(uri),
  'as browsers read it': (asked, uri) => parsed(asked)?.href === new URL(uri).href,
  'without its query': (asked, uri) => asked.replace(/\?.*/s, '') === uri,
  'without its fragment': (asked, uri) => asked.replace(/#.*/s, '') === uri,
  'without its port': (asked, uri) => asked.replace(/:\d+(?=\/)/, '') === uri,
  'without its scheme': (asked, uri) => asked.replace(/^\w+:/, '') === uri.replace(/^\w+:/, ''),
  'without a slash at its end': (asked, uri) => asked.replace(/\/$/, '') === uri,
  'by its origin': (asked, uri) => parsed(asked)?.origin === new URL(uri).origin,
  'by its host': (asked, uri) => parsed(asked)?.hostname === new URL(uri).hostname,
  'by the end of its host': (asked, uri) => {
    const hosts = [parsed(asked)?.hostname ?? '', new URL(uri).hostname] as const
    return hosts[0] !== hosts[1] && hosts[0].endsWith(hosts[1])
  },
  'by its domain': (asked, uri) => {
    const [one, other] = [asked, uri].map((each) =>
      parsed(each)?.hostname.split('.').slice(-2).join(),
    )
    return one === other
  },
  'by its path': (asked, uri) => parsed(asked)?.pathname === new URL(uri).pathname,
  'what is before an @': (asked, uri) => asked.replace(/@[^/]*/, '') === uri,
  'what is behind an @': (asked, uri) => asked.replace(/\/\/.*@/s, '//') === uri,
  'with a dot at the end of its host': (asked, uri) => asked.replace(/\.(?=\/\w)/, '') === uri,
}

const parsed = (text: string) => (URL.canParse(text) ? new URL(text) : undefined)

const glob = (text: string) => new RegExp(`^${text.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

test.each(Object.entries(LAX))('a lax bank takes a wrong one: %s', (_, takes) => {
  const [uri = ''] = ORDINARY.registered
  expect(madeOf(wrong, ORDINARY).filter(([, asked]) => takes(asked, uri))).not.toEqual([])
})

test('a text is divided into components that make it again', () => {
  fc.assert(
    fc.property(registered, (uri) => {
      expect(joinUri(splitUri(uri))).toBe(uri)
    }),
  )
})
