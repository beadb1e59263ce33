import { absent, OTHER_ISSUER, SECTION_9, text } from './jws-claims.ts'
import {
  type Grounds,
  grounds,
  type JwsPart,
  type JwsRow,
  malformed,
  OF_THE_TPP,
  open,
  spelled,
  split,
} from './jws-rows.ts'

/** RFC 7519 4.1.7, 4.2, 4.3 and 7.3: other claims, and the encoding of their JSON. */

const UNIQUE = `${SECTION_9} “jti REQUIRED … A unique identifier for the token”.`
const JTI_OPEN = 'RFC 7519 4.1.7: “The jti value is a case-sensitive string.”'
const NO_JTI: Grounds = grounds('should', UNIQUE, 'client-assertion')

/** Unique ids in various formats. */
const IDS: [id: string, words: string, make: (own: string, now: number) => string][] = [
  ['urn', 'a URN', (own) => `urn:uuid:${own}`],
  ['unicode', 'in other letters than ASCII', (own) => `${own} é漢😀`],
  ['digits', 'of digits alone', (own, now) => `0${now}${digits(own)}`],
  ['quotes', 'with quotes and a percent sign', (own) => `${own}'"%00\\`],
]

const digits = (own: string) => [...own].map((one) => one.codePointAt(0)).join('')

const jti: JwsRow[] = [
  ...absent('jti', NO_JTI).filter(({ id }) => id !== 'jti-empty'),
  ...split(open(JTI_OPEN, 'client-assertion'), {
    id: 'jti-number',
    words: 'whose jti is a number',
    make: ({ now }) => ({ claims: { jti: now } }),
  }),
  ...IDS.flatMap(([id, words, make]) =>
    split(grounds('should', UNIQUE, 'client-assertion'), {
      id: `jti-${id}`,
      words: `whose jti is ${words}`,
      lawful: true,
      make(right) {
        const own = text(right, 'jti')
        return own === undefined ? undefined : { claims: { jti: make(own, right.now) } }
      },
    }),
  ),
]

const EXTRA = { 'https://other.example/claim': { any: ['thing', 1, null] }, unknown: 'é' }

const others: JwsRow[] = split(
  {
    'client-assertion': {
      level: 'must',
      because: `${SECTION_9}: “Any Claims used that are not understood MUST be ignored.”`,
    },
    ...grounds(
      'should',
      'RFC 7519 4: “all claims that are not understood by implementations MUST be ignored.”',
      'request-object',
      'registration',
      'id-token',
    ),
  },
  {
    id: 'claims-unknown',
    words: 'with claims that nobody knows',
    lawful: true,
    make: () => ({ claims: EXTRA }),
  },
)

const UNIQUE_NAMES =
  'RFC 7519 4: parsers MUST reject a claim that stands twice, or take the last one alone.'
const REJECTED = 'RFC 7515 10.12 and RFC 7519 7.2: the claims are one valid JSON object.'
const UTF8 = 'RFC 8725 3.7: “MUST do this and not use or admit the use of other Unicode encodings”.'
const BOM = 'RFC 8259 8.1: a parser MAY ignore a byte order mark rather than treat it as an error.'
const lawful = true as const
const should = (because: string) => grounds('should', because, ...OF_THE_TPP, 'id-token')

const twice = (json: string, where: 'first' | 'last') =>
  where === 'last'
    ? json.replace(/\}$/, ',"iss":"https://other.example"}')
    : json.replace('{', '{"iss":"https://other.example",')

const written: JwsRow[] = [
  ...split(should('RFC 7519 3.1 has line breaks and spaces in its claims.'), {
    id: 'claims-with-whitespace',
    words: 'with line breaks and spaces in the JSON of its claims',
    lawful,
    make: spelled('payload', (json) => `\r\n ${json.replace(/^\{/, '{\r\n\t ')} \n`),
  }),
  ...split(should('RFC 8259 1: an object is “an unordered collection” of members.'), {
    id: 'claims-in-other-order',
    words: 'with its claims in another order',
    lawful,
    make: spelled('payload', (json) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json)).reverse())),
    ),
  }),
  ...split(should('RFC 7519 7.3: names are compared after escapes are processed.'), {
    id: 'claims-with-escapes',
    words: 'with escapes in the names of its claims, and in their slashes',
    lawful,
    make: spelled('payload', (json) =>
      json
        .replaceAll('/', '\\/')
        .replace('"exp":', '"\\u0065xp":')
        .replace('"aud":', '"a\\u0075d":'),
    ),
  }),
  ...split(OTHER_ISSUER, {
    id: 'iss-twice-other-last',
    words: 'with a second iss, another one, after the right one',
    make: spelled('payload', (json) => twice(json, 'last')),
  }),
  ...split(open(UNIQUE_NAMES), {
    id: 'iss-twice-other-first',
    words: 'with a second iss, another one, before the right one',
    lawful,
    make: (right) => (text(right, 'iss') === undefined ? undefined : FIRST),
  }),
  ...(
    [
      ['comma', 'a comma after its last claim', REJECTED, /\}$/, ',}'],
      ['trailing', 'text after the JSON of its claims', REJECTED, /$/, 'x'],
      ['array', 'an array around its claims', REJECTED, /^(.*)$/s, '[$1]'],
    ] as const
  ).flatMap(([id, words, because, what, by]) =>
    split(malformed(because), {
      id: `claims-${id}`,
      words: `with ${words}`,
      make: spelled('payload', (json) => json.replace(what, by)),
    }),
  ),
  ...split(open(BOM), {
    id: 'claims-bom',
    words: 'with a byte order mark before its claims',
    make: spelled('payload', (json) => `\ufeff${json}`),
  }),
  ...split(malformed(UTF8), {
    id: 'claims-utf-16',
    words: 'with its claims in UTF-16',
    make: spelled('payload', (json) => Buffer.from(json, 'utf16le')),
  }),
]

const FIRST = spelled('payload', (json) => twice(json, 'first'))()

export const contentParts: JwsPart[] = [
  { part: 'jti (RFC 7519 4.1.7)', rows: jti },
  { part: 'claims that are not registered (RFC 7519 4, 4.2, 4.3)', rows: others },
  { part: 'the JSON of the claims (RFC 7519 4, 7.3; RFC 8725 2.6, 3.7)', rows: written },
]
