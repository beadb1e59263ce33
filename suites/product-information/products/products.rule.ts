import { DAY } from '../../../engine/suite-api/clock.ts'
import { matchers } from '../../../engine/suite-api/expect.ts'
import {
  brief,
  type Exchange,
  header,
  instantOf,
  member,
  type Row,
} from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { otherCharset } from '../../charsets.ts'
import { namesOnce } from '../../names-once.ts'
import { nextPagesOf } from '../../next-pages.ts'
import { misreadIn, placeholdersIn, unfilledIn } from '../../texts.ts'
import { canonical, isError, isList, productsOf } from '../common/product-list.ts'

/** GET /consumer-credit-cards. Requirements: specs/product-information/products.yaml */

const PRODUCTS = { endpoints: ['products'] } as const

rule('PROD-05/json', 'The list of products is JSON', PRODUCTS, (exchange) => {
  if (!isList(exchange)) return undefined
  const finding = matchers.toBeJson(exchange)
  return finding ? [finding] : []
})

/**
 * Every `products` 2xx to a request with Accept application/json: media type application/json,
 * parameters allowed.
 */
rule(
  'PROD-51/media-type',
  'The Content-Type of the list of products is application/json',
  PRODUCTS,
  (exchange) => {
    if (!isList(exchange)) return undefined
    const actual = header(exchange, 'content-type') ?? 'absent'
    if (/^application\/json\s*(;|$)/i.test(actual)) return []
    const expected = 'application/json'
    return [{ message: `the Content-Type is ${actual}`, expected, actual }]
  },
)

/** Every answer of the list, including errors, with a JSON body. Fails: an object has a name twice. */
rule(
  'PROD-56/unique-names',
  'No object of an answer of the product interface has two members of the same name',
  PRODUCTS,
  (exchange) => (exchange.endpoint === 'products' ? namesOnce(exchange) : undefined),
)

rule(
  'PROD-08/equals-length',
  'TotalResults is the number of products returned',
  { ...PRODUCTS, follows: ['PROD-06/data'] },
  (exchange) => {
    const data = member(exchange.response?.json, 'data')
    const total = member(exchange.response?.json, 'meta', 'TotalResults')
    if (!isList(exchange) || !Array.isArray(data) || !Number.isInteger(total)) return undefined
    if (total === data.length) return []
    const message = `TotalResults is ${total}, and there are ${data.length} products`
    const place = '/meta/TotalResults'
    return [{ message, expected: String(data.length), actual: String(total), place }]
  },
)

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/i

/**
 * Every `products` 2xx whose LastUpdated is an ISO 8601 date or date-time: not
 * more than a day after the exchange. Any other format is recorded and not judged.
 */
rule(
  'PROD-10/not-in-future',
  'The product information was not updated in the future',
  { ...PRODUCTS, unseen: 'LastUpdated is not a date of ISO 8601' },
  (exchange, { observe }) => {
    const text = member(exchange.response?.json, 'meta', 'LastUpdated')
    if (!isList(exchange) || typeof text !== 'string') return undefined
    const at = ISO_8601.test(text) ? instantOf(text.replace(',', '.')) : Number.NaN
    if (Number.isNaN(at)) {
      observe('LastUpdated, no date of ISO 8601', text)
      return undefined
    }
    const latest = Date.parse(exchange.startedAt) + exchange.durationMs + DAY
    if (at <= latest) return []
    const expected = `${new Date(latest).toISOString()} or before`
    const message = 'LastUpdated is in the future'
    return [{ message, expected, actual: text, place: '/meta/LastUpdated' }]
  },
)

const parentOf = (product: Row) =>
  member(product, 'Organisation', 'ParentOrganisation', 'OrganisationName', 'LegalName')

rule(
  'PROD-53/unique',
  'No two products of one parent organisation have the same ProductIdentifier',
  { ...PRODUCTS, unseen: 'no answer had two products' },
  (exchange) => {
    const products = productsOf(exchange)
    if (!isList(exchange) || products.length < 2) return undefined
    const seen = new Map<string, Row[]>()
    return products.flatMap((product, index): Finding[] => {
      const { ProductIdentifier: id } = product
      if (typeof id !== 'string') return []
      const key = JSON.stringify([id, parentOf(product)])
      const others = seen.get(key) ?? []
      seen.set(key, [...others, product])
      if (others.every((other) => isSoldOtherwise(other, product))) return []
      const message = `ProductIdentifier ${brief(id)} occurs twice`
      const place = `/data/${index}/ProductIdentifier`
      return [{ message, expected: 'an identifier of its own', actual: id, place }]
    })
  },
)

/** A product that is sold in several ways, or at a rate for each group of customers, may be listed once for each. */
function isSoldOtherwise(one: Row, other: Row): boolean {
  return one.ProductName === other.ProductName && canonical(one) !== canonical(other)
}

