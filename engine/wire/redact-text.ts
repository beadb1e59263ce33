import { jwtSummary } from './jwt-summary.ts'
import type { Pseudonyms } from './pseudonyms.ts'
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

  const withoutValues = (text: string): string =>
    pseudonyms
      .replace(text)
      .replace(CARD_NUMBER, (found) => (luhn(found) ? pseudonyms.of(found, 'pan', true) : found))

  return {
    inPlace,
    text(text) {
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
      return withoutValues(withoutJwts(placed))
    },
  }
}

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
