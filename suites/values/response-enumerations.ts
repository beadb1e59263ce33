import type { Level } from '../../engine/suite-api/check.ts'
import { enumeration } from './enumeration.ts'
import { ADVERTISED, CASE } from './enumeration-clauses.ts'
import type { Enumeration } from './enumeration-terms.ts'
import type { Part, ValueType } from './value-type.ts'

/** Enumerations of authorisation requests, and of registrations about them. */

type OfEnumeration = ValueType<Enumeration, unknown>

const CODE_ID_TOKEN = 'code id_token'

const RESPONSE_TYPE =
  '“Response type; code id_token is used.”, “| response_types | array of string | Registered response types |”'
const ORDER = 'RFC 6749 3.1.1: “the order of values does not matter”'

const OTHER_RESPONSE_TYPES = [
  ['code', 'code'],
  ['id-token', 'id_token'],
  ['token', 'token'],
  ['none', 'none'],
  ['code-token', 'code token'],
  ['id-token-token', 'id_token token'],
  ['code-id-token-token', 'code id_token token'],
  ['unknown-word', 'code id_token other'],
  ['joined-by-comma', 'code,id_token'],
  ['joined-by-plus', 'code+id_token'],
  ['joined-by-encoded-space', 'code%20id_token'],
  ['joined-by-tab', 'code\tid_token'],
  ['vp-token', 'vp_token'],
  ['spanish', 'codigo'],
] as const

/** The words of a response type in the other order, which is the same type. */
function wordOrder(level: Level, inArray: boolean): Part<Enumeration, unknown> {
  return {
    part: 'its words, in any order',
    rows: [
      {
        id: 'words-in-other-order',
        words: 'with its words in the other order',
        lawful: true,
        level,
        because: ORDER,
        make: ({ chosen: [value = '', ...others] }) => {
          const made = value.split(' ').toReversed().join(' ')
          if (made === value) return undefined
          return inArray ? [made, ...others] : made
        },
      },
    ],
  }
}

/** response_type of an authorisation request; `allowed` are those that the client registered. */
export const responseType: OfEnumeration = enumeration({
  name: 'response_type',
  grammar: 'RFC 6749 sections 3.1.1 and A.3: response-type = response-name *( SP response-name )',
  in: 'parameter',
  shape: 'string',
  values: [CODE_ID_TOKEN],
  because: `${RESPONSE_TYPE}; ${CASE}`,
  level: 'should',
  spaces: 'observe',
  right: { because: '“Response type; code id_token is used.”', level: 'must' },
  open: sameWords,
  others: OTHER_RESPONSE_TYPES,
  more: [wordOrder('should', false)],
})

/** The words of the type that is used, in whatever order and as often as one likes: RFC 6749 3.1.1. */
function sameWords(value: string): boolean {
  return (
    value !== CODE_ID_TOKEN && [...new Set(value.split(' '))].sort().join(' ') === CODE_ID_TOKEN
  )
}

/** response_types of a registration; `allowed` are those that the bank advertises. */
export const responseTypes: OfEnumeration = enumeration({
  name: 'list of response types',
  grammar: 'RFC 7591 section 2, response_types: array of string; RFC 6749 section A.3 for each',
  in: 'body',
  shape: 'array',
  values: [CODE_ID_TOKEN],
  because: ADVERTISED,
  level: 'must',
  spaces: 'observe',
  type: { because: '“| response_types | array of string |”', level: 'should' },
  right: { because: ADVERTISED, level: 'must' },
  all: 'observe',
  open: sameWords,
  others: OTHER_RESPONSE_TYPES,
  more: [wordOrder('observe', true)],
})

const FRAGMENT = '“On success the URL fragment carries an authorisation code and an ID token.”'
const NO_QUERY = `${FRAGMENT}; OAuth 2.0 Multiple Response Type Encoding Practices 5: “the query encoding MUST NOT be used”`

/**
 * response_mode of an authorisation request. It is optional and not in the documents, so a bank may ignore each: it
 * takes a wrong one where code or ID token arrive elsewhere than in the fragment.
 */
export const responseMode: OfEnumeration = enumeration({
  name: 'response_mode',
  grammar:
    'OAuth 2.0 Multiple Response Type Encoding Practices sections 2.1 and 5; RFC 6749 section 1.9 for its case',
  in: 'parameter',
  shape: 'string',
  values: ['fragment'],
  because: NO_QUERY,
  level: 'must',
  right: { because: FRAGMENT, level: 'should' },
  nearly: 'query',
  others: [
    ['query', 'query'],
    ['form-post', 'form_post', 'should'],
    ['query-jwt', 'query.jwt'],
    ['fragment-jwt', 'fragment.jwt', 'should'],
    ['form-post-jwt', 'form_post.jwt', 'should'],
    ['jwt', 'jwt', 'should'],
    ['web-message', 'web_message', 'should'],
    ['direct-post', 'direct_post', 'should'],
    ['unknown', 'other'],
    ['spanish', 'consulta'],
  ],
})
