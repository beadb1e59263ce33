import type { Context } from 'koa'
import type { Variant } from '../proof.ts'
import { answers, type Json, jsonOf, type Part, partOf, refusals, successes } from '../rewriting.ts'

/** The interface of the first document, whose error bodies are not shown. */
const ACCOUNT_INFORMATION: Part[] = ['consents', 'data', 'registration', 'token']

/** Another body of another type, the status as it was. */
function say(ctx: Context, type: string, body: string | undefined) {
  const { status } = ctx
  ctx.remove('content-type')
  ctx.body = body ?? null
  if (body === undefined) ctx.remove('content-type')
  else ctx.set('content-type', type)
  ctx.status = status
}

const variants: Variant[] = [
  {
    id: 'errors-without-body',
    story: '"The error body shape of this interface: not shown." There is none.',
    middleware: refusals(ACCOUNT_INFORMATION, (ctx) => say(ctx, '', undefined)),
  },
  {
    id: 'errors-in-html',
    story: '"The error body shape of this interface: not shown." The gateway\'s pages.',
    middleware: refusals(ACCOUNT_INFORMATION, (ctx) =>
      say(ctx, 'text/html', `<html><head><title>${ctx.status}</title></head><body></body></html>`),
    ),
  },
  {
    id: 'errors-in-plain-words',
    story: '"The error body shape of this interface: not shown." A word, in plain text.',
    middleware: refusals(ACCOUNT_INFORMATION, (ctx) => say(ctx, 'text/plain', ctx.message)),
  },
  {
    id: 'errors-by-rfc-7807',
    story: '"The error body shape of this interface: not shown." Problem details.',
    middleware: refusals(ACCOUNT_INFORMATION, (ctx) =>
      say(
        ctx,
        'application/problem+json',
        JSON.stringify({ type: 'about:blank', title: ctx.message, status: ctx.status }),
      ),
    ),
  },
  {
    id: 'errors-by-oauth',
    story: '"The error body shape of this interface: not shown." As of RFC 6749 everywhere.',
    middleware: refusals(ACCOUNT_INFORMATION, (ctx) =>
      say(ctx, 'application/json;charset=UTF-8', '{"error":"invalid_request"}'),
    ),
  },
  {
    id: 'errors-in-a-list',
    story: '"The error body shape of this interface: not shown." A JSON array of messages.',
    middleware: refusals(ACCOUNT_INFORMATION, (ctx) =>
      say(ctx, 'application/json', JSON.stringify([{ code: ctx.status, text: ctx.message }])),
    ),
  },
  {
    id: 'errors-in-xml-called-json',
    story:
      '"The error body shape of this interface: not shown." An old backend\'s XML, under the header of the gateway.',
    middleware: refusals(ACCOUNT_INFORMATION, (ctx) =>
      say(ctx, 'application/json', `<Fault><Code>${ctx.status}</Code></Fault>`),
    ),
  },
  {
    id: 'more-members-everywhere',
    story: 'No sentence closes an object: members that the tables do not know are lawful extras.',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      if (!body || partOf(ctx) === 'pages') return false
      ctx.body = withExtras(body)
    }),
  },
  {
    id: 'members-in-another-order',
    story: 'The order of the members of a JSON object means nothing (RFC 8259 4).',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      if (!body) return false
      ctx.body = backwards(body)
    }),
  },
  {
    id: 'pretty-printed-ascii',
    story: 'JSON may be indented, and every character outside ASCII escaped (RFC 8259 2, 7).',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      if (!body) return false
      const escaped = JSON.stringify(body, null, 2).replace(
        /[\u007f-\uffff]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
      say(ctx, 'application/json', `${escaped}\r\n`)
    }),
  },
  {
    id: 'media-type-with-charset',
    story: 'application/json may carry parameters, and its case is free (RFC 9110 8.3.1).',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      if (!body) return false
      say(ctx, 'Application/JSON;charset=UTF-8', JSON.stringify(body))
    }),
  },
  {
    id: 'keys-as-jwk-set',
    story: "What the JWKS' media type is, the document does not say; RFC 7517 8.5 has one.",
    middleware: successes(['jwks'], (body, ctx) => {
      say(ctx, 'application/jwk-set+json', JSON.stringify(body))
      return ctx.body
    }),
  },
  {
    id: 'without-links-and-meta',
    story:
      'The table of the envelope says presence of Data and Risk only: a consent response without Links and Meta, as in the schema of 3.1.2.',
    middleware: successes(['consents'], ({ Links: _links, Meta: _meta, ...rest }) => rest),
    warns: ['ENV-08/links-and-meta'],
    because: 'AMB-31: their presence is implied, so a should.',
  },
  {
    id: 'empty-meta-of-consents',
    story: 'A consent has no pages: Meta of consent responses is empty, as in 3.1.2.',
    middleware: successes(['consents'], (body) => ({ ...body, Meta: {} })),
    warns: ['ENV-08/links-and-meta'],
    because: 'AMB-31: TotalPages is implied, so a should.',
  },
  {
    id: 'links-first-and-last',
    story:
      'One answer is the first page and the last one: Links says so, and nothing is paginated (AMB-29).',
    middleware: successes(['data'], (body) => {
      const links = body.Links as Json
      return { ...body, Links: { ...links, First: links.Self, Last: links.Self } }
    }),
  },
  {
    id: 'no-pages-when-empty',
    story: 'Meta.TotalPages is the "total pages in the response": none, when nothing is in it.',
    middleware: successes(['data'], (body) => {
      const [rows] = Object.values(body.Data as Json)
      return Array.isArray(rows) && rows.length === 0
        ? { ...body, Meta: { TotalPages: 0 } }
        : undefined
    }),
  },
  {
    id: 'risk-on-data',
    story: 'Risk is present on consent responses; that it is absent elsewhere no sentence says.',
    middleware: successes(['data'], (body) => ({ ...body, Risk: {} })),
  },
  {
    id: 'self-without-query',
    story: 'Links.Self references the resource; whether with the query of the request is open.',
    policies: (correct, { fired }) => ({
      selfLink(base, path) {
        if (path.includes('?')) fired()
        return correct.selfLink(base, path.split('?', 1)[0] ?? path)
      },
    }),
  },
  {
    id: 'self-at-the-public-address',
    story:
      'Links.Self is an absolute URL; TPPs reach the bank through another name than it has itself.',
    policies: (_correct, { fired }) => ({
      selfLink(_base, path) {
        fired()
        return `https://api.bank.example:443${path}`
      },
    }),
  },
]

/** The value with one more member in each object, but for Risk, which is empty. */
function withExtras(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withExtras(one))
  if (typeof value !== 'object' || value === null || name === 'Risk') return value
  const members = Object.entries(value).map(([key, one]) => [key, withExtras(one, key)])
  return { ...Object.fromEntries(members), 'x-extra': { of: ['this', 'bank'], count: 1 } }
}

function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, one]) => [key, backwards(one)])
  return Object.fromEntries(members.reverse())
}

export default variants
