import {
  base64url,
  type Grounds,
  grounds,
  type JwsPart,
  type JwsRow,
  OF_THE_TPP,
  open,
  sent,
  split,
  UNSIGNED,
} from './jws-rows.ts'

/** RFC 7515 2, 5.2 and 7: the structure of a JWS, and other texts in its place. */

/** A software statement is signed by the directory: it can only be changed after signing. */
export const everywhere = (because: string): Grounds =>
  grounds('should', because, ...OF_THE_TPP, 'software-statement', 'id-token')

/** Recorded for every kind. */
export const lax = (because: string): Grounds =>
  open(because, ...OF_THE_TPP, 'software-statement', 'id-token')

type Change = Parameters<typeof sent>[0]

/** Rows that change a finished JWS. */
export const sentRows = (
  ground: Grounds,
  ...rows: [id: string, words: string, change: Change][]
): JwsRow[] =>
  rows.flatMap(([id, words, change]) => split(ground, { id, words, make: sent(change) }))

const THREE_PARTS =
  'RFC 7515 7.1: BASE64URL(header) || “.” || BASE64URL(payload) || “.” || BASE64URL(signature), and nothing else.'

const compact: JwsRow[] = [
  ...sentRows(
    UNSIGNED,
    ['empty-text', 'that is an empty text', () => ''],
    ['two-parts', 'of header and claims alone', (_, [header, payload]) => `${header}.${payload}`],
    ['claims-alone', 'of its claims alone, as JSON', (_, [, payload]) => decoded(payload)],
    [
      'detached',
      'with nothing between its dots (RFC 7515 appendix F)',
      (_, [header, , signature]) => `${header}..${signature}`,
    ],
    [
      'without-header',
      'with nothing before its first dot',
      (_, [, payload, signature]) => `.${payload}.${signature}`,
    ],
  ),
  ...sentRows(
    everywhere(THREE_PARTS),
    ['four-parts', 'with a fourth part', (jws) => `${jws}.e30`],
    ['trailing-dot', 'with a dot after it', (jws) => `${jws}.`],
    ['leading-dot', 'with a dot before it', (jws) => `.${jws}`],
    ['bearer', 'after the word Bearer', (jws) => `Bearer ${jws}`],
    ['quoted', 'in quotation marks', (jws) => `"${jws}"`],
    ['in-a-list', 'in a JSON array', (jws) => JSON.stringify([jws])],
    ['twice', 'twice, with a comma between', (jws) => `${jws},${jws}`],
    ['dots-encoded', 'with its dots percent-encoded', (jws) => jws.replaceAll('.', '%2E')],
  ),
]

const decoded = (part: string) => Buffer.from(part, 'base64url').toString()

/** A part whose JSON is changed. */
export const reencoded = (part: string, change: (json: Record<string, unknown>) => object) =>
  base64url(JSON.stringify(change(JSON.parse(decoded(part)) as Record<string, unknown>)))

const withOctets = (signature: string, change: (octets: Buffer) => Buffer) =>
  change(Buffer.from(signature, 'base64url')).toString('base64url')

const signature: JwsRow[] = [
  ...sentRows(
    UNSIGNED,
    [
      'header-changed',
      'whose header was changed after signing',
      (_, [header, ...rest]) =>
        [reencoded(header, (json) => ({ ...json, changed: true })), ...rest].join('.'),
    ],
    [
      'signature-cut',
      'with half of its signature',
      (_, [header, payload, own]) =>
        `${header}.${payload}.${withOctets(own, (octets) => octets.subarray(0, octets.length >> 1))}`,
    ],
    [
      'signature-zeros',
      'with zeros as its signature',
      (_, [header, payload, own]) =>
        `${header}.${payload}.${withOctets(own, (octets) => Buffer.alloc(octets.length))}`,
    ],
    [
      'signature-longer',
      'with an octet after its signature',
      (_, [header, payload, own]) =>
        `${header}.${payload}.${withOctets(own, (octets) => Buffer.concat([octets, Buffer.of(0)]))}`,
    ],
    [
      'signature-one-zero',
      'with a single zero as its signature',
      (_, [header, payload]) => `${header}.${payload}.AA`,
    ],
  ),
  ...split(UNSIGNED, {
    id: 'claims-changed',
    words: 'whose claims were changed after signing',
    make: () => ({ tampered: 'payload' }),
  }),
  ...split(UNSIGNED, {
    id: 'signature-damaged',
    words: 'with one bit of its signature changed',
    make: () => ({ tampered: 'signature' }),
  }),
]

export const formParts: JwsPart[] = [
  { part: 'Compact Serialization (RFC 7515 7.1)', rows: compact },
  { part: 'signature (RFC 7515 5.2 step 8; RFC 8725 3.3)', rows: signature },
]
