import type { Context, Next } from 'koa'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

type Json = Record<string, unknown>

interface Envelope {
  Data: Json
  Risk?: Json
  Links?: Json
  Meta?: Json
}

const ONE_BALANCE = /\/accounts\/[^/]+\/balances$/
const PAGE = 25

/** Changes envelopes of successful answers before they are sent; undefined leaves one unchanged. */
function envelopes(change: (body: Envelope, ctx: Context) => unknown) {
  return async (ctx: Context, next: Next) => {
    await next()
    const body = ctx.body as Envelope | undefined
    const success = ctx.status === 200 || ctx.status === 201
    if (!success || typeof body !== 'object' || body === null || !('Links' in body)) return
    const changed = change(body, ctx)
    if (changed === undefined) return
    ctx.state.fired()
    ctx.body = changed
  }
}

const rows = ({ Data }: Envelope) =>
  [Data.Account, Data.Balance, Data.Transaction].find(Array.isArray) as Json[] | undefined

/** The first link in an answer about transactions of a single account. */
const ofSingleTransactions = ofEachBank(() => ({}) as { Self?: unknown })

const selfQueries = ofEachBank(() => ({}) as { from?: string })

const faults: Fault[] = [
  {
    id: 'self-encoded-twice',
    story: 'The query in Links.Self is percent-encoded twice.',
    fails: [],
    warns: ['ENV-13/query'],
    middleware: envelopes((body, ctx) =>
      ctx.method === 'GET' && ctx.querystring.includes('%')
        ? { ...body, Links: { Self: String(body.Links?.Self).replaceAll('%', '%25') } }
        : undefined,
    ),
  },
  {
    id: 'data-in-a-list',
    story: 'Data is an array, not an object, in the balances of one account.',
    fails: ['ENV-01/data-object'],
    middleware: envelopes((body, ctx) =>
      ONE_BALANCE.test(ctx.path) ? { ...body, Data: [body.Data] } : undefined,
    ),
  },
  {
    id: 'risk-only-when-created',
    story:
      'The query of a consent has no Risk. The bank only copies it from the request that created the consent.',
    fails: ['ENV-02/risk-empty'],
    middleware: envelopes(({ Risk, ...body }, ctx) =>
      ctx.method === 'GET' && Risk ? body : undefined,
    ),
  },
  {
    id: 'pages-counted-from-zero',
    story:
      'Meta.TotalPages is 0 in a response that has rows, because it is the number of the last page, counted from 0.',
    fails: [],
    warns: ['ENV-11/pages-of-rows'],
    middleware: envelopes((body) =>
      rows(body)?.length ? { ...body, Meta: { ...body.Meta, TotalPages: 0 } } : undefined,
    ),
  },
  {
    id: 'self-begins-with-null',
    story:
      'Links.Self of balances begins with "null" instead of a host. The host comes from a header that one gateway does not set.',
    fails: ['ENV-04/self-absolute'],
    policies: (correct, { fired }) => ({
      selfLink(base, path) {
        if (!/\/balances$/.test(path)) return correct.selfLink(base, path)
        fired()
        return `null${path}`
      },
    }),
  },
  {
    id: 'self-of-the-last-account',
    story:
      'Links.Self of the transactions of one account names another account, because the link is cached without the account in the cache key.',
    fails: ['ENV-05/same-resource'],
    middleware: envelopes((body, ctx) => {
      if (!/\/accounts\/[^/]+\/transactions$/.test(ctx.path)) return undefined
      const cached = ofSingleTransactions()
      cached.Self ??= body.Links?.Self
      if (cached.Self === body.Links?.Self) return undefined
      return { ...body, Links: { ...body.Links, Self: cached.Self } }
    }),
  },
  {
    id: 'next-page-of-a-long-list',
    story:
      'A list of more than 25 rows has a link Next, although all rows are in the response. The framework adds it.',
    fails: ['ENV-07/one-page'],
    middleware: envelopes((body) =>
      (rows(body)?.length ?? 0) > PAGE
        ? { ...body, Links: { ...body.Links, Next: `${body.Links?.Self}?page=2` } }
        : undefined,
    ),
  },
  {
    id: 'next-page-as-an-object',
    story: 'A list of more than 25 rows has a link Next that is an object with href, as in HAL.',
    fails: ['ENV-07/one-page'],
    middleware: envelopes((body) =>
      (rows(body)?.length ?? 0) > PAGE
        ? { ...body, Links: { ...body.Links, Next: { href: `${body.Links?.Self}?page=2` } } }
        : undefined,
    ),
  },
  {
    id: 'next-page-in-links-of-hal',
    story:
      'A list of more than 25 rows has a next page in _links, which the framework adds as in HAL.',
    fails: ['ENV-07/one-page'],
    middleware: envelopes((body) => {
      const { Self } = body.Links ?? {}
      const links = { self: { href: Self }, next: { href: `${Self}?page=1&size=${PAGE}` } }
      return (rows(body)?.length ?? 0) > PAGE ? { ...body, _links: links } : undefined
    }),
  },
  {
    id: 'next-page-in-a-header',
    story:
      'A list of more than 25 rows has a next page in the Link header (RFC 8288), which the gateway adds.',
    fails: ['ENV-07/one-page'],
    middleware: envelopes((body, ctx) => {
      if ((rows(body)?.length ?? 0) <= PAGE) return undefined
      ctx.set('link', ['<?page=1>; rel="first"', '<?page=2>; rel="next"'])
      return body
    }),
  },
  {
    id: 'number-of-pages-unknown',
    story: 'Meta.TotalPages is -1 in an empty list, because the framework has not counted pages.',
    fails: ['ENV-06/total-pages-integer'],
    middleware: envelopes((body) =>
      rows(body)?.length === 0 ? { ...body, Meta: { TotalPages: -1 } } : undefined,
    ),
  },
  {
    id: 'pages-counted-that-are-not-there',
    story: 'Meta.TotalPages counts pages of 25 rows, although all rows are in one response.',
    fails: ['ENV-07/one-page'],
    middleware: envelopes((body) =>
      (rows(body)?.length ?? 0) > PAGE
        ? { ...body, Meta: { TotalPages: Math.ceil((rows(body)?.length ?? 0) / PAGE) } }
        : undefined,
    ),
  },
  {
    id: 'no-links-around-nothing',
    story: 'An empty list has only Data, without Links and Meta.',
    fails: ['ENV-08/links-self', 'ENV-12/meta'],
    middleware: envelopes(({ Links: _links, Meta: _meta, ...body }) =>
      rows(body)?.length === 0 ? body : undefined,
    ),
  },
  {
    id: 'single-accounts-without-links',
    story: 'The response for one account has no Links.',
    fails: ['ENV-08/links-self'],
    middleware: envelopes(({ Links: _, ...body }, ctx) =>
      /\/accounts\/[^/]+$/.test(ctx.path) ? body : undefined,
    ),
  },
  {
    id: 'balances-without-meta',
    story: 'Balance responses have no Meta, because there are no pages.',
    fails: ['ENV-12/meta'],
    middleware: envelopes(({ Meta: _, ...body }, ctx) =>
      ctx.path.endsWith('/balances') ? body : undefined,
    ),
  },
  {
    id: 'pages-of-balances-as-text',
    story:
      'Meta.TotalPages of balances is a string, because it is copied from a header of the gateway.',
    fails: ['ENV-06/total-pages-integer'],
    middleware: envelopes((body, ctx) =>
      ctx.path.endsWith('/balances') ? { ...body, Meta: { TotalPages: '1' } } : undefined,
    ),
  },
  {
    id: 'queried-consents-without-links',
    story: 'The query of a consent has no Links.',
    fails: [],
    warns: ['ENV-10/links-and-meta'],
    middleware: envelopes(({ Links: _, ...body }, ctx) =>
      ctx.method === 'GET' && ctx.path.includes('-consents') ? body : undefined,
    ),
  },
  {
    id: 'self-names-the-inner-host',
    story:
      'Links.Self of transactions has the internal host name by which the gateway calls the service.',
    fails: [],
    warns: ['ENV-15/outside'],
    policies: (correct, { fired }) => ({
      selfLink(base, path) {
        if (!/\/transactions$/.test(path)) return correct.selfLink(base, path)
        fired()
        return `https://aisp.cards.internal${path}`
      },
    }),
  },
  {
    id: 'self-by-plain-http',
    story:
      'Links.Self begins with http:, because TLS ends at the gateway and the service sees plain HTTP.',
    fails: [],
    warns: ['ENV-14/scheme'],
    middleware: envelopes((body) => ({
      ...body,
      Links: { ...body.Links, Self: String(body.Links?.Self).replace(/^https:/, 'http:') },
    })),
  },
  {
    id: 'self-with-another-filter',
    story:
      'Links.Self has the date filter of an earlier request, because links are cached by path without the query.',
    fails: [],
    warns: ['ENV-13/query'],
    middleware: envelopes((body, ctx) => {
      const from = ctx.query.fromBookingDateTime
      if (typeof from !== 'string') return undefined
      const first = selfQueries()
      first.from ??= from
      const self = new URL(String(body.Links?.Self))
      self.search = `?${new URLSearchParams({ fromBookingDateTime: first.from })}`
      return { ...body, Links: { Self: self.href } }
    }),
  },
]
export default faults
