import type { Level } from '../../engine/suite-api/check.ts'
import type { Value, ValueType } from './value-type.ts'

/** The kind of a body: JSON of consents, the JWT of a registration, the form of a token request. */
export interface Content {
  kind: 'json' | 'jwt' | 'form'
}

/** A Content-Type header; with null, none is sent. */
export type ContentTypeValue = { contentType: string | null }

const RIGHT: Record<Content['kind'], string> = {
  json: 'application/json',
  jwt: 'application/jwt',
  form: 'application/x-www-form-urlencoded',
}

const KINDS = ['json', 'jwt', 'form'] as const
type ContentRow = Value<Content, ContentTypeValue>

/** A spelling of the correct type, for the named kinds. */
function spelled(
  row: Pick<ContentRow, 'id' | 'words' | 'level' | 'because'> & {
    lawful?: true
    kinds?: readonly Content['kind'][]
    change(right: string): string | null
  },
): ContentRow {
  const { kinds = KINDS, change, ...rest } = row
  return {
    ...rest,
    make: ({ kind }) => (kinds.includes(kind) ? { contentType: change(RIGHT[kind]) } : undefined),
  }
}

const CASE = 'RFC 9110 8.3.1: “The type and subtype tokens are case-insensitive.”'
const PARAMETERS =
  'RFC 9110 5.6.6: parameters = *( OWS “;” OWS [ parameter ] ), and charset=utf-8 is the right one.'
const QUOTED = 'RFC 9110 5.6.6: “The quoted and unquoted values are equivalent.”'
const lawful = true as const

const title = (text: string) => text.replaceAll(/\b[a-z]/g, (one) => one.toUpperCase())

const cases: ContentRow[] = [
  spelled({
    id: 'capitals',
    words: 'in upper case',
    lawful,
    level: 'should',
    because: CASE,
    change: (right) => right.toUpperCase(),
  }),
  spelled({
    id: 'mixed-case',
    words: 'with a capital at each of its words',
    lawful,
    level: 'should',
    because: CASE,
    change: title,
  }),
]

/** The registration of application/jwt defines no parameters: for JWTs they are only recorded. */
const charset = (id: string, words: string, suffix: string, because: string): ContentRow[] => [
  spelled({
    ...{ id, words, lawful, level: 'should', because, kinds: ['json', 'form'] },
    change: (right) => `${right}${suffix}`,
  }),
  spelled({
    id: `${id}-of-a-jwt`,
    words: `${words}, before a JWT`,
    lawful,
    level: 'observe',
    because: 'RFC 7519 10.3.1: application/jwt has no parameters; what one does is not said.',
    kinds: ['jwt'],
    change: (right) => `${right}${suffix}`,
  }),
]

const parameters: ContentRow[] = [
  ...charset('charset', 'with charset=utf-8', '; charset=utf-8', PARAMETERS),
  ...charset('charset-close', 'with charset=utf-8 and no space', ';charset=utf-8', PARAMETERS),
  ...charset(
    'charset-capitals',
    'with CHARSET=UTF-8',
    '; CHARSET=UTF-8',
    'RFC 9110 5.6.6 and 8.3.2: names of parameters and of charsets are case-insensitive.',
  ),
  ...charset('charset-quoted', 'with charset="utf-8"', '; charset="utf-8"', QUOTED),
  ...charset(
    'charset-spaced',
    'with spaces before and after the semicolon',
    ' ;  charset=utf-8',
    PARAMETERS,
  ),
  ...charset(
    'charset-tab',
    'with a tab after the semicolon',
    ';\tcharset=utf-8',
    'RFC 9110 5.6.3: OWS = *( SP / HTAB ).',
  ),
  spelled({
    id: 'empty-parameter',
    words: 'with a semicolon after it',
    lawful,
    level: 'observe',
    because: 'RFC 9110 5.6.6: a parameter after “;” may be left out; older grammars had no such.',
    change: (right) => `${right};`,
  }),
  spelled({
    id: 'unknown-parameter',
    words: 'with a parameter that nobody knows',
    lawful,
    level: 'observe',
    because: 'RFC 9110 8.3.1: what a parameter does depends on the definition of the media type.',
    change: (right) => `${right}; unknown=1`,
  }),
  spelled({
    id: 'other-charset',
    words: 'with another charset',
    level: 'observe',
    because:
      'RFC 8259 8.1 and 11: JSON is UTF-8, whatever charset says; RFC 6749 appendix B has forms in UTF-8.',
    kinds: ['json', 'form'],
    change: (right) => `${right}; charset=iso-8859-1`,
  }),
  spelled({
    id: 'space-around-equals',
    words: 'with spaces around an equals sign',
    level: 'observe',
    because: 'RFC 9110 5.6.6: “Parameters do not allow whitespace … around the = character.”',
    change: (right) => `${right}; charset = utf-8`,
  }),
]

