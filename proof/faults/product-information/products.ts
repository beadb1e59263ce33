import type { Context, Next } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import { forCompressing } from '../../altering/compressing.ts'
import { giveBytes, giveChanged, giveLatin1 } from '../../altering/raw-body.ts'
import { answers, type Json, partOf, successes } from '../../altering/rewriting.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'
import { roundRobin } from '../../run/round-robin.ts'

/** Changes one product, by its position in the list. */
function product(place: number, change: (product: Json) => Json): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    productsView(products, meta) {
      fired()
      const list = products.map((each, index) => (index === place ? change(each) : each))
      return correct.productsView(list, meta)
    },
  })
}

/** Changes the item of each product. */
const items = (change: (item: Json) => Json) =>
  successes(['products'], (body) => ({
    ...body,
    data: (body.data as Json[]).map((each) => {
      const details = each.Details as Json
      const item = change(details.ConsumerCreditCardItem as Json)
      return { ...each, Details: { ...details, ConsumerCreditCardItem: item } }
    }),
  }))

/** Changes the meta of the answer. */
const meta = (change: (meta: Json, data: unknown[]) => Json) =>
  successes(['products'], (body) => ({
    ...body,
    meta: { ...(body.meta as Json), ...change(body.meta as Json, body.data as unknown[]) },
  }))

const item = (each: Json, change: Json): Json => {
  const details = each.Details as Json
  const inner = { ...(details.ConsumerCreditCardItem as Json), ...change }
  return { ...each, Details: { ...details, ConsumerCreditCardItem: inner } }
}

const ratesAsked = ofEachBank(() => ({ count: 0 }))
const withOldRate = (each: Json) => item(each, { APRRate: '19.9' })

/** When the products were edited. */
const editedAt = ofEachBank(() =>
  roundRobin([
    '2023-03-06T06:00:00Z',
    '2023-03-02T06:00:00Z',
    '2023-03-04T06:00:00Z',
    '2023-03-01T06:00:00Z',
    '2023-03-05T06:00:00Z',
    '2023-03-03T06:00:00Z',
  ]),
)

