import { DEFAULT_PORTS } from './redirect-uri-authority.ts'
import { differing, otherCase } from './redirect-uri-rows.ts'
import { isLoopback, nameOf, type Uri } from './uri-components.ts'

/** Other spellings of a registered URI, equal only after normalisation: RFC 3986 section 6.2. */
export const ALIAS_PARTS = [
  differing('case normalisation', 'RFC 3986 6.2.2.1', [
    [
      'scheme-in-capitals',
      'with its scheme in upper case',
      ({ scheme }) => scheme && { scheme: scheme.toUpperCase() },
    ],
    [
      'host-in-capitals',
      'with its host in upper case',
      (uri) =>
        uri.host && uri.host !== otherCase(uri.host) ? { host: otherCase(uri.host) } : undefined,
    ],
    [
      'hexadecimal-in-other-case',
      'with its percent-encodings in other letters',
      (uri) => everywhere(uri, (text) => text.replace(/%[\da-f]{2}/gi, otherCase)),
    ],
  ]),
  differing('percent-encoding normalisation', 'RFC 3986 6.2.2.2 and 2.3', [
    [
      'path-letter-encoded',
      'with a letter of its path percent-encoded',
      ({ path }) => encodedOnce(path) && { path: encodedOnce(path) },
    ],
    [
      'host-letter-encoded',
      'with a letter of its host percent-encoded',
      (uri) => nameOf(uri) && { host: encodedOnce(nameOf(uri) ?? '') },
    ],
    [
      'query-letter-encoded',
      'with a letter of its query percent-encoded',
      ({ query = '' }) => encodedOnce(query) && { query: encodedOnce(query) },
    ],
    [
      'unreserved-decoded',
      'with a percent-encoded letter, digit, hyphen, period, underscore or tilde decoded',
      (uri) => everywhere(uri, (text) => text.replace(/%[2-7][\da-f]/gi, unreserved)),
    ],
  ]),
  differing('path segment normalisation', 'RFC 3986 6.2.2.3 and 5.2.4', [
    [
      'dot-segment',
      'with /. before its path',
      ({ path }) => (path ? { path: `/.${path}` } : undefined),
    ],
    [
      'dot-dot-segment',
      'with a segment and /.. before its path',
      ({ path }) => (path ? { path: `/more/..${path}` } : undefined),
    ],
    [
      'dot-dot-at-root',
      'with /.. before its path',
      ({ path }) => (path ? { path: `/..${path}` } : undefined),
    ],
    [
      'encoded-dot-segment',
      'with /%2e before its path',
      ({ path }) => (path ? { path: `/%2e${path}` } : undefined),
    ],
  ]),
  differing('scheme-based normalisation', 'RFC 3986 6.2.3', [
    [
      'default-port',
      'with the default port of its scheme',
      (uri) => {
        if (!uri.host || uri.port !== undefined || isLoopback(uri)) return undefined
        const port = DEFAULT_PORTS[uri.scheme ?? '']
        return port && { port }
      },
    ],
    [
      'without-default-port',
      'without its port, the default of its scheme',
      (uri) =>
        uri.port !== undefined && uri.port === DEFAULT_PORTS[uri.scheme ?? ''] && !isLoopback(uri)
          ? { port: undefined }
          : undefined,
    ],
    [
      'empty-port',
      'with an empty port',
      (uri) => (uri.host && uri.port === undefined && !isLoopback(uri) ? { port: '' } : undefined),
    ],
    [
      'empty-path',
      'with no path for /, or the other way round',
      ({ path }) => (path === '' ? { path: '/' } : path === '/' ? { path: '' } : undefined),
    ],
    [
      'empty-query',
      'with an empty query',
      ({ query }) => (query === undefined ? { query: '' } : undefined),
    ],
    [
      'empty-fragment',
      'with an empty fragment',
      ({ fragment }) => (fragment === undefined ? { fragment: '' } : undefined),
    ],
  ]),
  differing('protocol-based normalisation', 'RFC 3986 6.2.4', [
    [
      'trailing-slash',
      'with a slash more or less at the end of its path',
      ({ path }) => {
        if (!/[^/]/.test(path)) return undefined
        return { path: path.endsWith('/') ? path.slice(0, -1) : `${path}/` }
      },
    ],
  ]),
]

/** Path and query after a change; undefined where nothing changes. */
function everywhere({ path, query }: Uri, change: (text: string) => string) {
  const made = { path: change(path), query: query === undefined ? query : change(query) }
  return made.path === path && made.query === query ? undefined : made
}

/** Encodes the first letter outside a percent-encoding; undefined where there is none. */
function encodedOnce(text: string): string | undefined {
  const [found, before = '', letter = ''] = /^((?:%[\da-f]{2}|[^a-z%])*)([a-z])/i.exec(text) ?? []
  if (found === undefined) return undefined
  const hexadecimal = letter.charCodeAt(0).toString(16).toUpperCase()
  return `${before}%${hexadecimal}${text.slice(found.length)}`
}

/** Decodes a percent-encoding if its character is unreserved. */
function unreserved(encoding: string): string {
  const character = String.fromCharCode(Number.parseInt(encoding.slice(1), 16))
  return /[\w.~-]/.test(character) ? character : encoding
}
