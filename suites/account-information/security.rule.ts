import { succeeded } from '../../engine/judge/matchers.ts'
import { rule } from '../../engine/judge/rule.ts'
import type { Endpoint } from '../../engine/wire/exchange.ts'
import { CONSENTS, DATA } from './common/endpoints.ts'

/** What consent and data answers must not give away. Requirements: specs/account-information/security.yaml */

const ENDPOINTS: readonly Endpoint[] = [...CONSENTS, ...DATA]

rule(
  'SEC-09/full-card-number',
  'No full card number stands in a consent or data answer, but masked in Account.Identification',
  { endpoints: ENDPOINTS },
  (exchange) => {
    const { json, body = '' } = exchange.response ?? {}
    if (!ENDPOINTS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    if (json === undefined) return undefined
    if (!ENOUGH_DIGITS.test(body)) return []
    return texts(json)
      .filter(({ text }) => holdsCardNumber(text))
      .map(({ place }) => ({
        message: 'a full card number stands here',
        expected: 'no full card number',
        actual: 'a number of 15 or 16 digits with the check digit of a card',
        place,
      }))
  },
)

/** Every string of a JSON value but the links and the card's own field, each with its place. */
function texts(value: unknown, place = ''): { place: string; text: string }[] {
  if (typeof value === 'string') return [{ place, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = `${place}/${name}`
    return at === '/Links' || /\/Account\/(\d+\/)?Identification$/.test(at) ? [] : texts(inner, at)
  })
}

/** Without as many digits in a row there is nothing to look for, string by string. */
const ENOUGH_DIGITS = /\d(?:[ -]?\d){14}/

/** Its groups may be digits that add up by chance. */
const UUID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi

/**
 * A run of 15 or 16 digits, perhaps in groups, that begins and adds up like a card number. Letters or
 * hyphens beside it tell a piece of an opaque id.
 */
function holdsCardNumber(text: string): boolean {
  const runs = text.replaceAll(UUID, ' ').match(/(?<![\w-])\d(?:[ -]?\d)*(?![\w-])/g) ?? []
  return runs
    .map((run) => run.replace(/\D/g, ''))
    .some((digits) => /^[2-6]\d{14,15}$/.test(digits) && addsUp(digits))
}

/** The Luhn check (ISO/IEC 7812-1). */
function addsUp(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