const faults: Fault[] = [
  {
    id: 'products-said-to-be-compressed',
    story: 'The product response has Content-Encoding gzip but is not compressed.',
    fails: [],
    warns: ['PROD-57/compressed'],
    middleware: forCompressing(
      (path) => path.endsWith('/consumer-credit-cards'),
      (ctx, bytes) => {
        giveBytes(ctx, bytes)
        ctx.set('content-encoding', 'gzip')
      },
    ),
  },
  {
    id: 'products-nested-as-in-open-data',
    story: 'The product response has the structure of the open data interface: data, Brand, CCC.',
    fails: ['PROD-06/data'],
    middleware: successes(['products'], (body) => ({
      ...body,
      data: [{ Brand: [{ BrandName: 'Assay', CCC: body.data }] }],
    })),
  },
  {
    id: 'products-in-latin-1',
    story: 'The product response is in ISO 8859-1 instead of UTF-8.',
    fails: ['PROD-05/json'],
    policies: product(1, (each) => ({
      ...each,
      ProductDescription: 'A card for cafés and cinemas.',
    })),
    async middleware(ctx, next) {
      await next()
      if (ctx.status === 200 && partOf(ctx) === 'products') giveLatin1(ctx)
    },
  },
  {
    id: 'product-rates-of-two-instances',
    story:
      'Every second product response shows old rates, because one of two servers is not up to date.',
    fails: [],
    warns: ['PROD-52/second-read'],
    middleware: successes(['products'], (body) => {
      const turns = ratesAsked()
      turns.count += 1
      if (turns.count % 2 === 0) return undefined
      return { ...body, data: (body.data as Json[]).map(withOldRate) }
    }),
  },
  {
    id: 'products-answer-206',
    story: 'The product response has status 206 instead of 200.',
    fails: ['PROD-01/answers-200'],
    async middleware(ctx: Context, next: Next) {
      await next()
      if (partOf(ctx) !== 'products' || ctx.status !== 200) return
      ctx.status = 206
      stateOf(ctx).fired()
    },
  },
  {
    id: 'products-behind-a-prefix',
    story:
      "The body of the product response begins with )]}', a protection against JSON hijacking, so it is not JSON.",
    fails: ['PROD-05/json'],
    async middleware(ctx: Context, next: Next) {
      await next()
      if (partOf(ctx) !== 'products' || ctx.status !== 200) return
      ctx.body = `)]}',\n${JSON.stringify(ctx.body)}`
      ctx.type = 'application/json'
      stateOf(ctx).fired()
    },
  },
  {
    id: 'products-as-text',
    story: 'The product response has Content-Type text/plain instead of JSON.',
    fails: [],
    warns: ['PROD-51/media-type'],
    async middleware(ctx: Context, next: Next) {
      await next()
      if (partOf(ctx) !== 'products' || ctx.status !== 200) return
      ctx.body = JSON.stringify(ctx.body)
      ctx.type = 'text/plain'
      stateOf(ctx).fired()
    },
  },
  {
    id: 'product-name-twice',
    story: 'A product has two members ProductName with different values.',
    fails: [],
    warns: ['PROD-56/unique-names'],
    middleware: answers(
      (ctx) =>
        partOf(ctx) === 'products' &&
        giveChanged(ctx, (text) =>
          text.replace('"ProductName":', '"ProductName":"Cards","ProductName":'),
        ),
    ),
  },
  {
    id: 'products-of-two-instances',
    story:
      'Every second product response lacks the last product, because one of two servers is not up to date.',
    fails: [],
    warns: ['PROD-52/second-read'],
    policies: (correct, { fired }) => {
      let reads = 0
      return {
        productsView(products, about) {
          reads += 1
          if (reads % 2 === 1) return correct.productsView(products, about)
          fired()
          return correct.productsView(products.slice(0, -1), about)
        },
      }
    },
  },
  {
    id: 'total-counts-retired-products',
    story:
      'TotalResults is higher than the number of products, because it counts products that are no longer sold.',
    fails: ['PROD-08/equals-length'],
    middleware: meta((_, data) => ({ TotalResults: data.length + 1 })),
  },
  {
    id: 'last-updated-is-valid-until',
    story: 'LastUpdated is in the future: it is the day until which the list is valid.',
    fails: [],
    warns: ['PROD-10/not-in-future'],
    middleware: meta(() => ({ LastUpdated: `${new Date().getUTCFullYear() + 2}-01-31` })),
  },
  {
    id: 'identifier-of-the-family',
    story: 'Two products have the same ProductIdentifier, because one is a variant of the other.',
    fails: [],
    warns: ['PROD-53/unique'],
    policies: product(2, (each) => ({ ...each, ProductIdentifier: 'ARB-CC-EVERYDAY' })),
  },
  {
    id: 'unknown-fee-is-empty',
    story: 'A fee is an empty string.',
    fails: [],
    warns: ['PROD-49/not-empty'],
    policies: product(1, (each) => item(each, { IssuingEmergencyCardsFees: '' })),
  },
  {
    id: 'absent-cashback-is-null',
    story: 'CashbackPercent is null instead of absent.',
    fails: [],
    warns: ['PROD-54/no-null'],
    policies: product(0, (each) => item(each, { CashbackPercent: null })),
  },
  {
    id: 'cashback-is-a-number',
    story: 'CashbackPercent is a number instead of a string.',
    fails: ['PROD-33/strings'],
    policies: product(0, (each) => item(each, { CashbackPercent: 0.5 })),
  },
  {
    id: 'terms-with-a-blank',
    story: 'A URL in TsandCs contains spaces.',
    fails: [],
    warns: ['PROD-55/rfc-3986'],
    policies: product(1, (each) => ({
      ...each,
      TsandCs: ['https://bank.example/terms and conditions.pdf'],
    })),
  },
  {
    id: 'terms-without-a-scheme',
    story: 'A URL in TsandCs has no scheme (https:).',
    fails: ['PROD-23/urls'],
    policies: product(2, (each) => ({ ...each, TsandCs: ['www.bank.example/terms'] })),
  },
  {
    id: 'last-updated-is-now',
    story: 'LastUpdated is the time of each request.',
    fails: [],
    warns: ['PROD-60/last-updated'],
    middleware: meta((given) => ({ ...given, LastUpdated: new Date().toISOString() })),
  },
  {
    id: 'unknown-days-are-minus-one',
    story: 'PaymentDaysAfterStatement is -1, the value for unknown.',
    fails: [],
    warns: ['PROD-59/not-negative'],
    middleware: items((item) => ({ ...item, PaymentDaysAfterStatement: -1 })),
  },
  {
    id: 'pounds-in-windows-1252',
    story:
      'OverLimitFee has wrong characters (Â£ instead of £). The text is UTF-8 and is read as windows-1252.',
    fails: [],
    warns: ['PROD-58/misread'],
    middleware: items((item) => ({ ...item, OverLimitFee: 'Â£12 each time' })),
  },
  {
    id: 'minimum-age-without-restriction',
    story: 'AgeRestricted is false, although MinimumAge is 21.',
    fails: [],
    warns: ['PROD-61/age'],
    middleware: successes(['products'], (body) => ({
      ...body,
      data: (body.data as Json[]).map((each) => ({
        ...each,
        Eligibility: { ...(each.Eligibility as Json), AgeRestricted: false, MinimumAge: 21 },
      })),
    })),
  },
  {
    id: 'rates-say-null',
    story: 'CashAdvanceRate is the text "null".',
    fails: [],
    warns: ['PROD-58/placeholders'],
    middleware: items((item) => ({ ...item, CashAdvanceRate: 'null' })),
  },
  {
    id: 'last-updated-of-any-product',
    story:
      'LastUpdated goes back between requests, because it is the date of whichever product the database returns first.',
    fails: [],
    warns: ['PROD-63/never-back'],
    middleware: successes(['products'], (body) => ({
      ...body,
      meta: { ...(body.meta as Json), LastUpdated: editedAt()() },
    })),
  },
  {
    id: 'last-updated-in-1970',
    story: 'LastUpdated is 1970-01-01, because it is never set.',
    fails: [],
    warns: ['PROD-64/of-a-time'],
    middleware: successes(['products'], (body) => ({
      ...body,
      meta: { ...(body.meta as Json), LastUpdated: '1970-01-01T00:00:00Z' },
    })),
  },
  {
    id: 'last-updated-is-no-date',
    story: 'LastUpdated is the text "Invalid Date".',
    fails: [],
    warns: ['PROD-58/placeholders'],
    middleware: meta(() => ({ LastUpdated: 'Invalid Date' })),
  },
  {
    id: 'last-updated-in-the-year-0',
    story: 'LastUpdated is 0000-00-00, the database value for no date.',
    fails: [],
    warns: ['PROD-64/of-a-time'],
    middleware: meta(() => ({ LastUpdated: '0000-00-00 00:00:00' })),
  },
  {
    id: 'rate-of-a-broken-spreadsheet',
    story: 'A rate is the error text of a spreadsheet formula.',
    fails: [],
    warns: ['PROD-58/placeholders'],
    policies: product(1, (each) => item(each, { APRRate: '#REF!' })),
  },
  {
    id: 'name-of-a-template',
    story: 'A product name is an unfilled placeholder of a template.',
    fails: [],
    warns: ['PROD-58/placeholders'],
    policies: product(2, (each) => ({ ...each, ProductName: 'The {{card.name}} Card' })),
  },
  {
    id: 'address-of-undefined',
    story: 'A ProductURL ends with "undefined".',
    fails: [],
    warns: ['PROD-58/placeholders'],
    policies: product(2, (each) => ({
      ...each,
      ProductURL: ['https://bank.example/cards/undefined'],
    })),
  },
  {
    id: 'products-page-by-page',
    story: 'The product response has only the first two products and a link to a next page.',
    fails: ['PROD-74/one-page'],
    middleware: successes(['products'], (body, ctx) => {
      const data = (body.data as Json[]).slice(0, 2)
      const links = { self: ctx.href, next: `${ctx.href}?page=2` }
      return { data, links, meta: { ...(body.meta as Json), TotalResults: data.length } }
    }),
  },
  {
    id: 'next-products-in-a-header',
    story: 'The product response has a Link header with a next page.',
    fails: ['PROD-74/one-page'],
    middleware: successes(['products'], (body, ctx) => {
      ctx.set('Link', `<${ctx.href}?page=2>; rel="next"`)
      return body
    }),
  },
  {
    id: 'terms-of-the-office',
    story: 'A URL in TsandCs has an internal host name that ends with corp.',
    fails: [],
    warns: ['PROD-66/outside'],
    policies: product(1, (each) => ({ ...each, TsandCs: ['https://cms.cards.corp/terms/7'] })),
  },
  {
    id: 'terms-on-the-intranet',
    story: 'A URL in TsandCs is an internal address of the content system.',
    fails: [],
    warns: ['PROD-66/outside'],
    policies: product(1, (each) => ({ ...each, TsandCs: ['https://cms.cards.internal/terms/7'] })),
  },
  {
    id: 'any-number-of-cards-is-none',
    story: "MaximumNumberOfCardsPermitted is 0, the product system's value for no limit.",
    fails: [],
    warns: ['PROD-67/cards'],
    policies: product(1, (each) => item(each, { MaximumNumberOfCardsPermitted: 0 })),
  },
  {
    id: 'minimum-age-in-months',
    story: 'MinimumAge is in months instead of years.',
    fails: [],
    warns: ['PROD-67/age'],
    policies: product(2, (each) => ({
      ...each,
      Eligibility: { ...(each.Eligibility as Json), MinimumAge: 252 },
    })),
  },
  {
    id: 'repayment-in-basis-points',
    story: 'MinimumRepaymentPercentage is in hundredths of a percent.',
    fails: [],
    warns: ['PROD-68/percentages'],
    policies: product(1, (each) => item(each, { MinimumRepaymentPercentage: '250' })),
  },
  {
    id: 'rates-of-one-product-are-fractions',
    story: 'A rate of one product is a fraction (0.249) instead of a percentage.',
    fails: [],
    warns: ['PROD-69/one-unit'],
    policies: product(2, (each) => item(each, { PurchaseRate: '0.2493' })),
  },
  {
    id: 'all-rates-of-one-product-are-fractions',
    story: 'All rates of one product are fractions (0.249) instead of percentages.',
    fails: [],
    warns: ['PROD-69/one-unit'],
    policies: product(2, (each) =>
      item(each, { APRRate: '0.249', PurchaseRate: '0.2493', CashAdvanceRate: '0.2794' }),
    ),
  },
  {
    id: 'trademarks-of-the-other-office',
    story: 'TrademarkIPOCode is EU for a trademark number of the UK office.',
    fails: [],
    warns: ['PROD-70/office'],
    policies: product(0, (each) => {
      const organisation = each.Organisation as Json
      const brand = { ...(organisation.Brand as Json), TrademarkIPOCode: 'EU' }
      return { ...each, Organisation: { ...organisation, Brand: brand } }
    }),
  },
  {
    id: 'no-over-limit-fee-is-minus-one',
    story: "OverLimitFee is -1, the product system's value for no fee.",
    fails: [],
    warns: ['PROD-59/amounts'],
    policies: product(1, (each) => item(each, { OverLimitFee: '-1' })),
  },
  {
    id: 'cashback-in-small-letters',
    story: 'The member CashbackPercent is spelled cashbackPercent.',
    fails: [],
    warns: ['PROD-71/spelled'],
    policies: product(2, (each) => {
      const details = each.Details as Json
      const { CashbackPercent: cashbackPercent, ...others } = details.ConsumerCreditCardItem as Json
      const inner = { ...others, cashbackPercent }
      return { ...each, Details: { ...details, ConsumerCreditCardItem: inner } }
    }),
  },
  {
    id: 'days-with-a-fraction',
    story: 'PaymentDaysAfterStatement is written with a fraction (14.0).',
    fails: [],
    warns: ['PROD-73/digits'],
    middleware: answers(
      (ctx) =>
        partOf(ctx) === 'products' &&
        giveChanged(ctx, (text) =>
          text.replace(/"(PaymentDaysAfterStatement)":(\d+)(?=[,}])/g, '"$1":$2.0'),
        ),
    ),
  },
  {
    id: 'rates-of-no-number',
    story: 'CashAdvanceRate is "NaN%", because a missing rate is used in a calculation.',
    fails: [],
    warns: ['PROD-65/filled-in'],
    middleware: items((item) => ({ ...item, CashAdvanceRate: 'NaN%' })),
  },
]
export default faults
