import { brief, type Exchange, leadsInside, member } from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { type Optional, respelledIn } from '../../other-spellings.ts'
import { writtenOtherwise } from '../../written-integers.ts'
import { isList, productsOf } from '../common/product-list.ts'

/** Values of products that contradict their own meaning. Requirements: specs/product-information/products.yaml */

const ITEM = 'Details/ConsumerCreditCardItem'

interface Told {
  name: string
  value: unknown
  place: string
}

/** The members of every product with these paths. */
function toldBy(exchange: Exchange, paths: readonly string[]): Told[] {
  if (!isList(exchange)) return []
  return productsOf(exchange).flatMap((product, index) =>
    paths.flatMap((path): Told[] => {
      const value = member(product, ...path.split('/'))
      const name = path.slice(path.lastIndexOf('/') + 1)
      return value === undefined ? [] : [{ name, value, place: `/data/${index}/${path}` }]
    }),
  )
}

/** A rule about members of products: `wrong` says what is wrong with a value, if anything. */
function valueRule(
  id: string,
  title: string,
  paths: readonly string[],
  expected: string,
  wrong: (told: Told, exchange: Exchange) => string | undefined,
): void {
  const names = paths.map((path) => path.slice(path.lastIndexOf('/') + 1)).join(', ')
  const options = { endpoints: ['products'], unseen: `no product has ${names}` } as const
  rule(id, title, options, (exchange) => {
    const all = toldBy(exchange, paths)
    if (all.length === 0) return undefined
    return all.flatMap((told): Finding[] => {
      const message = wrong(told, exchange)
      if (message === undefined) return []
      return [{ message, expected, actual: brief(told.value), place: told.place }]
    })
  })
}

valueRule(
  'PROD-66/outside',
  'The URLs of a product do not name a host that can be reached only from inside the bank',
  ['ProductURL', 'TsandCs'],
  'an address that customers reach',
  ({ name, value }, { request }) => {
    const inside = [value].flat().find((url) => leadsInside(String(url), request.url))
    return inside === undefined ? undefined : `${name} leads to ${brief(inside)}`
  },
)

valueRule(
  'PROD-67/cards',
  'An account may have at least one cardholder',
  [`${ITEM}/MaximumNumberOfCardsPermitted`],
  'one card or more',
  ({ name, value }) => (value === 0 ? `${name} is 0` : undefined),
)

/** Objects with members that may be absent, so that nothing else tells that one has another name. */
const OPTIONAL: readonly { path: string; members: Optional }[] = [
  { path: '', members: { OtherKeyFeatures: {}, ProductSegment: {} } },
  { path: 'Eligibility', members: { IncomeRelated: {}, MinimumAge: {} } },
  {
    path: ITEM,
    members: {
      ...{ AbilityToSetIndividualLimits: {}, BalanceTransferRate: {}, CashbackPercent: {} },
      ...{ MaximumNumberOfCardsPermitted: {}, MinimumRepaymentAmount: {} },
      ...{ MinimumRepaymentPercentage: {}, NonSterlingTransactionFee: {}, OverLimitFee: {} },
    },
  },
]

/** Every list. Fails: a product lacks an optional member, and has one whose name differs from it only in case, - or _. */
rule(
  'PROD-71/spelled',
  'Optional members of products have the names of the tables',
  { endpoints: ['products'], unseen: 'no product was listed' },
  (exchange) => {
    const products = isList(exchange) ? productsOf(exchange) : []
    if (products.length === 0) return undefined
    return products.flatMap((product, index) =>
      OPTIONAL.flatMap(({ path, members }) => {
        const steps = path === '' ? [] : path.split('/')
        const place = [`/data/${index}`, ...steps].join('/')
        return respelledIn(member(product, ...steps), members, place)
      }),
    )
  },
)

/** Nobody is older. A larger number counts months. */
const OLDEST = 120

valueRule(
  'PROD-67/age',
  'A minimum age is the age of a person in years',
  ['Eligibility/MinimumAge'],
  'years',
  ({ name, value }) =>
    typeof value === 'number' && value > OLDEST ? `${name} is ${value}` : undefined,
)

/** Numbers of the offices begin with UK, EU or EM, or with a digit. */
const OFFICES: Record<string, RegExp> = { UK: /^E[UM]/, EU: /^UK/ }

valueRule(
  'PROD-70/office',
  'TrademarkIPOCode names the office that TrademarkID belongs to',
  ['Organisation/Brand'],
  'the office of the number',
  ({ value }) => {
    const [id, office] = ['TrademarkID', 'TrademarkIPOCode'].map((name) => member(value, name))
    if (typeof id !== 'string' || !OFFICES[String(office)]?.test(id.trim())) return undefined
    return `the office is ${brief(office)}, and the number ${brief(id)}`
  },
)