/** Every list. Fails: it names a next page, as ENV-07 tells one, or meta.TotalPages is above 1. */
rule('PROD-74/one-page', 'The list of products has no next page', PRODUCTS, (exchange) => {
  if (!isList(exchange)) return undefined
  const pages = member(exchange.response?.json, 'meta', 'TotalPages')
  const findings = nextPagesOf(exchange)
  if (typeof pages === 'number' && pages > 1) {
    const message = `there are ${pages} pages`
    findings.push({ message, expected: 'one', actual: String(pages), place: '/meta/TotalPages' })
  }
  return findings
})

/** Strings that the tables require, except those with listed values. */
const REQUIRED: Record<string, readonly string[]> = {
  '': ['Description', 'KeyFeatures', 'ProductIdentifier', 'ProductName'],
  'Details/ConsumerCreditCardItem': [
    'APRRate',
    'AnnualFeeAmount',
    'CashAdvanceRate',
    'ExchangeRateAdjustment',
    'IssuingEmergencyCardsFees',
    'MinimumCreditLimit',
    'PurchaseRate',
  ],
  Eligibility: ['Description'],
  'Organisation/Brand': ['TrademarkID'],
  'Organisation/ParentOrganisation/OrganisationName': ['LegalName'],
}
const REQUIRED_OF_ERRORS = ['description', 'title']
const REQUIRED_META = ['Agreement', 'LastUpdated', 'License', 'TermsOfUse']

rule('PROD-49/not-empty', 'A required string is not empty', PRODUCTS, (exchange) => {
  if (!isList(exchange) && !isError(exchange)) return undefined
  const strings = isError(exchange)
    ? stringsAt(exchange.response?.json, '', REQUIRED_OF_ERRORS)
    : requiredStrings(exchange)
  if (strings.length === 0) return undefined
  return strings
    .filter(({ text }) => text.trim() === '')
    .map(({ text, place }) => ({
      message: `${place.slice(place.lastIndexOf('/') + 1)} is empty`,
      expected: 'text',
      actual: brief(text),
      place,
    }))
})

/** The strings with these names in an object. */
function stringsAt(
  within: unknown,
  place: string,
  names: readonly string[],
): { place: string; text: string }[] {
  return names.flatMap((name) => {
    const text = member(within, name)
    return typeof text === 'string' ? [{ place: `${place}/${name}`, text }] : []
  })
}

function requiredStrings(exchange: Exchange): { place: string; text: string }[] {
  return [
    ...stringsAt(member(exchange.response?.json, 'meta'), '/meta', REQUIRED_META),
    ...productsOf(exchange).flatMap((product, index) =>
      Object.entries(REQUIRED).flatMap(([path, names]) => {
        const inner = path === '' ? product : member(product, ...path.split('/'))
        return stringsAt(inner, `/data/${index}${path === '' ? '' : `/${path}`}`, names)
      }),
    ),
  ]
}

rule(
  'PROD-58/placeholders',
  'No text of the list, or of an error, is what a program writes for a missing value',
  PRODUCTS,
  (exchange) => {
    if (!isList(exchange) && !isError(exchange)) return undefined
    const found = placeholdersIn(exchange)
    return isList(exchange) && found?.length === 0 ? unfilledIn(exchange) : found
  },
)

/** Texts about a product may be written for an HTML page. */
rule(
  'PROD-58/misread',
  'No text of the list, or of an error, was read in another encoding than it was written in',
  PRODUCTS,
  (exchange) => (isList(exchange) || isError(exchange) ? misreadIn(exchange, true) : undefined),
)

/** Milliseconds within which a time counts as that of the answer: both may be whole seconds. */
const OF_THE_ANSWER = 2000

/**
 * Two lists with the same products. Fails: each has the time of its own answer as LastUpdated, by the bank's clock where Date
 * tells it. Servers that take over the list from time to time may tell when they last did.
 */
rule(
  'PROD-60/last-updated',
  'LastUpdated is not the moment of each answer',
  { ...PRODUCTS, unseen: 'the same products were not listed twice' },
  (exchange, { earlier }) => {
    const { json } = exchange.response ?? {}
    const updated = instantOf(String(member(json, 'meta', 'LastUpdated')))
    if (!isList(exchange) || updated === undefined) return undefined
    const answered = Date.parse(header(exchange, 'date') ?? exchange.startedAt)
    const isNow = Math.abs(updated - answered) < OF_THE_ANSWER
    const key = JSON.stringify(member(json, 'data'))
    const before = earlier.get(key) as { updated: number; isNow: boolean } | undefined
    if (!before) earlier.set(key, { updated, isNow })
    if (!before) return undefined
    if (!isNow || !before.isNow || updated === before.updated) return []
    const actual = 'the time of each of two answers'
    const message = 'LastUpdated is the time of the answer, although no product has changed'
    return [
      { message, expected: 'when the products were updated', actual, place: '/meta/LastUpdated' },
    ]
  },
)

/**
 * Every product with a MinimumAge above 18, from which credit is lawful. Fails: AgeRestricted says that
 * age does not matter.
 */
