import { type Endpoint, remembered, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { isCardNumber } from '../common/data/card-number.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** Data that consent and data answers must not disclose. Requirements: specs/account-information/security.yaml */

const ENDPOINTS: readonly Endpoint[] = [...CONSENTS, ...DATA]

/**
 * Every consent and data 2xx, and data errors: all strings except Account.Identification (see ACC-09), Links, and ids
 * of transactions and consents, which may have as many digits as a card number; AccountIds only where all of an answer
 * look like card numbers. Fails: a run of exactly 16 digits (15, if it begins with 34 or 37), optionally grouped by
 * spaces or hyphens, that begins like a card of the schemes, passes the Luhn check and is no part of an IBAN.
 */
rule(
  'SEC-09/full-card-number',
  'No full card number stands in a consent or data answer, but masked in Account.Identification',
  { endpoints: ENDPOINTS },
  (exchange) => {
    const { json } = exchange.response ?? {}
    if (!ENDPOINTS.includes(exchange.endpoint)) return undefined
    // An error of a consent may repeat a wrong number from the request.
    if (!succeeded(exchange) && !DATA.includes(exchange.endpoint)) return undefined
    if (json === undefined) return undefined
    const places = placesOfCardNumbers(json)
    const byChance =
      places.some((place) => ACCOUNT_ID.test(place)) && !areAllCards(accountIds(json))
    const told = byChance ? places.filter((place) => !ACCOUNT_ID.test(place)) : places
    return told.map((place) => ({
      message: 'a full card number stands here',
      expected: 'no full card number',
      actual: 'a number of as many digits as a card, with the check digit of one',
      place,
    }))
  },
)

const ACCOUNT_ID = /\/AccountId$/

/** One in ten opaque ids with as many digits passes the Luhn check by chance; two are unlikely to be chance. */
function areAllCards(ids: Set<string>): boolean {
  return ids.size > 1 && [...ids].every(holdsCardNumber)
}

/** The AccountIds of an answer. */
function accountIds(json: unknown): Set<string> {
  const data: unknown = Object(json).Data
  const rows = Object.values(Object(data)).flatMap((member) =>
    Array.isArray(member) ? member : [],
  )
  const ids = rows.map((row: unknown) => Object(row).AccountId)
  return new Set(ids.filter((id) => typeof id === 'string'))
}

/** JSON pointers to the card numbers in a JSON value, except in Links and in Account.Identification. */
function placesOfCardNumbers(json: unknown): string[] {
  return Object.entries(typeof json === 'object' && json !== null ? json : {})
    .filter(([name]) => name !== 'Links')
    .flatMap(([name, member]) => below(member).map((place) => `/${name}${place}`))
    .filter((place) => !/\/Account\/(\d+\/)?Identification$/.test(place))
}

/** The same below one value. */
function below(value: unknown): string[] {
  if (typeof value === 'string') return holdsCardNumber(value) ? [''] : []
  if (typeof value !== 'object' || value === null) return []
  const inside = Array.isArray(value) ? belowElement : below
  const places: string[] = []
  for (const [name, member] of Object.entries(value)) {
    if (!OPAQUE.has(name)) for (const place of inside(member)) places.push(`/${name}${place}`)
  }
  return places
}

/** Each row is searched once, since answers share rows. */
function belowElement(element: unknown): string[] {
  return typeof element === 'object' && element !== null ? belowRow(element) : below(element)
}

const NOWHERE: string[] = []

const belowRow = remembered((row: object) => {
  const places = below(row)
  return places.length === 0 ? NOWHERE : places
})

const OPAQUE = new Set(['ConsentId', 'StatementReference', 'TransactionId', 'TransactionReference'])

/** A string with fewer digits holds no card number. */
const ENOUGH_DIGITS = /\d(?:[ -]?\d){14}/

/** A UUID or an IBAN: digit groups in it may pass the Luhn check by chance. */
const GROUPED = [
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi,
  /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g,
]

/**
 * Does the text have a run of digits, optionally grouped, that begins like a card number and passes the Luhn
 * check? Letters or hyphens next to it mean a part of an opaque id, a point before it the decimals of an amount.
 */
function holdsCardNumber(written: string): boolean {
  if (written.length < 15) return false
  // Typographic spaces and hyphens count as plain ones.
  const text = written.replace(/\p{Zs}/gu, ' ').replace(/\p{Pd}/gu, '-')
  if (!ENOUGH_DIGITS.test(text)) return false
  const ungrouped = GROUPED.reduce((rest, grouped) => rest.replaceAll(grouped, ' '), text)
  const runs = ungrouped.matchAll(/(?<![\w-]|\d\.)(\d(?:[ -]?\d)*)([\w-]*)/g)
  return [...runs]
    .map(([, run = '', more]) => (more ? run.slice(0, Math.max(0, run.lastIndexOf(' '))) : run))
    .map((run) => run.replace(/\D/g, ''))
    .some(isCardNumber)
}
