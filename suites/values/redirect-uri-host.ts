import { domainToASCII } from 'node:url'
import { differing, ELSEWHERE } from './redirect-uri-rows.ts'
import { ipv4Of, ipv6Of, isLoopback, nameOf, type Uri } from './uri-components.ts'

/** Redirect URIs on another host: RFC 3986 section 3.2.2. */
export const HOST_PARTS = [
  differing('host', 'RFC 3986 3.2.2', [
    ['other-host', 'on another host', ({ host }) => host && { host: ELSEWHERE }],
    ['empty-host', 'with an empty host', ({ host }) => host && { host: '', port: undefined }],
    [
      'host-with-suffix-domain',
      'with its host as a subdomain of another domain',
      ({ host }) => (host && !host.startsWith('[') ? { host: `${host}.${ELSEWHERE}` } : undefined),
    ],
    [
      'host-before-nul',
      'with another domain after its host and an encoded NUL',
      ({ host }) => host && { host: `${host}%00.${ELSEWHERE}` },
    ],
  ]),
  differing('reg-name', 'RFC 3986 3.2.2', [
    ['subdomain', 'on a subdomain of its host', (uri) => named(uri, (host) => `more.${host}`)],
    [
      'parent-domain',
      'on the domain above its host',
      (uri) => named(uri, (host) => /^[^.]+\.([^.]+\..+)/s.exec(host)?.[1]),
    ],
    [
      'host-with-prefix',
      'on a host whose name ends as its host',
      (uri) => named(uri, (host) => `more${host}`),
    ],
    [
      'host-with-suffix',
      'on a host whose name begins as its host',
      (uri) => named(uri, (host) => `${host}more`),
    ],
    [
      'host-one-letter-other',
      'on a host with one other letter',
      (uri) => named(uri, (host) => host.replace(/[a-z]/i, (one) => (/e/i.test(one) ? 'o' : 'e'))),
    ],
    [
      'dot-as-any-character',
      'on a host with a letter in place of a dot',
      (uri) => named(uri, (host) => (host.includes('.') ? host.replace('.', 'x') : undefined)),
    ],
    ['trailing-dot', 'with a dot after its host', (uri) => named(uri, (host) => `${host}.`)],
    [
      'host-wildcard',
      'with * for the first label of its host',
      (uri) => named(uri, (host) => host.replace(/^[^.]+/, '*')),
    ],
    [
      'look-alike',
      'on a host with a Cyrillic letter that looks alike',
      (uri) => named(uri, lookAlike),
    ],
    [
      'look-alike-in-ascii',
      'on a host with a Cyrillic letter that looks alike, in its ASCII form',
      (uri) => named(uri, (host) => domainToASCII(lookAlike(host) ?? '') || undefined),
    ],
    [
      'host-in-full-width',
      'with a full-width letter in its host, which IDNA maps to the right one',
      (uri) => named(uri, (host) => host.replace(/[a-z]/i, fullWidth)),
    ],
    [
      'host-with-ideographic-stop',
      'with an ideographic full stop in its host, which IDNA maps to a dot',
      (uri) => named(uri, (host) => host.replace('.', '\u3002')),
    ],
    [
      'host-with-soft-hyphen',
      'with a soft hyphen in its host, which IDNA drops',
      (uri) => named(uri, (host) => `${host.slice(0, 1)}\u00ad${host.slice(1)}`),
    ],
  ]),
  differing('IPv4address', 'RFC 3986 3.2.2 and 7.4', [
    [
      'ipv4-as-one-number',
      'with its IPv4 address as one number',
      (uri) => numbered(uri, (bytes) => String(bytes.reduce((sum, byte) => sum * 256 + byte, 0))),
    ],
    [
      'ipv4-in-hexadecimal',
      'with its IPv4 address in hexadecimal',
      (uri) => numbered(uri, (bytes) => bytes.map((byte) => `0x${byte.toString(16)}`).join('.')),
    ],
    [
      'ipv4-in-octal',
      'with its IPv4 address in octal',
      (uri) => numbered(uri, (bytes) => bytes.map((byte) => `0${byte.toString(8)}`).join('.')),
    ],
    [
      'ipv4-in-ipv6',
      'with its IPv4 address as an IPv6 address',
      (uri) => numbered(uri, (bytes) => `[::ffff:${bytes.join('.')}]`),
    ],
    [
      'other-ipv4',
      'with another IPv4 address of its network',
      (uri) => numbered(uri, ([a, b, c, d = 0]) => `${a}.${b}.${c}.${(d + 1) % 256}`),
    ],
    [
      'loopback-by-name',
      'with localhost for its loopback address, or the other way round',
      (uri) => {
        if (!isLoopback(uri)) return undefined
        return { host: /^localhost$/i.test(uri.host ?? '') ? '127.0.0.1' : 'localhost' }
      },
    ],
  ]),
  differing('IPv6address', 'RFC 3986 3.2.2', [
    [
      'ipv6-with-zeroes',
      'with a zero more in its IPv6 address',
      (uri) => {
        const address = ipv6Of(uri)
        const longer = address?.replace(/(?<=^|:)[\da-f]{1,3}$/i, (last) => `0${last}`)
        return longer === undefined || longer === address ? undefined : { host: `[${longer}]` }
      },
    ],
    [
      'ipv6-with-zone',
      'with a zone in its IPv6 address',
      (uri) => ipv6Of(uri) && { host: `[${ipv6Of(uri)}%25lo]` },
    ],
  ]),
  {
    part: 'IPvFuture',
    none: 'No address of this form is defined, so that none can be registered or be near a registered one.',
  },
]

/** Changes a registered name. */
function named(uri: Uri, change: (host: string) => string | undefined) {
  const host = nameOf(uri)
  const other = host && change(host)
  return other && other !== host ? { host: other } : undefined
}

/** Writes an IPv4 address in another form. */
function numbered(uri: Uri, change: (bytes: number[]) => string) {
  const host = ipv4Of(uri)
  return host && { host: change(host.split('.').map(Number)) }
}

const LOOK_ALIKES = { a: 'а', c: 'с', e: 'е', i: 'і', o: 'о', p: 'р', s: 'ѕ', x: 'х', y: 'у' }

function lookAlike(host: string): string | undefined {
  const found = Object.entries(LOOK_ALIKES).find(([latin]) => host.includes(latin))
  return found && host.replace(...found)
}

const fullWidth = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)