rule(
  'PROD-61/age',
  'A product with a minimum age is AgeRestricted',
  { ...PRODUCTS, unseen: 'no product has a MinimumAge and says whether age counts' },
  (exchange) => {
    const told = productsOf(exchange)
      .map((product, index) => ({ index, eligibility: member(product, 'Eligibility') }))
      .filter(({ eligibility }) => Number(member(eligibility, 'MinimumAge')) > 18)
      .filter(({ eligibility }) => typeof member(eligibility, 'AgeRestricted') === 'boolean')
    if (!isList(exchange) || told.length === 0) return undefined
    return told
      .filter(({ eligibility }) => member(eligibility, 'AgeRestricted') === false)
      .map(
        ({ index, eligibility }): Finding => ({
          message: 'a product has a minimum age, and AgeRestricted is false',
          expected: 'AgeRestricted true',
          actual: `false, MinimumAge ${brief(member(eligibility, 'MinimumAge'))}`,
          place: `/data/${index}/Eligibility/AgeRestricted`,
        }),
      )
  },
)

rule(
  'PROD-62/charset',
  'The Content-Type of the list of products names no other charset than UTF-8',
  PRODUCTS,
  (exchange) => (isList(exchange) ? otherCharset(exchange) : undefined),
)

/** So many servers may answer by turns. */
const SERVERS = 3

/**
 * Every list whose products are those of an earlier one, in any order. Fails: LastUpdated is earlier than there.
 * Several servers that were loaded at different times may answer by turns, so the first times are not judged; nor is a
 * time after the first answer, since each server may take over the list again.
 */
rule(
  'PROD-63/never-back',
  'LastUpdated of the same products does not go back',
  { ...PRODUCTS, unseen: 'no two answers list the same products' },
  (exchange, { earlier, clockTolerance }) => {
    const text = member(exchange.response?.json, 'meta', 'LastUpdated')
    const updated = typeof text === 'string' ? instantOf(text) : Number.NaN
    if (!isList(exchange) || Number.isNaN(updated)) return undefined
    const sent = Date.parse(exchange.startedAt)
    const key = JSON.stringify(
      productsOf(exchange)
        .map((one) => JSON.stringify(one))
        .sort(),
    )
    const before = earlier.get(key) as
      | { updated: number; until: number; text: unknown; shown: Set<number>; first: number }
      | undefined
    const { shown = new Set<number>(), first = sent } = before ?? {}
    if (!before || updated > before.updated) {
      earlier.set(key, { updated, text, until: sent + exchange.durationMs, shown, first })
    }
    const isNew = updated >= first - clockTolerance * 1000
    if (!isNew) shown.add(updated)
    if (!before || sent < before.until) return undefined
    if (updated >= before.updated || isNew || shown.size <= SERVERS) return []
    const message = 'LastUpdated is earlier than in an earlier answer, and no product has changed'
    const place = '/meta/LastUpdated'
    return [{ message, expected: brief(before.text), actual: brief(text), place }]
  },
)

/** No list of products is older than this interface. */
const FIRST_YEAR = Date.parse('2000-01-01T00:00:00Z')

/** Every list whose LastUpdated is a date. Fails: it is before 2000. A program without a value may write 1970, or the year 1 or 0. */
rule(
  'PROD-64/of-a-time',
  'LastUpdated is a time at which the products could be updated',
  { ...PRODUCTS, unseen: 'LastUpdated is not a date-time' },
  (exchange) => {
    const text = member(exchange.response?.json, 'meta', 'LastUpdated')
    const updated = typeof text === 'string' ? instantOf(text) : Number.NaN
    const isNone = typeof text === 'string' && text.startsWith('0000-00-00')
    if (!isList(exchange) || (Number.isNaN(updated) && !isNone)) return undefined
    if (updated >= FIRST_YEAR) return []
    const message = `the products were last updated ${brief(text)}`
    return [{ message, expected: 'its time', actual: brief(text), place: '/meta/LastUpdated' }]
  },
)

/** What a program writes into a rate or an amount that it does not have. */
const NO_VALUE = /\b(?:NaN|undefined|null|Infinity)\b|\{\{|\$\{/

/** Every list. Fails: a rate or amount of a product holds NaN, null, undefined, Infinity or the name of a value in a template. */
rule(
  'PROD-65/filled-in',
  'A rate or an amount of a product does not contain what a program writes for a missing value',
  { ...PRODUCTS, unseen: 'no product has a rate or an amount', follows: ['PROD-58/placeholders'] },
  (exchange) => {
    if (!isList(exchange)) return undefined
    const texts = productsOf(exchange).flatMap((product, index) => {
      const item = member(product, 'Details', 'ConsumerCreditCardItem')
      return Object.entries((item ?? {}) as Row)
        .filter(([name]) =>
          /(?:Rate|Amount|Fee|Fees|Percent|Percentage|Adjustment|Limit)$/.test(name),
        )
        .map(([name, value]) => ({
          place: `/data/${index}/Details/ConsumerCreditCardItem/${name}`,
          value,
        }))
    })
    if (texts.length === 0) return undefined
    return texts
      .filter(({ value }) => typeof value === 'string' && NO_VALUE.test(value))
      .map(({ value, place }) => {
        const message = `a rate or an amount is ${brief(value)}`
        return { message, expected: 'a rate or an amount', actual: brief(value), place }
      })
  },
)
