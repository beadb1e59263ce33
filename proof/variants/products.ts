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
      'ProductURL and TsandCs are URLs, and no sentence says of which standard: characters of any script, bars and brackets, as the URL Standard takes them.',
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
      '"Authentication requirements: not shown": the gateway asks for a key, which the target gives.',
    middleware: behindKey,
    target: (document) => {
      document.products = { headers: { 'x-api-key': KEY } }
    },
  },
  {
    id: 'products-behind-a-key-that-nobody-gave',
    story: '"Authentication requirements: not shown": the gateway asks for a key.',
    middleware: behindKey,
    blocks: OF_THE_LIST,
    because: 'Without the key no list of products comes; the answer says nothing against the bank.',
  },
  {
    id: 'products-behind-a-certificate',
    story:
      '"Authentication requirements: not shown": the interface asks for a transport certificate, which the target names.',
    settings: { productsMtls: true },
    middleware: answers((ctx) => partOf(ctx) === 'products'),
    target: (document) => {
      document.products = { client: 'first' }
    },
  },
  {
    id: 'products-behind-a-certificate-that-nobody-gave',
    story:
      '"Authentication requirements: not shown": the interface asks for a transport certificate in the handshake.',
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
    story: 'Every member that is not required is absent.',
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
    story: 'The bank has one current card.',
    middleware: listed((products) => products.slice(0, 1)),
  },
  {
    id: 'no-product',
    story:
      'The "complete list of current products" of a bank that takes no new customers is empty.',
    middleware: listed(() => []),
    blocks: Object.entries(OF_A_PRODUCT).flatMap(([number, names]) =>
      names.map((name) => `PROD-${number}/${name}`),
    ),
    because: 'Without a product none of its members can be judged.',
  },
  {
    id: 'no-product-is-live',
    story:
      '"URLs redirecting to the product, on live products only": of a list in which none is live, each array is empty.',
    middleware: eachProduct((product) => ({ ...product, ProductURL: [], TsandCs: [] })),
    blocks: ['PROD-22/urls', 'PROD-23/urls'],
    because: 'Without a URL none can be judged.',
  },
  {
    id: 'addresses-of-withdrawn-products-are-blank',
    story:
      'What the arrays of a product hold that is not live is not said: an empty text, as the product catalogue has it.',
    middleware: listed(([first, ...rest]) => [
      { ...first, ProductURL: [''], TsandCs: [''] },
      ...rest,
    ]),
  },
  {
    id: 'addresses-of-all-products-are-blank',
    story: 'The same of a list in which no product is live.',
    middleware: eachProduct((product) => ({ ...product, ProductURL: [''], TsandCs: [''] })),
  },
  {
    id: 'products-for-any-accept',
    story: 'What a request with other headers gives is not shown: the same JSON.',
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
      '"Several products may share one URL", and a product may have several, or, not being live, none; how rates and amounts are written is not said, nor the format of LastUpdated.',
    middleware: successes(['products'], (body) => ({
      data: (body.data as Json[]).map(described),
      meta: { ...(body.meta as Json), LastUpdated: '4 November 2024' },
    })),
  },
  {
    id: 'products-at-the-edge',
    story:
      'How rates are written is not said, and they may be above a hundred; all of a balance may be the least that is paid; no age is the least, and one holder the most.',
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
    story:
      'The framework describes each list: this one is whole, and its only page names no next one.',
    middleware: successes(['products'], (body, ctx) => ({
      ...body,
      links: { self: ctx.href, next: null, last: ctx.href },
      meta: { ...(body.meta as Json), TotalPages: 1 },
    })),
  },
  {
    id: 'one-product-for-two-groups',
    story:
      'How an Eligibility says “or” is not shown: one product stands twice, for customers with an account of the bank and for those with an income.',
    middleware: listed(([first, ...rest]) => {
      const holders = { ...(first?.Eligibility as Json), OtherFinancialHoldingRequired: true }
      return [first ?? {}, { ...first, Eligibility: holders }, ...rest]
    }),
  },
  {
    id: 'links-of-an-application-beside-addresses',
    story:
      '"URLs redirecting to the product": the first is of the web, the second of the application.',
    middleware: eachProduct(({ ProductURL, ...product }) => ({
      ...product,
      ProductURL: [...(ProductURL as string[]), 'mybank://cards/gold'],
    })),
  },
  {
    id: 'lists-taken-over-now-and-then',
    story:
      '"When the product information was last updated": two servers answer by turns, each with the time at which it last took over the list, once a minute.',
    middleware: successes(['products'], (body) => {
      const behind = takenOver()
      const at = Math.floor((Date.now() - behind) / 60_000) * 60_000 + behind
      return { ...body, meta: { ...(body.meta as Json), LastUpdated: new Date(at).toISOString() } }
    }),
  },
  {
    id: 'server-refuses-a-get-with-a-body',
    story:
      'A request with a body is none of the interface: the web server refuses it, by its own page.',
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
      'An identifier within the parent organisation names the product; that it stands once is not said where it is promotional as well, and has two of CCSubType, or where groups of customers have rates of their own. MinimumAge 18 is the law, and restricts nobody.',
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
      'How rates are written is not said: the annual percentage rate is a percentage, and the simple rates are fractions of 1, one of them of nothing.',
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
      'status in the body is the status code; whether words follow it is open. A path that is no URI never comes to the interface: the web server says 400, in HTML.',
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
    story: 'An error response may be of the type for problems as well (RFC 9457), which is JSON.',
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
      '"When the product information was last updated": three servers answer by turns, each with the time at which it got the list.',
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