const REGISTRATION = '“2. Content-Type is application/jwt.”'
const SILENT =
  '“create requests send Content-Type: application/json” and “Form-encoded request” bind the TPP; what another type gets is not said.'

/** Another type. Only for registrations a requirement names the type. */
function other(id: string, words: string, change: (right: string) => string | null): ContentRow[] {
  const row = (kinds: readonly Content['kind'][], level: Level, because: string, suffix: string) =>
    spelled({
      id: `${id}${suffix}`,
      words: suffix ? `${words}, before a JWT` : words,
      ...{ level, because, kinds, change },
    })
  return [
    row(['json', 'form'], 'observe', SILENT, ''),
    row(['jwt'], 'should', REGISTRATION, '-of-a-registration'),
  ]
}

const types: ContentRow[] = [
  ...other('missing', 'that is missing', () => null),
  ...other('text-plain', 'text/plain', () => 'text/plain'),
  ...other('octets', 'application/octet-stream', () => 'application/octet-stream'),
  ...other('xml', 'application/xml', () => 'application/xml'),
  ...other('multipart', 'multipart/form-data', () => 'multipart/form-data; boundary=a'),
  ...other('prefix', 'with a longer subtype', (right) => `${right}-x`),
  ...other('suffix', 'with a structured suffix', (right) => `${right}+json`),
  ...other('other-type', 'with text as its type', (right) =>
    right.replace('application/', 'text/'),
  ),
  ...other('subtype-alone', 'of its subtype alone', (right) => right.replace('application/', '')),
  ...other('wildcard', 'with a wildcard', () => 'application/*'),
  ...other(
    'parameter-of-another',
    'of text with the right one as a parameter',
    (right) => `text/plain; type="${right}"`,
  ),
  spelled({
    id: 'json-of-a-registration',
    words: 'application/json, before a JWT',
    level: 'should',
    because: REGISTRATION,
    kinds: ['jwt'],
    change: () => 'application/json',
  }),
  spelled({
    id: 'form-of-a-registration',
    words: 'application/x-www-form-urlencoded, before a JWT',
    level: 'should',
    because: REGISTRATION,
    kinds: ['jwt'],
    change: () => 'application/x-www-form-urlencoded',
  }),
  spelled({
    id: 'jose-of-a-registration',
    words: 'application/jose, before a JWT',
    level: 'observe',
    because: `${REGISTRATION} RFC 7515 9.2.1: application/jose names a JWS in the Compact Serialization as well.`,
    kinds: ['jwt'],
    change: () => 'application/jose',
  }),
  spelled({
    id: 'json-for-form',
    words: 'application/json, before a form',
    level: 'observe',
    because: SILENT,
    kinds: ['form'],
    change: () => 'application/json',
  }),
  spelled({
    id: 'two',
    words: 'with a second one after a comma',
    level: 'observe',
    because:
      'RFC 9110 8.3: Content-Type is a singleton; recipients often take the last of several.',
    change: (right) => `${right}, text/plain`,
  }),
]

/** The Content-Type header of requests with a body. */
export const contentType: ValueType<Content, ContentTypeValue> = {
  name: 'Content-Type',
  grammar: 'RFC 9110 8.3.1: media-type = type “/” subtype parameters',
  parts: [
    { part: 'type and subtype: case', rows: cases },
    { part: 'type and subtype: others', rows: types },
    { part: 'parameters (RFC 9110 5.6.6 and 8.3.2)', rows: parameters },
  ],
}
