import { type Endpoint, remembered, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { beginsLikeCard, isCardNumber } from '../common/data/card-number.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** Data that consent and data answers must not disclose. Requirements: specs/account-information/security.yaml */

const ENDPOINTS: readonly Endpoint[] = [...CONSENTS, ...DATA]

/**
 * Every consent and data 2xx, and data errors: all strings except Account.Identification (see ACC-09), Links, and ids
 * of transactions and consents, which may have as many digits as a card number; AccountIds only where all of an answer
 * look like card numbers. Fails: a run of exactly 16 digits (15, if it begins with 34 or 37), optionally grouped by
 * spaces or hyphens, that begins like a card of the schemes, passes the Luhn check and is no part of an IBAN. Not
 * judged where more texts of the answer have such a run that does not pass: those are references.
 */
rule(
  'SEC-09/full-card-number',
  'No consent or data answer shows a full card number: Account.Identification shows it masked',
  { endpoints: ENDPOINTS },
  (exchange) => {
    const { json } = exchange.response ?? {}
    if (!ENDPOINTS.includes(exchange.endpoint)) return undefined
    // An error of a consent may repeat a wrong number from the request.
    if (!succeeded(exchange) && !DATA.includes(exchange.endpoint)) return undefined
    if (json === undefined) return undefined
    const places = placesOfRuns(json)
    const cards = places.filter(({ isCard }) => isCard)
    const byChance =
      cards.some(({ place }) => ACCOUNT_ID.test(place)) && !areAllCards(accountIds(json))
    const told = byChance ? cards.filter(({ place }) => !ACCOUNT_ID.test(place)) : cards
    // One in ten references with as many digits passes the check.
    if (places.length - cards.length > told.length) return []
    return told.map(({ place }) => ({
      message: 'a full card number is here',
      expected: 'no full card number',
      actual: 'a number with as many digits as a card number and a valid check digit',
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

/** A text with as many digits as a card has, and whether they pass the Luhn check. */
interface Run {
  place: string
  isCard: boolean
}

/** Such texts of a JSON value with their JSON pointers, except in Links and in Account.Identification. */
function placesOfRuns(json: unknown): Run[] {
  return Object.entries(typeof json === 'object' && json !== null ? json : {})
    .filter(([name]) => name !== 'Links')
    .flatMap(([name, member]) => within(name, below(member)))
    .filter(({ place }) => !/\/Account\/(\d+\/)?Identification$/.test(place))
}

const within = (name: string, runs: Run[]) =>
  runs.map(({ place, isCard }) => ({ place: `/${name}${place}`, isCard }))

/** The same below one value. */
function below(value: unknown): Run[] {
  if (typeof value === 'string') {
    const runs = cardRunsIn(value)
    return runs.length === 0 ? NOWHERE : [{ place: '', isCard: runs.some(isCardNumber) }]
  }
  if (typeof value !== 'object' || value === null) return NOWHERE
  const inside = Array.isArray(value) ? belowElement : below
  const places: Run[] = []
  for (const [name, member] of Object.entries(value)) {
    if (!OPAQUE.has(name)) for (const run of within(name, inside(member))) places.push(run)
  }
  return places
}

/** Each row is searched once, since answers share rows. */
function belowElement(element: unknown): Run[] {
  return typeof element === 'object' && element !== null ? belowRow(element) : below(element)
}

const NOWHERE: Run[] = []

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

const holdsCardNumber = (text: string) => cardRunsIn(text).some(isCardNumber)

const NO_RUN: string[] = []

/**
 * The runs of digits, optionally grouped, that begin like a card number and are as long. Letters or hyphens next to
 * one mean a part of an opaque id, a point before it the decimals of an amount.
 */
function cardRunsIn(written: string): string[] {
  if (written.length < 15) return NO_RUN
  // Typographic spaces and hyphens count as plain ones.
  const text = written.replace(/\p{Zs}/gu, ' ').replace(/\p{Pd}/gu, '-')
  if (!ENOUGH_DIGITS.test(text)) return NO_RUN
  const ungrouped = GROUPED.reduce((rest, grouped) => rest.replaceAll(grouped, ' '), text)
  const runs = ungrouped.matchAll(/(?<![\w-]|\d\.)(\d(?:[ -]?\d)*)([\w-]*)/g)
  return [...runs]
    .map(([, run = '', more]) => (more ? run.slice(0, Math.max(0, run.lastIndexOf(' '))) : run))
    .map((run) => run.replace(/\D/g, ''))
    .filter(beginsLikeCard)
}
