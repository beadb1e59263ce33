import type { Level } from '../../engine/suite-api/check.ts'
import type { Value, ValueType } from './value-type.ts'

/** The parameters of a correct request, joined by `&`, as they are sent in a form or a query. */
export interface Encoded {
  text: string
}

/** Changes the encoding of the parameters of any such request; names and values stay the same. */
export type Respelled = (text: string) => string

type Row = Value<Encoded, Respelled>

const row = (
  level: Level,
  because: string,
  [id, words, change]: [id: string, words: string, change: Respelled],
): Row => ({
  ...{ id, words, lawful: true, level, because },
  make: ({ text }) => (change(text) === text ? undefined : change),
})

const FORM =
  'RFC 6749 4.1.1 and appendix B: parameters are written as application/x-www-form-urlencoded, in which a space is “+”; RFC 3986 2.1 writes it %20.'
const ORDER =
  'RFC 6749 3.1 and 3.2: parameters have names, and none of them has a place; they “MUST NOT be included more than once”.'
const CASE =
  'RFC 3986 2.1: “The uppercase hexadecimal digits ‘A’ through ‘F’ are equivalent to the lowercase digits”.'
const UNRESERVED =
  'RFC 3986 2.3: URIs that differ in an unreserved character and its percent-encoding “are equivalent”.'
const AS_THEY_ARE =
  'RFC 3986 3.4: query = *( pchar / “/” / “?” ), and pchar has “:” and “@”: they need no encoding there.'

const toLowerCase = (octet: string) => octet.toLowerCase()
const hexadecimal = (one: string) =>
  `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Changes only the values: names are written as in the documents. */
const ofValues =
  (change: (value: string) => string): Respelled =>
  (text) =>
    text
      .split('&')
      .map((pair) => {
        const [name = '', ...value] = pair.split('=')
        return value.length === 0 ? pair : `${name}=${change(value.join('='))}`
      })
      .join('&')

/** How libraries encode a list of parameters. A reader must get the same names and values. */
export const formEncoding: ValueType<Encoded, Respelled> = {
  name: 'list of parameters',
  grammar:
    'RFC 6749 appendix B: application/x-www-form-urlencoded; RFC 3986 2.1, 2.3, 3.4 and 6.2.2',
  parts: [
    {
      part: 'space',
      rows: [
        row('must', FORM, [
          'other-space',
          'with each space spelled in the other way, + or %20',
          (text) =>
            text.includes('+') ? text.replaceAll('+', '%20') : text.replaceAll('%20', '+'),
        ]),
      ],
    },
    {
      part: 'sequence',
      rows: [
        row('must', ORDER, [
          'reversed',
          'in the opposite order',
          (text) => text.split('&').reverse().join('&'),
        ]),
        row('must', ORDER, [
          'sorted',
          'sorted by name',
          (text) => text.split('&').sort().join('&'),
        ]),
      ],
    },
    {
      part: 'pct-encoded: hexadecimal digits',
      rows: [
        row('must', CASE, [
          'small-digits',
          'with small hexadecimal digits',
          (text) => text.replaceAll(/%[0-9A-F]{2}/g, toLowerCase),
        ]),
      ],
    },
    {
      part: 'pct-encoded: others than hexadecimal digits',
      rows: [
        {
          id: 'bad-percent',
          words: 'with a percent sign that encodes nothing',
          level: 'observe',
          because:
            'RFC 3986 2.1: pct-encoded = “%” HEXDIG HEXDIG; what a reader makes of anything else is not said.',
          make: () => (text) => `${text}%zz`,
        },
      ],
    },
    {
      part: 'unreserved',
      rows: [
        row('should', UNRESERVED, [
          'marks-encoded',
          'with each hyphen, full stop and underscore encoded',
          ofValues((value) => value.replaceAll(/[-._]/g, hexadecimal)),
        ]),
        row('should', UNRESERVED, [
          'first-encoded',
          'with the first character of each value encoded',
          ofValues((value) => value.replace(/^[A-Za-z0-9]/, hexadecimal)),
        ]),
      ],
    },
    {
      part: 'reserved',
      rows: [
        row('should', AS_THEY_ARE, [
          'colons-as-they-are',
          'with each colon as it is',
          (text) => text.replaceAll('%3A', ':'),
        ]),
        row('should', AS_THEY_ARE, [
          'slashes-as-they-are',
          'with each slash as it is',
          (text) => text.replaceAll('%2F', '/'),
        ]),
      ],
    },
    {
      part: 'empty sequence',
      none: 'No sender writes an & without a parameter, and no grammar of a form has it.',
    },
    { part: 'charset', none: 'The table of Content-Type has it.' },
  ],
}
