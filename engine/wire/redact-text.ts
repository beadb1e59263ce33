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

/** Of a match the part that is secret, what stands for it, and where in the match it is: by default last. */
type Secret = [value: string, pseudonym: string, at?: number]

/** A pattern, what of a match of it is secret, undefined where nothing is, and what the text must hold at all. */
type Place = [pattern: RegExp, secretOf: (match: Groups) => Secret | undefined, of?: RegExp]

/** What stands in the place of a credential where somebody has none: the name of a scheme alone, nothing of a language. */
const NO_SECRETS = /^(?:bearer|basic|dpop|null|undefined|none|nil|true|false)$/i

/** Redaction of texts, for one run's pseudonyms. */
export function textRedaction(pseudonyms: Pseudonyms) {
  /** What stands in the place of a value whose place says that it is secret. */
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

  /** What a layer below the text's own spelling shows to be secret: JSON in JSON, a form in a query. */
  const hiddenIn = (layer: Layer): Hit[] =>
    [...places, cards].flatMap(([pattern, secretOf, of]) =>
      (of && !of.test(layer.text) ? [] : [...layer.text.matchAll(pattern)]).flatMap((match) => {
        const [value = '', pseudonym = '', within] = secretOf(match) ?? []
        const at = match.index + (within ?? match[0].lastIndexOf(value))
        return pseudonym === value ? [] : [placed(layer, at, at + value.length, pseudonym)]
      }),
    )

  /** Without what its places give away, of which the rest of a record is told. */
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

/** What a bank says it says often. */
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

/** Texts, of which the longest are the beginnings of bodies. */
const REMEMBERED = 500

/**
 * Whether a value that its place gave away may be looked for elsewhere. A bank may issue "token" as
 * a token: searching for that would redact every sentence about tokens.
 */
function tellsItself(value: string): boolean {
  return value.length >= 16 || (value.length >= 8 && /[^a-z]/.test(value))
}

const fromJson = (text: string) => (parsedJson(`"${text}"`) as string | undefined) ?? text
