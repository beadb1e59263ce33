import { brief, type Exchange, leadsInside, member } from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
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
  'The URLs of a product do not lead to where only the bank comes',
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

/** Not the rates, which may be above a hundred. Texts that are no plain number are not judged. */
valueRule(
  'PROD-68/percentages',
  'What is paid of a balance, or paid back, is a hundred per cent at most',
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
