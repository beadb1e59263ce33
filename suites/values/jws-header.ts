import {
  grounds,
  type JwsPart,
  type JwsRow,
  malformed,
  OF_THE_TPP,
  OTHER_ALGORITHM,
  open,
  spelled,
  split,
} from './jws-rows.ts'

/** RFC 7515 4.1.9 to 4.3: parameters that describe the JWS, and the JSON of the header. */

const lawful = true as const

const should = (because: string) => grounds('should', because, ...OF_THE_TPP, 'id-token')

const TYP = 'RFC 7515 4.1.9: typ is OPTIONAL, “application/” may be left out or written.'

const typ: JwsRow[] = [
  ...split(should(TYP), {
    id: 'typ-missing',
    words: 'without typ',
    lawful,
    make: () => ({ header: { typ: undefined } }),
  }),
  ...split(
    should('RFC 7519 5.1: JWT is RECOMMENDED in upper case for older implementations alone.'),
    {
      id: 'typ-lower-case',
      words: 'with jwt as typ',
      lawful,
      make: () => ({ header: { typ: 'jwt' } }),
    },
  ),
  ...split(should(TYP), {
    id: 'typ-with-application',
    words: 'with application/jwt as typ',
    lawful,
    make: () => ({ header: { typ: 'application/jwt' } }),
  }),
  ...split(
    open('RFC 8725 3.11: rules for existing kinds of JWTs often do not use the typ parameter.'),
    {
      id: 'typ-of-an-access-token',
      words: 'with at+jwt as typ',
      make: () => ({ header: { typ: 'at+jwt' } }),
    },
  ),
  ...split(open('RFC 7515 4.1.9: typ is ignored by JWS implementations.'), {
    id: 'typ-number',
    words: 'with a number as typ',
    make: () => ({ header: { typ: 1 } }),
  }),
]

const EXTENSION = 'http://example.invalid/UNDEFINED'
const CRIT =
  'RFC 7515 4.1.11: “If any of the listed extension Header Parameters are not understood and supported by the recipient, then the JWS is invalid.”'

const crit: JwsRow[] = [
  ...split(malformed(`${CRIT} Appendix E has the same.`), {
    id: 'crit-unknown',
    words: 'with an extension that nobody knows in crit',
    make: () => ({ header: { crit: [EXTENSION], [EXTENSION]: true } }),
  }),
  ...split(malformed(CRIT), {
    id: 'crit-absent-parameter',
    words: 'with a parameter in crit that its header does not have',
    make: () => ({ header: { crit: [EXTENSION] } }),
  }),
  ...split(malformed(CRIT), {
    id: 'crit-string',
    words: 'with a text as crit',
    make: () => ({ header: { crit: EXTENSION, [EXTENSION]: true } }),
  }),
  ...split(open('RFC 7515 4.1.11: b64 is an extension, which a library may understand.'), {
    id: 'crit-b64',
    words: 'with b64 false in crit, its claims encoded all the same',
    make: () => ({ header: { crit: ['b64'], b64: false } }),
  }),
  ...split(
    open('RFC 7515 4.1.11: producers MUST NOT use the empty list; recipients are not told.'),
    {
      id: 'crit-empty',
      words: 'with an empty crit',
      make: () => ({ header: { crit: [] } }),
    },
  ),
  ...split(open('RFC 7515 4.1.11: recipients MAY consider such a JWS invalid.'), {
    id: 'crit-registered-name',
    words: 'with alg in crit',
    make: () => ({ header: { crit: ['alg'] } }),
  }),
]

const IGNORED =
  'RFC 7515 4: “all Header Parameters not defined by this specification MUST be ignored when not understood.”'

const unregistered: JwsRow[] = [
  ...split(should(IGNORED), {
    id: 'header-unknown-parameter',
    words: 'with a header parameter that nobody knows',
    lawful,
    make: () => ({ header: { [EXTENSION]: { any: ['thing', 1, null] } } }),
  }),
  ...split(
    open('RFC 7519 5.3: claims in a header are for encrypted JWTs, and SHOULD be compared.'),
    {
      id: 'header-other-issuer',
      words: 'with another iss in its header than in its claims',
      make: () => ({ header: { iss: 'https://other.example' } }),
    },
  ),
  ...split(open('RFC 7516 4.1.3: zip is of JWE; RFC 7515 4 has it ignored.'), {
    id: 'header-zip',
    words: 'with zip in its header, its claims not compressed',
    make: () => ({ header: { zip: 'DEF' } }),
  }),
]

