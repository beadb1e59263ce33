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
    story:
      'The gateway writes the address as it stands in the request, and its library encodes it.',
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
    story: 'The batch facade wraps the payload of single accounts in a list of one answer.',
    fails: ['ENV-01/data-object'],
    middleware: envelopes((body, ctx) =>
      ONE_BALANCE.test(ctx.path) ? { ...body, Data: [body.Data] } : undefined,
    ),
  },
  {
    id: 'risk-only-when-created',
    story: 'Risk is echoed from the request, and a query has none to echo.',
    fails: ['ENV-02/risk-empty'],
    middleware: envelopes(({ Risk, ...body }, ctx) =>
      ctx.method === 'GET' && Risk ? body : undefined,
    ),
  },
  {
    id: 'pages-counted-from-zero',
    story: 'The number of the last page is taken for their number, and the first is page 0.',
    fails: [],
    warns: ['ENV-11/pages-of-rows'],
    middleware: envelopes((body) =>
      rows(body)?.length ? { ...body, Meta: { ...body.Meta, TotalPages: 0 } } : undefined,
    ),
  },
  {
    id: 'self-begins-with-null',
    story: 'The host of the links comes from a header that one gateway does not set.',
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
    story: 'The link of single transactions is cached without the account in its key.',
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
    story: 'The framework adds its Next link to every list of more than 25 rows, all sent or not.',
    fails: ['ENV-07/one-page'],
    middleware: envelopes((body) =>
      (rows(body)?.length ?? 0) > PAGE
        ? { ...body, Links: { ...body.Links, Next: `${body.Links?.Self}?page=2` } }
        : undefined,
    ),
  },
  {
    id: 'next-page-as-an-object',
    story:
      'Links of the new framework are objects with href, as in HAL, and a long list has a next one.',
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
      'The framework adds links of its own, as HAL names them, to a list of more than 25 rows.',
    fails: ['ENV-07/one-page'],
    middleware: envelopes((body) => {
      const { Self } = body.Links ?? {}
      const links = { self: { href: Self }, next: { href: `${Self}?page=1&size=${PAGE}` } }
      return (rows(body)?.length ?? 0) > PAGE ? { ...body, _links: links } : undefined
    }),
  },
  {
    id: 'next-page-in-a-header',
    story: 'The gateway pages by the header Link (RFC 8288), whatever the body says.',
    fails: ['ENV-07/one-page'],
    middleware: envelopes((body, ctx) => {
      if ((rows(body)?.length ?? 0) <= PAGE) return undefined
      ctx.set('link', ['<?page=1>; rel="first"', '<?page=2>; rel="next"'])
      return body
    }),
  },
  {
    id: 'number-of-pages-unknown',
    story: 'The framework counts pages when somebody pages, and says -1 until then.',
    fails: ['ENV-06/total-pages-integer'],
    middleware: envelopes((body) =>
      rows(body)?.length === 0 ? { ...body, Meta: { TotalPages: -1 } } : undefined,
    ),
  },
  {
    id: 'pages-counted-that-are-not-there',
    story: 'TotalPages counts pages of 25 rows, as the app shows them.',
    fails: ['ENV-07/one-page'],
    middleware: envelopes((body) =>
      (rows(body)?.length ?? 0) > PAGE
        ? { ...body, Meta: { TotalPages: Math.ceil((rows(body)?.length ?? 0) / PAGE) } }
        : undefined,
    ),
  },
  {
    id: 'no-links-around-nothing',
    story: 'An empty result takes a shortcut that builds Data and nothing else.',
    fails: ['ENV-08/links-self', 'ENV-12/meta'],
    middleware: envelopes(({ Links: _links, Meta: _meta, ...body }) =>
      rows(body)?.length === 0 ? body : undefined,
    ),
  },
  {
    id: 'single-accounts-without-links',
    story: 'The view of one account was written before the envelope, and nobody pages through one.',
    fails: ['ENV-08/links-self'],
    middleware: envelopes(({ Links: _, ...body }, ctx) =>
      /\/accounts\/[^/]+$/.test(ctx.path) ? body : undefined,
    ),
  },
  {
    id: 'balances-without-meta',
    story: 'There are no pages, so nothing is said of them.',
    fails: ['ENV-12/meta'],
    middleware: envelopes(({ Meta: _, ...body }, ctx) =>
      ctx.path.endsWith('/balances') ? body : undefined,
    ),
  },
  {
    id: 'pages-of-balances-as-text',
    story: 'TotalPages comes from a header of the gateway, and headers are text.',
    fails: ['ENV-06/total-pages-integer'],
    middleware: envelopes((body, ctx) =>
      ctx.path.endsWith('/balances') ? { ...body, Meta: { TotalPages: '1' } } : undefined,
    ),
  },
  {
    id: 'queried-consents-without-links',
    story: 'The query of a consent is built by the store, which knows no addresses.',
    fails: [],
    warns: ['ENV-10/links-and-meta'],
    middleware: envelopes(({ Links: _, ...body }, ctx) =>
      ctx.method === 'GET' && ctx.path.includes('-consents') ? body : undefined,
    ),
  },
  {
    id: 'self-names-the-inner-host',
    story: 'The service writes the host by which the gateway calls it.',
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
    story: 'TLS ends at the gateway, and the service writes the scheme that it sees.',
    fails: [],
    warns: ['ENV-14/scheme'],
    middleware: envelopes((body) => ({
      ...body,
      Links: { ...body.Links, Self: String(body.Links?.Self).replace(/^https:/, 'http:') },
    })),
  },
  {
    id: 'self-with-another-filter',
    story: 'Links are kept by path, with the query of whoever came first.',
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
