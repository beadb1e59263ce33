import type { Level } from '../../engine/suite-api/check.ts'
import type { HeaderValues } from './header-value.ts'
import type { Value, ValueType } from './value-type.ts'

/** The access token of a correct call. */
export interface Token {
  token: string
}

type Row = Value<Token, HeaderValues>
type Given = [id: string, words: string, make: (token: string) => string]

const rows = (level: Level, because: string, ...given: Given[]): Row[] =>
  given.map(([id, words, make]) => ({
    ...{ id, words, level, because },
    make: ({ token }) => ({ headers: { Authorization: make(token) } }),
  }))

const INVALID =
  '“Authorization header missing or invalid”; RFC 6750 2.1: credentials = “Bearer” 1*SP b64token.'
const DECODED =
  'Decoders of base64 may skip other characters (RFC 4648 3.3), and the token is the same.'
const SPACES = 'RFC 6750 2.1: 1*SP; older grammars of HTTP had tabs there too.'

const elsewhere = (name: string): Row => ({
  id: `in-${name.toLowerCase()}`,
  words: `in the header ${name} instead`,
  level: 'should',
  because: '“The Authorization header carries the access token”.',
  make: ({ token }) => ({ headers: { Authorization: undefined, [name]: `Bearer ${token}` } }),
})

/**
 * The Authorization header with a correct token, in addition to the table of credentials: other
 * names, and values that a reader accepts who splits them at other characters than spaces.
 */
export const authorization: ValueType<Token, HeaderValues> = {
  name: 'Authorization header',
  grammar: 'RFC 9110 5.1 and 11.4: credentials = auth-scheme [ 1*SP token68 ]; RFC 6750 2.1',
  parts: [
    {
      part: 'field-name',
      rows: [...['Authorisation', 'Authentication', 'X-Original-Authorization'].map(elsewhere)],
    },
    {
      part: 'field-name: its case',
      none: 'The names of all headers are spelled in other cases by client-header.ts.',
    },
    {
      part: 'auth-scheme',
      rows: [
        ...rows(
          'must',
          INVALID,
          ['scheme-shorter', 'under the scheme Beare', (token) => `Beare ${token}`],
          ['scheme-twice', 'after Bearer twice', (token) => `Bearer Bearer ${token}`],
        ),
        {
          ...{ id: 'scheme-in-mixed-case', words: 'under the scheme bEARER', lawful: true },
          level: 'observe',
          because: 'RFC 9110 11.1: auth-scheme is case-insensitive; the document shows Bearer.',
          make: ({ token }) => ({ headers: { Authorization: `bEARER ${token}` } }),
        },
      ],
    },
    {
      part: '1*SP',
      rows: [
        ...rows('observe', SPACES, ['tab', 'after a tab', (token) => `Bearer\t${token}`]),
        ...rows(
          'must',
          INVALID,
          ['comma', 'after a comma', (token) => `Bearer,${token}`],
          ['equals', 'after an equals sign', (token) => `Bearer=${token}`],
        ),
      ],
    },
    {
      part: 'token68',
      rows: [
        ...rows('observe', DECODED, [
          'quoted',
          'in quotation marks',
          (token) => `Bearer "${token}"`,
        ]),
        ...rows(
          'must',
          INVALID,
          ['parameter', 'as a parameter', (token) => `Bearer token="${token}"`],
          ['more', 'with another word after it', (token) => `Bearer ${token} x`],
          ['list', 'with others after a comma', (token) => `Bearer ${token}, Basic eDp5`],
        ),
      ],
    },
    {
      part: 'OWS around the value (RFC 9110 5.5)',
      none: 'HTTP/2 has no such, and in HTTP/1.1 it is taken off before the value is read.',
    },
  ],
}
