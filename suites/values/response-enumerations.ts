import { enumeration } from './enumeration.ts'
import { CASE } from './enumeration-clauses.ts'
import type { Enumeration } from './enumeration-terms.ts'
import type { Part, ValueType } from './value-type.ts'

/** Enumerations of authorisation requests. */

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

/** The words of a response type in another order, which is the same type. */
const WORD_ORDER: Part<Enumeration, unknown> = {
  part: 'its words, in any order',
  rows: [
    {
      id: 'words-in-other-order',
      words: 'with its words in the other order',
      lawful: true,
      level: 'should',
      because: ORDER,
      make: ({ chosen: [value = ''] }) => {
        const made = value.split(' ').toReversed().join(' ')
        return made === value ? undefined : made
      },
    },
  ],
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
  more: [WORD_ORDER],
})

/** Has it the same words as the type in use, in any order and with repetitions? RFC 6749 3.1.1. */
function sameWords(value: string): boolean {
  return (
    value !== CODE_ID_TOKEN && [...new Set(value.split(' '))].sort().join(' ') === CODE_ID_TOKEN
  )
}
