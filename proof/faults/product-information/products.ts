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
    story: 'The content network says gzip of what it has unpacked for its own filters.',
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
    story: 'The list is that of the open data interface: data, Brand, CCC.',
    fails: ['PROD-06/data'],
    middleware: successes(['products'], (body) => ({
      ...body,
      data: [{ Brand: [{ BrandName: 'Assay', CCC: body.data }] }],
    })),
  },
  {
    id: 'products-in-latin-1',
    story: 'The list is exported by a tool of the marketing department that knows no UTF-8.',
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
    story: 'One of two instances behind the balancer shows the rates of last month.',
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
    story: 'The list comes out of a cache that serves ranges.',
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
    story: 'A guard against JSON hijacking puts characters before the body.',
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
    story: 'The list is a file on a web server that does not know its extension.',
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
    story: 'A product has the name of its brand and its own, under one name.',
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
    story: 'One of two instances behind the balancer missed the last release of the list.',
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
    story: 'The total is that of the table, the list leaves out what is not sold any more.',
    fails: ['PROD-08/equals-length'],
    middleware: meta((_, data) => ({ TotalResults: data.length + 1 })),
  },
  {
    id: 'last-updated-is-valid-until',
    story: 'The field holds the day until which the list is valid.',
    fails: [],
    warns: ['PROD-10/not-in-future'],
    middleware: meta(() => ({ LastUpdated: `${new Date().getUTCFullYear() + 2}-01-31` })),
  },
  {
    id: 'identifier-of-the-family',
    story: 'The third card is a variant of the second, and has its identifier.',
    fails: [],
    warns: ['PROD-53/unique'],
    policies: product(2, (each) => ({ ...each, ProductIdentifier: 'ARB-CC-EVERYDAY' })),
  },
  {
    id: 'unknown-fee-is-empty',
    story: 'A fee that nobody entered is an empty string.',
    fails: [],
    warns: ['PROD-49/not-empty'],
    policies: product(1, (each) => item(each, { IssuingEmergencyCardsFees: '' })),
  },
  {
    id: 'absent-cashback-is-null',
    story: 'The serializer writes null for what a card does not have.',
    fails: [],
    warns: ['PROD-54/no-null'],
    policies: product(0, (each) => item(each, { CashbackPercent: null })),
  },
  {
    id: 'cashback-is-a-number',
    story: 'Percentages are numbers in the product catalogue, and this one is passed on.',
    fails: ['PROD-33/strings'],
    policies: product(0, (each) => item(each, { CashbackPercent: 0.5 })),
  },
  {
    id: 'terms-with-a-blank',
    story: 'Somebody pasted the address of a file whose name has blanks.',
    fails: [],
    warns: ['PROD-55/rfc-3986'],
    policies: product(1, (each) => ({
      ...each,
      TsandCs: ['https://bank.example/terms and conditions.pdf'],
    })),
  },
  {
    id: 'terms-without-a-scheme',
    story: 'The address is written as on the back of the card.',
    fails: ['PROD-23/urls'],
    policies: product(2, (each) => ({ ...each, TsandCs: ['www.bank.example/terms'] })),
  },
  {
    id: 'last-updated-is-now',
    story: 'The list is composed for each request, and that is when it was updated.',
    fails: [],
    warns: ['PROD-60/last-updated'],
    middleware: meta((given) => ({ ...given, LastUpdated: new Date().toISOString() })),
  },
  {
    id: 'unknown-days-are-minus-one',
    story: 'The ledger of products writes -1 where it knows no number of days.',
    fails: [],
    warns: ['PROD-59/not-negative'],
    middleware: items((item) => ({ ...item, PaymentDaysAfterStatement: -1 })),
  },
  {
    id: 'pounds-in-windows-1252',
    story: 'The content system keeps UTF-8, and the export reads windows-1252.',
    fails: [],
    warns: ['PROD-58/misread'],
    middleware: items((item) => ({ ...item, OverLimitFee: 'Â£12 each time' })),
  },
  {
    id: 'minimum-age-without-restriction',
    story: 'The flag says whether there is a highest age; the lowest has a field of its own.',
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
    story: 'A rate that nobody has set becomes a text.',
    fails: [],
    warns: ['PROD-58/placeholders'],
    middleware: items((item) => ({ ...item, CashAdvanceRate: 'null' })),
  },
  {
    id: 'last-updated-of-any-product',
    story: 'The date is that of the product which the database happens to give first.',
    fails: [],
    warns: ['PROD-63/never-back'],
    middleware: successes(['products'], (body) => ({
      ...body,
      meta: { ...(body.meta as Json), LastUpdated: editedAt()() },
    })),
  },
  {
    id: 'last-updated-in-1970',
    story: 'The import does not set the date.',
    fails: [],
    warns: ['PROD-64/of-a-time'],
    middleware: successes(['products'], (body) => ({
      ...body,
      meta: { ...(body.meta as Json), LastUpdated: '1970-01-01T00:00:00Z' },
    })),
  },
  {
    id: 'last-updated-is-no-date',
    story: 'The import does not set the date, and the page formats what is not there.',
    fails: [],
    warns: ['PROD-58/placeholders'],
    middleware: meta(() => ({ LastUpdated: 'Invalid Date' })),
  },
  {
    id: 'last-updated-in-the-year-0',
    story: 'The column of the database has zeros where no date was set.',
    fails: [],
    warns: ['PROD-64/of-a-time'],
    middleware: meta(() => ({ LastUpdated: '0000-00-00 00:00:00' })),
  },
  {
    id: 'rate-of-a-broken-spreadsheet',
    story:
      'The products are read from a spreadsheet, in which a formula refers to a row that is gone.',
    fails: [],
    warns: ['PROD-58/placeholders'],
    policies: product(1, (each) => item(each, { APRRate: '#REF!' })),
  },
  {
    id: 'name-of-a-template',
    story: 'The newest product is one that the template does not know.',
    fails: [],
    warns: ['PROD-58/placeholders'],
    policies: product(2, (each) => ({ ...each, ProductName: 'The {{card.name}} Card' })),
  },
  {
    id: 'address-of-undefined',
    story: 'The address of a product is made of its slug, which the newest product does not have.',
    fails: [],
    warns: ['PROD-58/placeholders'],
    policies: product(2, (each) => ({
      ...each,
      ProductURL: ['https://bank.example/cards/undefined'],
    })),
  },
  {
    id: 'products-page-by-page',
    story: 'The framework makes pages of each list, and names the next one.',
    fails: ['PROD-74/one-page'],
    middleware: successes(['products'], (body, ctx) => {
      const data = (body.data as Json[]).slice(0, 2)
      const links = { self: ctx.href, next: `${ctx.href}?page=2` }
      return { data, links, meta: { ...(body.meta as Json), TotalResults: data.length } }
    }),
  },
  {
    id: 'next-products-in-a-header',
    story: 'The same, by a header of the gateway.',
    fails: ['PROD-74/one-page'],
    middleware: successes(['products'], (body, ctx) => {
      ctx.set('Link', `<${ctx.href}?page=2>; rel="next"`)
      return body
    }),
  },
  {
    id: 'terms-of-the-office',
    story: 'The address of the terms was copied in the office, whose names end in corp.',
    fails: [],
    warns: ['PROD-66/outside'],
    policies: product(1, (each) => ({ ...each, TsandCs: ['https://cms.cards.corp/terms/7'] })),
  },
  {
    id: 'terms-on-the-intranet',
    story: 'The address of the terms is that of the content system, where its author saw them.',
    fails: [],
    warns: ['PROD-66/outside'],
    policies: product(1, (each) => ({ ...each, TsandCs: ['https://cms.cards.internal/terms/7'] })),
  },
  {
    id: 'any-number-of-cards-is-none',
    story: 'The product system has 0 for an account without a limit of cards.',
    fails: [],
    warns: ['PROD-67/cards'],
    policies: product(1, (each) => item(each, { MaximumNumberOfCardsPermitted: 0 })),
  },
  {
    id: 'minimum-age-in-months',
    story: 'The rules of the scoring count months.',
    fails: [],
    warns: ['PROD-67/age'],
    policies: product(2, (each) => ({
      ...each,
      Eligibility: { ...(each.Eligibility as Json), MinimumAge: 252 },
    })),
  },
  {
    id: 'repayment-in-basis-points',
    story: 'Percentages are kept as whole numbers of their hundredth part.',
    fails: [],
    warns: ['PROD-68/percentages'],
    policies: product(1, (each) => item(each, { MinimumRepaymentPercentage: '250' })),
  },
  {
    id: 'rates-of-one-product-are-fractions',
    story: 'The newest product was entered with its rates as the ledger computes with them.',
    fails: [],
    warns: ['PROD-69/one-unit'],
    policies: product(2, (each) => item(each, { PurchaseRate: '0.2493' })),
  },
  {
    id: 'all-rates-of-one-product-are-fractions',
    story: 'The same with every rate of the product.',
    fails: [],
    warns: ['PROD-69/one-unit'],
    policies: product(2, (each) =>
      item(each, { APRRate: '0.249', PurchaseRate: '0.2493', CashAdvanceRate: '0.2794' }),
    ),
  },
  {
    id: 'trademarks-of-the-other-office',
    story: 'The office is the default of the form, in which only the number was entered.',
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
    story: 'The product system has -1 where a product has no such fee.',
    fails: [],
    warns: ['PROD-59/amounts'],
    policies: product(1, (each) => item(each, { OverLimitFee: '-1' })),
  },
  {
    id: 'cashback-in-small-letters',
    story: 'The name of the member was typed, and nothing misses a member that may be absent.',
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
    story: 'The days are a column of the spreadsheet, in which each number has a fraction.',
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
    story: 'A rate that is not there is divided by a hundred, and written.',
    fails: [],
    warns: ['PROD-65/filled-in'],
    middleware: items((item) => ({ ...item, CashAdvanceRate: 'NaN%' })),
  },
]
export default faults
