import { stateOf } from '../../bank/state/state.ts'
import { answers, type Json, partOf, refusals, successes } from '../altering/rewriting.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinOf } from '../run/round-robin.ts'

/** Changes the list of products before it is sent; TotalResults is adapted. */
const listed = (change: (products: Json[]) => Json[]) =>
  successes(['products'], (body) => {
    const data = change(body.data as Json[])
    return { ...body, data, meta: { ...(body.meta as Json), TotalResults: data.length } }
  })

const eachProduct = (change: (product: Json) => Json) => listed((products) => products.map(change))

const OPTIONAL = [
  'AbilityToSetIndividualLimits',
  'BalanceTransferRate',
  'CashbackPercent',
  'MaximumNumberOfCardsPermitted',
  'MinimumRepaymentAmount',
  'MinimumRepaymentPercentage',
  'NonSterlingTransactionFee',
  'OverLimitFee',
]

const without = (value: unknown, names: string[]) =>
  Object.fromEntries(Object.entries(value as Json).filter(([name]) => !names.includes(name)))

/** Adds the reason after the status in the body of an error. */
const withReason = refusals(['products'], (ctx) => {
  const { body, message, status } = ctx
  ctx.body = { ...(body as Json), status: `${status} ${message}`, instance: ctx.path }
  ctx.status = status
})

/** Rules that can only be judged on a product: number of the requirement, names of its rules. */
const OF_A_PRODUCT = {
  12: ['description'],
  13: ['details'],
  14: ['eligibility', 'organisation'],
  15: ['key-features'],
  16: ['other-key-features'],
  17: ['payment-holiday'],
  18: ['product-identifier'],
  19: ['product-name'],
  20: ['product-segment'],
  21: ['consumer-credit-card'],
  22: ['array', 'urls'],
  23: ['array', 'urls'],
  25: ['sub-type'],
  26: ['item'],
  27: ['apr-rate', 'cash-advance-rate', 'exchange-rate-adjustment', 'purchase-rate'],
  28: [
    'account-level',
    'cash-withdrawals',
    'convenience-cheque',
    'online-reporting',
    'personal-level',
  ],
  29: ['annual-fee', 'emergency-cards-fees', 'minimum-credit-limit'],
  30: ['card-scheme'],
  31: ['interest-free-days', 'payment-days'],
  32: ['repayment-frequency'],
  33: ['boolean', 'integer', 'strings'],
  34: ['age-restricted', 'bankruptcy', 'description', 'other-holding', 'residency'],
  35: ['income-related', 'minimum-age'],
  37: ['brand', 'legal-name', 'organisation-name', 'parent', 'trademark-id'],
  38: ['ipo-code'],
}

/** Every must that is judged on a list of products. */
const OF_THE_LIST = [
  'PROD-01/answers-200',
  'PROD-74/one-page',
  'PROD-05/json',
  'PROD-06/data',
  'PROD-06/meta',
  'PROD-08/equals-length',
  'PROD-09/agreement',
  'PROD-09/last-updated',
  'PROD-09/license',
  'PROD-09/terms-of-use',
  'PROD-11/total-results-integer',
  'PROD-42/unknown-resource',
  ...Object.entries(OF_A_PRODUCT).flatMap(([number, names]) =>
    names.map((name) => `PROD-${number}/${name}`),
  ),
]

/** Requires an API key in a header. */
const behindKey: NonNullable<Variant['middleware']> = async (ctx, next) => {
  if (partOf(ctx) !== 'products') return next()
  stateOf(ctx).fired()
  if (ctx.get('x-api-key') === KEY) return next()
  ctx.status = 401
  ctx.body = { description: 'No key.', status: '401', title: 'Unauthorized' }
}

const KEY = 'k-5f0c2a7be3d94416'

