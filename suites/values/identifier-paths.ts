import type { Level } from '../../engine/suite-api/check.ts'

/** Path segments that are, or are not, an id: RFC 3986 sections 2 and 3.3. */

/** The segment for an id; undefined where it does not exist for an id. */
type Segment = (id: string) => string | undefined

type Row = readonly [id: string, words: string, segment: Segment]

/** Encodes every character except the unreserved ones (RFC 3986 2.3), also those that encodeURIComponent leaves. */
export function segmentOf(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, hexadecimal)
}

const hexadecimal = (one: string) =>
  `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

const encoded = (id: string) => id.replace(/[a-z\d._~-]/gi, hexadecimal)

/** With its first unreserved character encoded. */
const firstEncoded = (id: string) => {
  const at = id.search(/[a-z\d]/i)
  if (at < 0) return undefined
  return `${segmentOf(id.slice(0, at))}${hexadecimal(id[at] as string)}${segmentOf(id.slice(at + 1))}`
}

/** Only for ids of unreserved characters. */
const ofUnreserved =
  (segment: Segment): Segment =>
  (id) =>
    /^[a-z\d._~-]+$/i.test(id) ? segment(id) : undefined

/** The same segment, in spellings that are equivalent by RFC 3986. */
export const LAWFUL_SEGMENTS: readonly {
  part: string
  level: Level
  because: string
  rows: readonly Row[]
}[] = [
  {
    part: 'unreserved: percent-encoded',
    level: 'should',
    because:
      'RFC 3986 2.3: “URIs that differ in the replacement of an unreserved character with its corresponding percent-encoded US-ASCII octet are equivalent”, 6.2.2.2: “should be normalized”',
    rows: [
      ['first-encoded', 'with its first letter or digit percent-encoded', firstEncoded],
      ['all-encoded', 'with every character percent-encoded', ofUnreserved(encoded)],
      [
        'hyphens-encoded',
        'with its hyphens percent-encoded',
        ofUnreserved((id) => id.replaceAll('-', '%2D')),
      ],
    ],
  },
  {
    part: 'pct-encoded: case of its digits',
    level: 'should',
    because:
      'RFC 3986 6.2.2.1: “the hexadecimal digits within a percent-encoding triplet … are case-insensitive”',
    rows: [
      [
        'small-digits',
        'percent-encoded, with small hexadecimal digits',
        ofUnreserved((id) => {
          const small = encoded(id).toLowerCase()
          return small === encoded(id) ? undefined : small
        }),
      ],
    ],
  },
  {
    part: 'sub-delims, ":" and "@": not encoded',
    level: 'observe',
    because: 'RFC 3986 3.3: pchar has them; 2.2: those encoded and those not are not equivalent',
    rows: [
      [
        'reserved-as-they-are',
        'with its reserved characters as they are',
        (id) =>
          segmentOf(id).replace(/%(21|24|26|27|28|29|2A|2B|2C|3A|3B|3D|40)/g, (one) =>
            decodeURIComponent(one),
          ),
      ],
    ],
  },
]

/** Segments that equal the id only after decoding twice, resolving, cutting or repairing. */
export const IN_PATHS: readonly Row[] = [
  [
    'encoded-twice',
    'with its first letter or digit percent-encoded twice',
    (id) => firstEncoded(id)?.replace('%', '%25'),
  ],
  ['encoded-slash-behind', 'with an encoded slash after it', (id) => `${segmentOf(id)}%2F`],
  ['encoded-slash-before', 'with an encoded slash before it', (id) => `%2F${segmentOf(id)}`],
  ['encoded-backslash', 'with an encoded backslash after it', (id) => `${segmentOf(id)}%5C`],
  [
    'up-and-down',
    'after encoded dots that lead up from another',
    (id) => `x%2F..%2F${segmentOf(id)}`,
  ],
  ['here', 'after an encoded dot and slash', (id) => `.%2F${segmentOf(id)}`],
  [
    'up-and-back',
    'with encoded dots and itself after it',
    (id) => `${segmentOf(id)}%2F..%2F${segmentOf(id)}`,
  ],
  ['up-by-semicolon', 'after dots with a semicolon', (id) => `x%2F..;%2F${segmentOf(id)}`],
  [
    'encoded-twice-up',
    'after dots and slashes, encoded twice',
    (id) => `x%252F..%252F${segmentOf(id)}`,
  ],
  ['encoded-query', 'with an encoded question mark after it', (id) => `${segmentOf(id)}%3Fx=1`],
  ['encoded-fragment', 'with an encoded number sign after it', (id) => `${segmentOf(id)}%23x`],
  [
    'encoded-semicolon',
    'with an encoded semicolon and more after it',
    (id) => `${segmentOf(id)}%3Bv=1`,
  ],
  ['plus-behind', 'with a plus sign after it', (id) => `${segmentOf(id)}+`],
  ['encoded-backspace', 'with a backspace after it', (id) => `${segmentOf(id)}x%08`],
  ['bad-octet', 'with an octet that is not UTF-8 after it', (id) => `${segmentOf(id)}%FF`],
  [
    'bad-digits',
    'with a percent sign and no hexadecimal digits after it',
    (id) => `${segmentOf(id)}%zz`,
  ],
  ['bad-percent', 'with a percent sign after it', (id) => `${segmentOf(id)}%`],
  [
    'percent-u',
    'with its first letter or digit encoded by %u',
    (id) => {
      const at = id.search(/[a-z\d]/i)
      if (at < 0) return undefined
      const code = id.charCodeAt(at).toString(16).padStart(4, '0')
      return `${segmentOf(id.slice(0, at))}%u${code}${segmentOf(id.slice(at + 1))}`
    },
  ],
  [
    'overlong',
    'with its first letter or digit in two octets of UTF-8',
    (id) => {
      const at = id.search(/[a-z\d]/i)
      if (at < 0) return undefined
      const code = id.charCodeAt(at)
      const octets = [0xc0 | (code >> 6), 0x80 | (code & 0x3f)]
      const text = octets.map((octet) => `%${octet.toString(16).toUpperCase()}`).join('')
      return `${segmentOf(id.slice(0, at))}${text}${segmentOf(id.slice(at + 1))}`
    },
  ],
]

/** Additions that many servers remove before they read the id. */
export const ROUTED: readonly Row[] = [
  ['trailing-slash', 'with a slash after it', (id) => `${segmentOf(id)}/`],
  ['parameter', 'with a parameter of its segment', (id) => `${segmentOf(id)};v=1`],
  ['semicolon', 'with a semicolon after it', (id) => `${segmentOf(id)};`],
  ['extension', 'with .json after it', (id) => `${segmentOf(id)}.json`],
]
