import type { Context, Next } from 'koa'
import { stateOf } from '../../bank/state/state.ts'
import { type Part, partOf } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { servedEndpoint } from '../run/round-robin.ts'

const present = (ctx: Context) => ctx.get('x-fapi-customer-ip-address') !== ''

/** Counts the requests of each endpoint from 0. */
function counter(): () => number {
  const counts = ofEachBank(() => new Map<string, number>())
  return () => {
    const count = counts().get(servedEndpoint()) ?? 0
    counts().set(servedEndpoint(), count + 1)
    return count
  }
}

/** "All error responses have the ErrorResponse body": only at the product interface. */
function bodyOf(part: Part): unknown {
  if (part !== 'products') return '<html><h1>Service temporarily unavailable</h1></html>'
  const description = 'The service is temporarily unavailable.'
  return { description, status: '503', title: 'Service Unavailable' }
}

function unavailable(ctx: Context, status: number, retryAfter?: string): void {
  ctx.status = status
  ctx.body = bodyOf(partOf(ctx))
  if (retryAfter !== undefined) ctx.set('retry-after', retryAfter)
  stateOf(ctx).fired()
}

const OUTAGES = [503, 502, 504, 408, 521]

const next = counter()
const outages = ofEachBank(() => ({ count: 0 }))

const variants: Variant[] = [
  {
    id: 'unavailable-now-and-then',
    story:
      'The first and every fifth request of an endpoint gets 502, 503, 504, 521 or 408, with or without Retry-After, as after a restart. The document does not promise that a service is always available.',
    async middleware(ctx: Context, proceed: Next) {
      const count = next()
      // The outage may come after a single-use refresh token was used, so such a request could not be repeated.
      const once = stateOf(ctx).body.includes('grant_type=refresh_token')
      if (count % 5 !== 0 || once) return proceed()
      const always = ['products', 'pages'].includes(partOf(ctx))
      const status = always ? 503 : (OUTAGES[outages().count % OUTAGES.length] ?? 503)
      // Without Retry-After the suite waits for a second, so this happens only once.
      outages().count += 1
      unavailable(ctx, status, outages().count === 3 ? undefined : '0')
    },
  },
  {
    id: 'limited-now-and-then',
    story:
      'Token, consent and registration requests, and data requests with the customer present, sometimes get 429. "Thresholds and windows: not shown"; Limits 1 implies that the latter does not happen (AMB-21).',
    warns: ['RATE-02/no-429-while-present'],
    because: 'A 429 for a request with the header x-fapi-customer-ip-address warns (AMB-21).',
    middleware: (() => {
      const count = counter()
      return async (ctx: Context, proceed: Next) => {
        const part = partOf(ctx)
        const limited = ['token', 'consents', 'registration'].includes(part)
        if (!limited && !(part === 'data' && present(ctx))) return proceed()
        if (count() % 6 !== 2) return proceed()
        unavailable(ctx, 429, '0')
      }
    })(),
  },
  {
    id: 'products-unavailable-after-a-while',
    story:
      'From the fourth request on, the product interface answers 503. "503: The service is temporarily unavailable".',
    middleware: (() => {
      const count = counter()
      return async (ctx: Context, proceed: Next) => {
        if (partOf(ctx) !== 'products' || ctx.method !== 'GET' || count() < 3) return proceed()
        unavailable(ctx, 503, '0')
      }
    })(),
  },
  {
    id: 'funds-deletion-unavailable',
    story:
      'The delete of funds confirmation consents gets 502, because no service is there behind the gateway.',
    warns: ['ERR-01/no-5xx'],
    blocks: [
      'FCC-12/answers-204',
      'FCC-12/gone',
      'FCC-12/one-alone',
      'FCC-12/optional-members',
      'FCC-13/without-authorization',
      'FCC-13/invalid-token',
      'FCC-13/in-the-query',
      'FCC-13/expired-token',
      'FCC-13/expired-deletes-nothing',
      'FCC-13/nothing-deleted',
      'FCC-14/deleted',
      'FCC-14/refused',
      'FCC-14/not-shown',
      'FCC-14/other-addresses',
      'FCC-14/other-direction',
      'SEC-01/funds-deletion',
      'FCC-14/survives',
      'FCC-15/invalid-id',
    ],
    because:
      '502 says nothing of what would be answered; no request is answered by a server error: should.',
    async middleware(ctx: Context, proceed: Next) {
      const deletion = ctx.method === 'DELETE' && ctx.path.includes('/funds-confirmation-consents')
      if (!deletion) return proceed()
      unavailable(ctx, 502, '0')
    },
  },
]

export default variants
