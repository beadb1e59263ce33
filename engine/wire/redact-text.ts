import { jwtSummary } from './jwt-summary.ts'
import { type Layer, layersOf } from './layered-text.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { type Hit, placed, withHits } from './secret-hits.ts'
import {
  CARD_NUMBER,
  HTML_PASSWORD,
  JSON_SECRET,
  JWT,
  labelOf,
  luhn,
  PARAMETER_SECRET,
  PEM_KEY,
  SCHEME_CREDENTIALS,
} from './secret-patterns.ts'

/** Redaction of texts, for one run's pseudonyms. */
export interface TextRedaction {
  text(text: string): string
  /** What stands in the place of a value whose place says that it is secret. */
  inPlace(value: string, label: string): string
}

const WHOLE_JWT = new RegExp(`^${JWT.source}$`)

export function textRedaction(pseudonyms: Pseudonyms): TextRedaction {
  const inPlace = (value: string, label: string): string => {
    if (value === '' || pseudonyms.issued(value)) return value
    const summary = WHOLE_JWT.test(value) ? withoutJwts(value, label) : value
    return summary === value ? pseudonyms.of(value, label, tellsItself(value)) : summary
  }

  const withoutJwts = (text: string, label = 'jwt'): string =>
    text.replace(JWT, (whole, header: string, payload: string, rest: string) => {
      const summary = jwtSummary(header, payload, withoutValues)
      if (summary === undefined) return whole
      if (rest.length >= 16) pseudonyms.of(rest, 'signature', true)
      return pseudonyms.withSummary(whole, label, summary)
    })

  const card = (found: string) => (luhn(found) ? pseudonyms.of(found, 'pan', true) : found)

  const withoutValues = (text: string): string =>
    pseudonyms.replace(text).replace(CARD_NUMBER, card)

  /** What a layer below the text's own spelling shows to be secret: JSON in JSON, a form in a query. */
  const hiddenIn = (layer: Layer): Hit[] => {
    const { text } = layer
    const hits: Hit[] = []
    const put = (match: RegExpExecArray, value: string, pseudonym: string) => {
      if (pseudonym === value) return
      const at = match.index + match[0].lastIndexOf(value)
      hits.push(placed(layer, at, at + value.length, pseudonym))
    }
    for (const match of text.matchAll(PEM_KEY)) {
      put(match, match[0], pseudonyms.of(match[0], 'private-key', true))
    }
    for (const match of text.matchAll(SCHEME_CREDENTIALS)) {
      const [, scheme = '', value = ''] = match
      put(match, value, inPlace(value, labelOf(scheme)))
    }
    for (const match of text.matchAll(JSON_SECRET)) {
      const [, , name = '', value = ''] = match
      put(match, value, value === '' ? value : inPlace(fromJson(value), labelOf(name)))
    }
    for (const match of text.matchAll(PARAMETER_SECRET)) {
      const [, , name = '', value = ''] = match
      put(match, value, inPlace(fromForm(value), labelOf(name)))
    }
    for (const match of text.matchAll(HTML_PASSWORD)) {
      const [, , value = ''] = match
      put(match, value, inPlace(value, 'password'))
    }
    for (const match of text.matchAll(JWT)) put(match, match[0], withoutJwts(match[0]))
    for (const match of text.matchAll(CARD_NUMBER)) put(match, match[0], card(match[0]))
    return hits
  }

  const withoutHidden = (text: string): string => {
    const [, ...below] = layersOf(text)
    return withHits(text, below.flatMap(hiddenIn))
  }

  const redacted = (text: string): string => {
    const placed = text
      .replace(PEM_KEY, (pem) => pseudonyms.of(pem, 'private-key', true))
      .replace(SCHEME_CREDENTIALS, (_, scheme: string, value: string) => {
        return `${scheme} ${inPlace(value, labelOf(scheme))}`
      })
      .replace(JSON_SECRET, (_, before: string, name: string, value: string) => {
        return `${before}${inPlace(fromJson(value), labelOf(name))}"`
      })
      .replace(PARAMETER_SECRET, (_, before: string, name: string, value: string) => {
        return `${before}${name}=${inPlace(fromForm(value), labelOf(name))}`
      })
      .replace(HTML_PASSWORD, (_, before: string, value: string) => {
        return `${before}${inPlace(value, 'password')}`
      })
    return withoutValues(withoutHidden(withoutJwts(placed)))
  }

  /** Texts that were looked at since a secret was last added: what a bank says it says often. */
  const known = new Map<string, string>()
  let knownOf = 0

  return {
    inPlace,
    text(text) {
      const { searched } = pseudonyms
      if (searched !== knownOf || known.size >= REMEMBERED) known.clear()
      knownOf = searched
      const before = known.get(text)
      if (before !== undefined) return before
      const result = redacted(text)
      if (pseudonyms.searched === searched) known.set(text, result)
      return result
    },
  }
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

function fromJson(text: string): string {
  try {
    return JSON.parse(`"${text}"`)
  } catch {
    return text
  }
}

function fromForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