/** Not the rates, which may be above a hundred. Texts that are no plain number are not judged. */
valueRule(
  'PROD-68/percentages',
  'MinimumRepaymentPercentage and CashbackPercent are at most 100',
  [`${ITEM}/MinimumRepaymentPercentage`, `${ITEM}/CashbackPercent`],
  'a percentage of 100 or less',
  ({ name, value }) => {
    const [, number] = /^(\d+(?:\.\d+)?) ?%?$/.exec(String(value).trim()) ?? []
    return Number(number ?? 0) > 100 ? `${name} is ${brief(value)}` : undefined
  },
)

/** Rates may be below zero, and so may ExchangeRateAdjustment. Texts that are no plain number are not judged. */
valueRule(
  'PROD-59/amounts',
  'No fee, limit or repayment of a product is negative',
  [
    'AnnualFeeAmount',
    'CashbackPercent',
    'IssuingEmergencyCardsFees',
    'MinimumCreditLimit',
    'MinimumRepaymentAmount',
    'MinimumRepaymentPercentage',
    'NonSterlingTransactionFee',
    'OverLimitFee',
  ].map((name) => `${ITEM}/${name}`),
  'zero or more',
  ({ name, value }) => {
    const [, number] = /^(-\d+(?:\.\d+)?) ?%?$/.exec(String(value).trim()) ?? []
    return Number(number ?? 0) < 0 ? `${name} is ${brief(value)}` : undefined
  },
)

/** A plain number of a rate, without a unit; undefined for any other text, and for 0, which is the same in each unit. */
function plain(value: unknown): number | undefined {
  const number = /^\d+(?:\.\d+)?$/.test(String(value).trim()) ? Number(value) : 0
  return number > 0 ? number : undefined
}

/** Rates that are close to the annual percentage rate of the same product. */
const LIKE_APR = ['PurchaseRate', 'CashAdvanceRate']

/** An annual rate of this and more is a percentage; as a fraction it would be 500 percent. */
const A_PERCENTAGE = 5

/** By how much such a rate differs from the annual percentage rate, if both are in the same unit. */
const [LEAST, MOST] = [0.5, 1.5]

/** The unit of a rate, compared with that of the annual percentage rate; undefined where they are not alike in any. */
function unitOf(item: unknown, name: string): number | undefined {
  const [rate, annual] = [member(item, name), member(item, 'APRRate')].map(plain)
  if (rate === undefined || annual === undefined) return undefined
  return [1, 100, 0.01].find((unit) => {
    const ratio = (rate * unit) / annual
    return ratio > LEAST && ratio < MOST
  })
}

/**
 * Every list. Fails: a rate is in the unit of APRRate at one product, and a hundred times as large or as small at
 * another; or APRRate itself is a fraction at one product, and a percentage at another. One unit for each of the two is lawful: how rates are written is open.
 */
rule(
  'PROD-69/one-unit',
  'A rate has one unit in all products',
  { endpoints: ['products'], unseen: 'no two products have plain rates that are close to APRRate' },
  (exchange) => {
    if (!isList(exchange)) return undefined
    const items = productsOf(exchange).map((each) => member(each, ...ITEM.split('/')))
    const annual = items.map((item) => plain(member(item, 'APRRate')))
    const fraction = annual.findIndex((rate) => rate !== undefined && rate < 1)
    if (fraction >= 0 && annual.some((rate) => rate !== undefined && rate >= A_PERCENTAGE)) {
      const actual = brief(member(items[fraction], 'APRRate'))
      const message = `APRRate is ${actual}, in another unit than at another product`
      const place = `/data/${fraction}/${ITEM}/APRRate`
      return [{ message, expected: 'one unit', actual, place }]
    }
    const units = LIKE_APR.map((name) => ({ name, all: items.map((item) => unitOf(item, name)) }))
    if (units.every(({ all }) => all.filter((unit) => unit !== undefined).length < 2)) {
      return undefined
    }
    return units.flatMap(({ name, all }): Finding[] => {
      const usual = all.find((unit) => unit !== undefined)
      const index = all.findIndex((unit) => unit !== undefined && unit !== usual)
      if (index < 0) return []
      const [actual, apr] = [name, 'APRRate'].map((one) => brief(member(items[index], one)))
      const message = `${name} is ${actual} beside an APRRate of ${apr}, in another unit than before`
      const place = `/data/${index}/${ITEM}/${name}`
      return [{ message, expected: 'one unit', actual: String(actual), place }]
    })
  },
)

/** Every list. JSON does not tell integers from other numbers; clients with types do. */
rule(
  'PROD-73/digits',
  'An integer of the list is written in digits alone',
  { endpoints: ['products'], unseen: 'the list has no integer' },
  (exchange) => (isList(exchange) ? writtenOtherwise(exchange, INTEGERS) : undefined),
)

const INTEGERS = [
  'TotalResults',
  'DaysInterestFreeCreditIfPaymentFull',
  'PaymentDaysAfterStatement',
  'MaximumNumberOfCardsPermitted',
  'MinimumAge',
]