const last = (json: string, member: string) => json.replace(/\}$/, `,${member}}`)
const first = (json: string, member: string) => json.replace('{', `{${member},`)
const JSON_ONLY =
  'RFC 7515 10.12: JSON that does not conform “MUST be rejected in its entirety”, with extra characters too.'
const UNICODE = 'RFC 7515 10.13: names and values are compared after escapes are processed.'
const UTF8 = 'RFC 8725 3.7: “MUST do this and not use or admit the use of other Unicode encodings”.'
const BOM = 'RFC 8259 8.1: a parser MAY ignore a byte order mark rather than treat it as an error.'
const TWICE =
  'RFC 7515 4: parsers MUST reject a name that stands twice, or take the last one alone.'

const written: JwsRow[] = [
  ...split(should('RFC 7519 3.1 has a line break and a space in its header.'), {
    id: 'header-with-whitespace',
    words: 'with line breaks and spaces in the JSON of its header',
    lawful,
    make: spelled('header', (json) => `\r\n ${json.replaceAll(',"', ' ,\r\n\t"')} \n`),
  }),
  ...split(should('RFC 8259 1: an object is “an unordered collection” of members.'), {
    id: 'header-in-other-order',
    words: 'with the members of its header in another order',
    lawful,
    make: spelled('header', (json) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json)).reverse())),
    ),
  }),
  ...split(should(UNICODE), {
    id: 'header-with-escapes',
    words: 'with escapes in name and value of alg',
    lawful,
    make: spelled('header', (json) => json.replace('"alg":"PS256"', '"\\u0061lg":"PS\\u003256"')),
  }),
  ...split(OTHER_ALGORITHM, {
    id: 'header-alg-twice-none-last',
    words: 'with a second alg, none, after the right one',
    make: spelled('header', (json) => last(json, '"alg":"none"')),
  }),
  ...split(open(TWICE), {
    id: 'header-alg-twice-none-first',
    words: 'with a second alg, none, before the right one',
    lawful,
    make: spelled('header', (json) => first(json, '"alg":"none"')),
  }),
  ...(
    [
      ['comma', 'a comma after the last member of its header', JSON_ONLY, /\}$/, ',}'],
      ['comment', 'a comment in the JSON of its header', JSON_ONLY, '{', '{/* */'],
      ['trailing', 'text after the JSON of its header', JSON_ONLY, /$/, 'x'],
      ['array', 'an array around its header', JSON_ONLY, /^(.*)$/s, '[$1]'],
    ] as const
  ).flatMap(([id, words, because, what, by]) =>
    split(malformed(because), {
      id: `header-${id}`,
      words: `with ${words}`,
      make: spelled('header', (json) => json.replace(what, by)),
    }),
  ),
  ...split(open(BOM), {
    id: 'header-bom',
    words: 'with a byte order mark before its header',
    make: spelled('header', (json) => `\ufeff${json}`),
  }),
  ...split(malformed(UTF8), {
    id: 'header-utf-16',
    words: 'with its header in UTF-16',
    make: spelled('header', (json) => Buffer.from(json, 'utf16le')),
  }),
]

export const headerParts: JwsPart[] = [
  { part: 'typ (RFC 7515 4.1.9; RFC 8725 3.11)', rows: typ },
  {
    part: 'cty (RFC 7515 4.1.10)',
    rows: split(open('RFC 7519 5.2: cty is NOT RECOMMENDED where nothing is nested.'), {
      id: 'cty-jwt',
      words: 'with JWT as cty, its claims not nested',
      make: () => ({ header: { cty: 'JWT' } }),
    }),
  },
  { part: 'crit (RFC 7515 4.1.11)', rows: crit },
  { part: 'names that are not registered (RFC 7515 4, 4.2, 4.3)', rows: unregistered },
  { part: 'the JSON of the header (RFC 7515 4, 10.12, 10.13; RFC 8725 2.6, 3.7)', rows: written },
]
