/** A text that a lax comparison treats as equal; undefined where it does not exist for a text. */
export interface Spelled {
  id: string
  /** Completes “whose iss is …”. */
  words: string
  change(own: string): string | undefined
}

const swapped = (text: string) =>
  text.replace(/[a-z]/gi, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()))

/** Letters that become ASCII in upper or lower case: the Kelvin sign becomes k, the long s becomes S. */
const FOLDED: Record<string, string> = { k: '\u212a', K: '\u212a', s: '\u017f', S: '\u017f' }

/** Wrong texts for any identifier, each accepted by some lax comparison. */
export const near: readonly Spelled[] = [
  { id: 'nobody', words: 'nobody', change: () => '5f8f0c1e-0000-4000-8000-000000000000' },
  { id: 'other-case', words: 'the right one in other case', change: swapped },
  {
    id: 'beginning',
    words: 'the beginning of the right one',
    change: (own) => own.slice(0, -1) || undefined,
  },
  { id: 'end', words: 'the end of the right one', change: (own) => own.slice(1) || undefined },
  { id: 'longer', words: 'the right one with more after it', change: (own) => `${own}x` },
  { id: 'longer-before', words: 'the right one with more before it', change: (own) => `x${own}` },
  { id: 'space-behind', words: 'the right one with a space after it', change: (own) => `${own} ` },
  { id: 'space-before', words: 'the right one with a space before it', change: (own) => ` ${own}` },
  {
    id: 'line-break',
    words: 'the right one with a line break after it',
    change: (own) => `${own}\n`,
  },
  { id: 'nul', words: 'the right one with NUL and more after it', change: (own) => `${own}\0x` },
  { id: 'listed', words: 'the right one in a list of words', change: (own) => `other ${own}` },
  {
    id: 'with-comma',
    words: 'the right one in a list with commas',
    change: (own) => `${own},other`,
  },
  { id: 'wildcard', words: 'a wildcard', change: () => '*' },
  { id: 'pattern', words: 'a pattern for any text', change: () => '.*' },
  {
    id: 'percent-encoded',
    words: 'the right one with a character percent-encoded',
    change: (own) =>
      own === '' ? undefined : `%${Buffer.from(own).subarray(0, 1).toString('hex')}${own.slice(1)}`,
  },
  {
    id: 'folded',
    words: 'the right one with a letter that other letters are taken for',
    change: (own) => {
      const at = [...own].findIndex((one) => one in FOLDED)
      return at < 0 ? undefined : [...own].with(at, FOLDED[[...own][at] ?? ''] ?? '').join('')
    },
  },
]

const url = (text: string) => (URL.canParse(text) ? new URL(text) : undefined)
const HTTPS = 'https://'

/** The same place for a browser, but another text (RFC 7523 3: Simple String Comparison). */
export const nearUrls: readonly Spelled[] = [
  {
    id: 'other-slash',
    words: 'the right one with a slash at its end, or without its own',
    change: (own) => (own.endsWith('/') ? own.slice(0, -1) : `${own}/`),
  },
  {
    id: 'host-in-capitals',
    words: 'the right one with its host in upper case',
    change: (own) => {
      const host = url(own)?.host
      return host === undefined ? undefined : own.replace(host, host.toUpperCase())
    },
  },
  {
    id: 'scheme-in-capitals',
    words: 'the right one with its scheme in upper case',
    change: (own) => own.replace(/^[a-z]+(?=:)/, (scheme) => scheme.toUpperCase()),
  },
  {
    id: 'http',
    words: 'the right one with http',
    change: (own) => (own.startsWith(HTTPS) ? own.replace(HTTPS, 'http://') : undefined),
  },
  {
    id: 'default-port',
    words: 'the right one with the default port',
    change: (own) => {
      const parsed = url(own)
      if (parsed?.protocol !== 'https:' || parsed.port !== '') return undefined
      return own.replace(parsed.host, `${parsed.host}:443`)
    },
  },
  { id: 'query', words: 'the right one with a query', change: (own) => `${own}?a=b` },
  { id: 'fragment', words: 'the right one with a fragment', change: (own) => `${own}#a` },
  {
    id: 'dot-segment',
    words: 'the right one by way of another folder',
    change: (own) => (own.endsWith('/') ? `${own}x/../` : `${own}/x/..`),
  },
]

/** Other hosts, in URLs that contain the correct address or its host. */
export const otherHosts: readonly Spelled[] = [
  { id: 'other-host', words: 'on another host', change: (own) => withHost(own, 'other.example') },
  {
    id: 'host-before-another',
    words: 'on a host that begins as the right one',
    change: (own) => {
      const host = url(own)?.hostname
      return host === undefined ? undefined : withHost(own, `${host}.other.example`)
    },
  },
  {
    id: 'host-as-user',
    words: 'on another host, the right one as its user',
    change: (own) => {
      const host = url(own)?.host
      return host === undefined ? undefined : withHost(own, `${host}@other.example`)
    },
  },
  {
    id: 'within-another',
    words: 'an address that has the right one in its query',
    change: (own) => `https://other.example/?${own}`,
  },
  {
    id: 'before-another',
    words: 'two addresses, the right one and another',
    change: (own) => `${own} https://other.example/token`,
  },
  { id: 'https-alone', words: 'the scheme of the right one', change: () => HTTPS },
  { id: 'any', words: 'a wildcard', change: () => '*' },
]

function withHost(own: string, host: string): string | undefined {
  const parsed = url(own)
  return parsed?.host ? own.replace(parsed.host, host) : undefined
}
