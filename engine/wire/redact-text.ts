import { parsedJson } from '../record/json.ts'
import { formDecoded } from '../record/percent.ts'
import { jwtSummary } from './jwt-summary.ts'
import { type Hit, type Layer, layersOf, placed, withHits } from './layered-text.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import {
  CARD_NUMBER,
  HTML_INPUT,
  JSON_SECRET,
  JWK_SECRET,
  JWT,
  labelOf,
  luhn,
  OF_A_JWK,
  PARAMETER_SECRET,
  PEM_KEY,
  SCHEME_CREDENTIALS,
  shownPassword,
} from './secret-patterns.ts'

const WHOLE_JWT = new RegExp(`^${JWT.source}$`)

type Groups = readonly (string | undefined)[]

/** The secret part of a match, its pseudonym, and its position in the match: by default the last occurrence. */
type Secret = [value: string, pseudonym: string, at?: number]

/** A pattern, a function that gives the secret part of a match or undefined, and what the text must contain at all. */
type Place = [pattern: RegExp, secretOf: (match: Groups) => Secret | undefined, of?: RegExp]

/** Values in place of a credential where there is none: a scheme's name alone, or a null value of a language. */
const NO_SECRETS = /^(?:bearer|basic|dpop|null|undefined|none|nil|true|false)$/i

/** Redaction of texts, with one run's pseudonyms. */
export function textRedaction(pseudonyms: Pseudonyms) {
  /** Redacts a value whose place shows that it is secret. */
  const inPlace = (value: string, label: string): string => {
    if (value === '' || NO_SECRETS.test(value) || pseudonyms.issued(value)) return value
    const jwt = WHOLE_JWT.exec(value)
    const summary = jwt ? summarised(jwt, label) : value
    return summary === value ? pseudonyms.of(value, label, tellsItself(value)) : summary
  }

  const summarised = (jwt: Groups, label: string): string => {
    const [whole = '', header = '', payload, rest = ''] = jwt
    if (payload === undefined) return whole
    const summary = jwtSummary(header, payload, withoutValues)
    if (summary === undefined) return whole
    if (rest.length >= 16) pseudonyms.of(rest, 'signature', true)
    return pseudonyms.withSummary(whole, label, summary)
  }

  const places: Place[] = [
    [PEM_KEY, ([pem = '']) => [pem, pseudonyms.of(pem, 'private-key', true)]],
    [SCHEME_CREDENTIALS, ([, scheme = '', value = '']) => [value, inPlace(value, labelOf(scheme))]],
    [
      JSON_SECRET,
      ([, , name = '', value = '']) => [value, inPlace(fromJson(value), labelOf(name))],
    ],
    [JWK_SECRET, ([, , value = '']) => [value, inPlace(value, 'private-key')], OF_A_JWK],
    [
      PARAMETER_SECRET,
      ([, , name = '', value = '']) => [value, inPlace(formDecoded(value), labelOf(name))],
    ],
    [
      HTML_INPUT,
      ([tag = '']) => {
        const shown = shownPassword(tag)
        return shown && [shown.value, inPlace(shown.value, 'password'), shown.at]
      },
    ],
    [JWT, (match) => [match[0] ?? '', summarised(match, 'jwt')]],
  ]
  const cards: Place = [
    CARD_NUMBER,
    ([found = '']) => [found, luhn(found) ? pseudonyms.of(found, 'pan', true) : found],
  ]

  const replaced = (text: string, [pattern, secretOf, of]: Place): string => {
    if (of && !of.test(text)) return text
    return text.replace(pattern, (...match: string[]) => {
      const [whole = ''] = match
      const secret = secretOf(match)
      if (!secret) return whole
      const [value, pseudonym, at = whole.lastIndexOf(value)] = secret
      return whole.slice(0, at) + pseudonym + whole.slice(at + value.length)
    })
  }

  const withoutValues = (text: string): string => replaced(pseudonyms.replace(text), cards)

  /** Secrets that show in a layer below the text's own spelling: JSON in JSON, a form in a query. */
  const hiddenIn = (layer: Layer): Hit[] =>
    [...places, cards].flatMap(([pattern, secretOf, of]) =>
      (of && !of.test(layer.text) ? [] : [...layer.text.matchAll(pattern)]).flatMap((match) => {
        const [value = '', pseudonym = '', within] = secretOf(match) ?? []
        const at = match.index + (within ?? match[0].lastIndexOf(value))
        return pseudonym === value ? [] : [placed(layer, at, at + value.length, pseudonym)]
      }),
    )

  /** Replaces the secrets that their places reveal, so that the rest of a record can be searched for them. */
  const placesTaken = remembered((text: string): string => {
    const plain = places.reduce(replaced, text)
    const [, ...below] = layersOf(plain)
    return withHits(plain, below.flatMap(hiddenIn))
  })

  const redacted = remembered((text: string) => withoutValues(placesTaken(text)))
  let searched = 0

  return {
    inPlace,
    placesTaken,
    text(text: string): string {
      if (pseudonyms.searched !== searched) redacted.forget()
      searched = pseudonyms.searched
      return redacted(text)
    },
  }
}

/** A bank repeats most of its texts. */
function remembered(change: (text: string) => string) {
  const known = new Map<string, string>()
  const changed = (text: string): string => {
    const before = known.get(text)
    if (before !== undefined) return before
    if (known.size >= REMEMBERED) known.clear()
    const result = change(text)
    known.set(text, result)
    return result
  }
  return Object.assign(changed, { forget: () => known.clear() })
}

/** Number of texts; the longest are the beginnings of bodies. */
const REMEMBERED = 500

/**
 * True if a value that its place revealed may be searched for elsewhere. A bank may issue "token" as a token: to search
 * for that would redact every sentence about tokens.
 */
function tellsItself(value: string): boolean {
  return value.length >= 16 || (value.length >= 8 && /[^a-z]/.test(value))
}

const fromJson = (text: string) => (parsedJson(`"${text}"`) as string | undefined) ?? text