const variants: Variant[] = [
  {
    id: 'product-urls-as-browsers-take-them',
    story:
      'ProductURL and TsandCs contain letters with accents, bars and brackets, which the URL Standard accepts. The document does not name a standard for URLs.',
    warns: ['PROD-55/rfc-3986'],
    because: 'RFC 3986, whose URIs every library reads, has them percent-encoded.',
    middleware: eachProduct((product) => ({
      ...product,
      ProductURL: ['https://bank.example/cartes/crédit'],
      TsandCs: ['https://bank.example/terms?cid=int|cards|[1]&d={x}'],
    })),
  },
  {
    id: 'products-behind-a-key',
    story:
      'The product interface needs an API key, which the target has. "Authentication requirements: not shown".',
    middleware: behindKey,
    target: (document) => {
      document.products = { headers: { 'x-api-key': KEY } }
    },
  },
  {
    id: 'products-behind-a-key-that-nobody-gave',
    story:
      'The product interface needs an API key, which the target does not have. "Authentication requirements: not shown".',
    middleware: behindKey,
    blocks: OF_THE_LIST,
    because: 'Without the key no list of products comes; the answer says nothing against the bank.',
  },
  {
    id: 'products-behind-a-certificate',
    story:
      'The product interface needs a transport certificate, which the target names. "Authentication requirements: not shown".',
    settings: { productsMtls: true },
    middleware: answers((ctx) => partOf(ctx) === 'products'),
    target: (document) => {
      document.products = { client: 'first' }
    },
  },
  {
    id: 'products-behind-a-certificate-that-nobody-gave',
    story:
      'The product interface needs a transport certificate, which the target does not name. "Authentication requirements: not shown".',
    settings: { productsMtls: true },
    silent: true,
    blocks: [
      ...OF_THE_LIST,
      ...['json', 'object', 'description', 'status', 'title'].map((name) => `PROD-40/${name}`),
      'PROD-41/equals-http-status',
    ],
    because: 'Without a certificate no list of products comes; that says nothing against the bank.',
  },
  {
    id: 'products-with-the-least',
    story: 'Products have no optional members.',
    middleware: eachProduct((product) => {
      const { ConsumerCreditCardItem: item, ...details } = product.Details as Json
      return {
        ...without(product, ['OtherKeyFeatures', 'ProductSegment']),
        Details: { ...details, ConsumerCreditCardItem: without(item, OPTIONAL) },
        Eligibility: without(product.Eligibility, ['IncomeRelated', 'MinimumAge']),
      }
    }),
  },
  {
    id: 'one-product',
    story: 'The product list has one product.',
    middleware: listed((products) => products.slice(0, 1)),
  },
  {
    id: 'no-product',
    story:
      'The "complete list of current products" is empty, because the bank accepts no new customers.',
    middleware: listed(() => []),
    blocks: Object.entries(OF_A_PRODUCT).flatMap(([number, names]) =>
      names.map((name) => `PROD-${number}/${name}`),
    ),
    because: 'Without a product none of its members can be judged.',
  },
  {
    id: 'no-product-is-live',
    story:
      'ProductURL and TsandCs are empty arrays, because no product is live. "URLs redirecting to the product, on live products only".',
    middleware: eachProduct((product) => ({ ...product, ProductURL: [], TsandCs: [] })),
    blocks: ['PROD-22/urls', 'PROD-23/urls'],
    because: 'Without a URL none can be judged.',
  },
  {
    id: 'addresses-of-withdrawn-products-are-blank',
    story:
      'ProductURL and TsandCs of a product that is not live contain an empty string. What they contain then is not said.',
    middleware: listed(([first, ...rest]) => [
      { ...first, ProductURL: [''], TsandCs: [''] },
      ...rest,
    ]),
  },
  {
    id: 'addresses-of-all-products-are-blank',
    story:
      'ProductURL and TsandCs of all products contain an empty string, because no product is live. What they contain then is not said.',
    middleware: eachProduct((product) => ({ ...product, ProductURL: [''], TsandCs: [''] })),
  },
  {
    id: 'products-for-any-accept',
    story:
      'The product interface returns JSON whatever the Accept header says. What other headers get is not shown.',
    async middleware(ctx, next) {
      if (partOf(ctx) === 'products' && !/json|\*/.test(ctx.get('accept') || '*')) {
        ctx.req.headers.accept = 'application/json'
        ctx.state.fired()
      }
      await next()
    },
  },
  {
    id: 'products-in-other-words',
    story:
      'Products share a URL, have several or none. Rates and amounts are written in different ways, and LastUpdated is "4 November 2024". "Several products may share one URL", and these formats are not said.',
    middleware: successes(['products'], (body) => ({
      data: (body.data as Json[]).map(described),
      meta: { ...(body.meta as Json), LastUpdated: '4 November 2024' },
    })),
  },
  {
    id: 'products-at-the-edge',
    story:
      'Products have extreme values: rates above 100, a minimum payment of 100%, MinimumAge 0 and one cardholder. How rates are written is not said.',
    middleware: eachProduct((product) => {
      const details = product.Details as Json
      const item = {
        ...(details.ConsumerCreditCardItem as Json),
        APRRate: '1299.9',
        PurchaseRate: '250%',
        MinimumRepaymentPercentage: '100%',
        CashbackPercent: 'up to 500 points',
        MaximumNumberOfCardsPermitted: 1,
      }
      return {
        ...product,
        Details: { ...details, ConsumerCreditCardItem: item },
        Eligibility: { ...(product.Eligibility as Json), MinimumAge: 0 },
        ProductURL: ['https://karten.bank.example/', 'https://xn--bnk-qla.example/'],
      }
    }),
  },
  {
    id: 'list-of-products-with-links',
    story: 'The product response also has links and TotalPages, which name no next page.',
    middleware: successes(['products'], (body, ctx) => ({
      ...body,
      links: { self: ctx.href, next: null, last: ctx.href },
      meta: { ...(body.meta as Json), TotalPages: 1 },
    })),
  },
  {
    id: 'one-product-for-two-groups',
    story:
      'One product is listed twice, for two groups of customers with different Eligibility. How Eligibility says “or” is not shown.',
    middleware: listed(([first, ...rest]) => {
      const holders = { ...(first?.Eligibility as Json), OtherFinancialHoldingRequired: true }
      return [first ?? {}, { ...first, Eligibility: holders }, ...rest]
    }),
  },
  {
    id: 'links-of-an-application-beside-addresses',
    story: 'ProductURL also contains a link that opens an app. "URLs redirecting to the product".',
    middleware: eachProduct(({ ProductURL, ...product }) => ({
      ...product,
      ProductURL: [...(ProductURL as string[]), 'mybank://cards/gold'],
    })),
  },
  {
    id: 'lists-taken-over-now-and-then',
    story:
      'LastUpdated differs between two servers: each shows when it last loaded the list, once a minute. "When the product information was last updated".',
    middleware: successes(['products'], (body) => {
      const behind = takenOver()
      const at = Math.floor((Date.now() - behind) / 60_000) * 60_000 + behind
      return { ...body, meta: { ...(body.meta as Json), LastUpdated: new Date(at).toISOString() } }
    }),
  },
  {
    id: 'server-refuses-a-get-with-a-body',
    story:
      'The web server refuses a GET with a body and answers with its own HTML page. Such a request is not part of the interface.',
    async middleware(ctx, next) {
      if (partOf(ctx) !== 'products' || ctx.method !== 'GET' || !stateOf(ctx).body) return next()
      ctx.status = 403
      ctx.type = 'text/html'
      ctx.body = '<html><body>Bad request</body></html>'
      return stateOf(ctx).fired()
    },
  },
  {
    id: 'one-product-sold-in-two-ways',
    story:
      'One ProductIdentifier is listed several times, with different CCSubType or rates. MinimumAge is 18 and AgeRestricted false, because the law requires 18. The document does not say that an identifier is listed once.',
    middleware: successes(['products'], (body) => {
      const [first, ...rest] = body.data as Json[]
      const details = first?.Details as Json
      const again = { ...first, Details: { ...details, CCSubType: 'FutureMultipleTerms' } }
      const eligibility = first?.Eligibility as Json
      const adults = { ...eligibility, MinimumAge: 18, AgeRestricted: false }
      const item = { ...(details.ConsumerCreditCardItem as Json), APRRate: '39.9' }
      const dearer = { ...first, Details: { ...details, ConsumerCreditCardItem: item } }
      const data = [{ ...first, Eligibility: adults }, again, dearer, ...rest]
      return { data, meta: { ...(body.meta as Json), TotalResults: data.length } }
    }),
  },
  {
    id: 'rates-as-fractions',
    story:
      'APRRate is a percentage and the other rates are fractions of 1. How rates are written is not said.',
    middleware: listed((products) =>
      products.map((product, place) => {
        const details = product.Details as Json
        const item = {
          ...(details.ConsumerCreditCardItem as Json),
          PurchaseRate: place === 0 ? '0' : '0.2493',
          CashAdvanceRate: '0.2794',
        }
        return { ...product, Details: { ...details, ConsumerCreditCardItem: item } }
      }),
    ),
  },
  {
    id: 'product-errors-with-reason',
    story:
      'status in the error body has a text after the code. A path that is not a valid URI gets 400 in HTML from the web server.',
    async middleware(ctx, next) {
      if (!ctx.path.includes('%zz')) return withReason(ctx, next)
      ctx.status = 400
      ctx.type = 'html'
      ctx.body = '<html><h1>400 Bad Request</h1></html>'
      stateOf(ctx).fired()
    },
  },
  {
    id: 'product-errors-as-problems',
    story: 'Product errors have Content-Type application/problem+json (RFC 9457), which is JSON.',
    async middleware(ctx, next) {
      await next()
      if (partOf(ctx) !== 'products' || ctx.status < 400) return
      ctx.set('content-type', 'application/problem+json; charset=utf-8')
      stateOf(ctx).fired()
    },
  },
  {
    id: 'products-loaded-at-several-times',
    story:
      'LastUpdated differs between three servers: each shows when it loaded the list. "When the product information was last updated".',
    middleware: successes(['products'], (body) => ({
      ...body,
      meta: { ...(body.meta as Json), LastUpdated: loadedAt() },
    })),
  },
]

/** By how many milliseconds the second of two servers is behind. */
const takenOver = roundRobin([0, 20_000])

const loadedAt = roundRobin([
  '2023-03-02T06:00:07Z',
  '2023-03-01T06:00:04Z',
  '2023-03-02T06:00:05Z',
])

/** Describes products and the list in different ways, one after the other. */
const described = roundRobinOf<[Json, number], Json>(
  (product) => ({
    ...product,
    ProductURL: ['https://bank.example/cards', 'https://bank.example/cards#compare'],
    TsandCs: ['https://bank.example/terms.pdf'],
  }),
  (product, place) => (place === 0 ? { ...product, ProductURL: [], TsandCs: [] } : product),
  (product) => {
    const details = product.Details as Json
    const item = {
      ...(details.ConsumerCreditCardItem as Json),
      APRRate: '24.9% APR (variable)',
      AnnualFeeAmount: '£0',
      IssuingEmergencyCardsFees: 'none',
      CashAdvanceRate: '-0.5',
      ExchangeRateAdjustment: '-0.25',
      OverLimitFee: '-',
      NonSterlingTransactionFee: '-0.00',
    }
    return { ...product, Details: { ...details, ConsumerCreditCardItem: item } }
  },
)

export default variants
