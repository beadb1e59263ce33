import type { Level } from '../../engine/suite-api/check.ts'
import type { Part, Value, ValueType } from './value-type.ts'

/** A request that is answered with JSON. */
export interface Answer {
  kind: 'json'
}

/** An Accept header; with undefined, none is sent. */
export type AcceptValue = { headers: { Accept: string | undefined } }

type Given = [id: string, words: string, accept: string | undefined]

type Row = Value<Answer, AcceptValue>

const rows = (level: Level, because: string, ...given: Given[]): Row[] =>
  given.map(([id, words, Accept]) => ({
    ...{ id, words, level, because },
    make: () => ({ headers: { Accept } }),
  }))

const lawful = (...given: Parameters<typeof rows>): Row[] =>
  rows(...given).map((row) => ({ ...row, lawful: true }))

const RANGES =
  'RFC 9110 12.5.1: Accept = #( media-range [ weight ] ), of which application/json is one.'
const WILD =
  'RFC 9110 12.5.1: “*/*” indicates all media types and “type/*” all subtypes of that type.'
const CASE = 'RFC 9110 8.3.1: “The type and subtype tokens are case-insensitive.”'
const WEIGHT = 'RFC 9110 12.4.2: weight = OWS “;” OWS “q=” qvalue, its name case-insensitive.'
const IGNORED =
  'RFC 9110 12.4.1: the server “can either honor the header field by sending a 406 (Not Acceptable) response or disregard the header field”.'
const NONE =
  'RFC 9110 12.4.1: without the header there is no preference; “Requests send accept: application/json” binds the TPP.'
const EMPTY =
  'RFC 9110 5.6.1.2: a recipient MUST ignore a reasonable number of empty elements; no sender makes them.'

const parts: Part<Answer, AcceptValue>[] = [
  {
    part: 'media-range',
    rows: [
      ...lawful(
        'should',
        WILD,
        ['any', 'of */*', '*/*'],
        ['any-application', 'of application/*', 'application/*'],
      ),
      ...lawful('should', CASE, ['capitals', 'of APPLICATION/JSON', 'APPLICATION/JSON']),
      ...lawful('should', RANGES, [
        'charset',
        'with charset=utf-8',
        'application/json;charset=utf-8',
      ]),
      ...lawful('observe', NONE, ['missing', 'that is missing', undefined]),
      ...rows(
        'observe',
        IGNORED,
        ['html', 'of text/html alone', 'text/html'],
        ['xml', 'of application/xml alone', 'application/xml'],
        ['longer-subtype', 'of a longer subtype', 'application/jsonx'],
        ['no-range', 'of a word that is no range', 'json'],
      ),
    ],
  },
  {
    part: 'weight (RFC 9110 12.4.2)',
    rows: [
      ...lawful(
        'should',
        WEIGHT,
        ['weighed', 'with a weight', 'application/json;q=0.9'],
        ['weighed-least', 'with the least weight', 'application/json; q=0.001'],
        ['weighed-most', 'with the weight 1.000', 'application/json;q=1.000'],
        ['weighed-capital', 'with a capital Q and spaces', 'application/json ; Q=0.5'],
      ),
      ...rows(
        'observe',
        `RFC 9110 12.4.2: 0 means “not acceptable”. ${IGNORED}`,
        ['weighed-zero', 'with the weight 0', 'application/json;q=0'],
        ['any-zero', 'of */* with the weight 0', '*/*;q=0'],
      ),
    ],
  },
  {
    part: 'the list (RFC 9110 5.6.1)',
    rows: [
      ...lawful(
        'should',
        RANGES,
        ['first', 'with others after it', 'application/json, text/plain, */*'],
        ['last', 'after heavier ones', 'text/html, application/xml;q=0.9, application/json;q=0.2'],
        [
          'browser',
          'as a browser sends it',
          'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        ],
        ['close', 'between others with commas alone', 'text/csv,application/json,text/html'],
      ),
      ...lawful('observe', EMPTY, [
        'empty-elements',
        'after an empty element',
        ', application/json',
      ]),
    ],
  },
]

/** The Accept header of requests that are answered with JSON. */
export const acceptedType: ValueType<Answer, AcceptValue> = {
  name: 'Accept',
  grammar: 'RFC 9110 12.5.1: Accept = #( media-range [ weight ] )',
  parts,
}
