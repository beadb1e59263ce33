import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from 'koa'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'
import { DAY } from '../../engine/record/durations.ts'
import { giveBytes, takeBytes } from '../altering/raw-body.ts'
import { answers, elements, type Json, jsonOf, partOf, successes } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'

/** Has the event of the scenario happened, and how often were transactions requested? */
const soFar = ofEachBank(() => ({ done: false, tips: 0 }))

/** Requests for data with a customer's token. */
const isData = (ctx: Context) => partOf(ctx) === 'data'

const isDeletion = (ctx: Context) => partOf(ctx) === 'consents' && ctx.method === 'DELETE'

/** Replaces the answer to requests for data, to all of them or only to the first. */
function instead(
  id: string,
  story: string,
  answer: (ctx: Context) => void,
  { once = false, applies = isData }: { once?: boolean; applies?: (ctx: Context) => boolean } = {},
): Alteration {
  return {
    id,
    story,
    async middleware(ctx, next) {
      if (!applies(ctx) || (once && soFar().done)) return next()
      soFar().done = true
      answer(ctx)
      stateOf(ctx).fired()
    },
  }
}

function refuse(
  ctx: Context,
  status: number,
  [code, words]: readonly [code: string, words: string],
  headers: Record<string, string> = {},
): void {
  ctx.status = status
  ctx.set(headers)
  ctx.body = {
    Code: `${status} ${ctx.message}`,
    Message: words,
    Errors: [{ ErrorCode: `UK.OBIE.${code}`, Message: words }],
  }
  stateOf(ctx).refusal = { reason: code, detail: words }
}

const TOO_MANY = ['UnexpectedError', 'Too many requests.'] as const
const TOKEN_INVALID = ['Header.Invalid', 'The access token is not valid.'] as const
const UNAVAILABLE = ['UnexpectedError', 'The service is not available.'] as const

const alterations: Alteration[] = [
  {
    id: 'every-consent-expires',
    story: 'Every consent expires after a day, even if the request has no ExpirationDateTime.',
    middleware: successes(['consents'], (body, ctx) => {
      const data = body.Data as Json
      const consent = stateOf(ctx).bank.services.consents.get(String(data.ConsentId))
      if (ctx.status !== 201 || !consent) return undefined
      consent.expires ??= Date.now() + DAY
      const expires = new Date(consent.expires).toISOString()
      return { ...body, Data: { ...data, ExpirationDateTime: expires } }
    }),
  },
  instead(
    'too-many-requests-for-two-seconds',
    'The first request for data is answered with 429 and Retry-After: 2.',
    (ctx) => refuse(ctx, 429, TOO_MANY, { 'retry-after': '2' }),
    { once: true },
  ),
  instead(
    'too-many-requests-until-a-moment',
    'The first request for data is answered with 429 and a Retry-After that is a date, three seconds ahead.',
    (ctx) =>
      refuse(ctx, 429, TOO_MANY, { 'retry-after': new Date(Date.now() + 3000).toUTCString() }),
    { once: true },
  ),
  instead(
    'too-many-requests-while-away',
    'The first request for data while the customer is absent is answered with 429 and Retry-After: 1.',
    (ctx) => refuse(ctx, 429, TOO_MANY, { 'retry-after': '1' }),
    { once: true, applies: (ctx) => isData(ctx) && !ctx.get('x-fapi-customer-ip-address') },
  ),
  instead('too-many-requests', 'Every request for data is answered with 429.', (ctx) =>
    refuse(ctx, 429, TOO_MANY),
  ),
  instead(
    'unavailable-for-two-seconds',
    'The first request for data is answered with 503 and Retry-After: 2.',
    (ctx) => refuse(ctx, 503, UNAVAILABLE, { 'retry-after': '2' }),
    { once: true },
  ),
  instead(
    'data-refused',
    'Every request for data is answered with 401, whatever its access token.',
    (ctx) =>
      refuse(ctx, 401, TOKEN_INVALID, {
        'www-authenticate': 'Bearer error="invalid_token"',
      }),
  ),
  instead('data-unavailable', 'Every request for data is answered with 503.', (ctx) =>
    refuse(ctx, 503, UNAVAILABLE),
  ),
  instead(
    'data-connections-closed',
    'The bank closes the connection of every data request.',
    (ctx) => {
      ctx.respond = false
      ctx.req.socket.destroy()
    },
  ),
  instead(
    'a-page-instead-of-data',
    'Every data request gets an HTML page with status 200, from a portal.',
    (ctx) => {
      ctx.status = 200
      ctx.type = 'html'
      ctx.body = '<!doctype html><title>Welcome</title><p>Please log in.</p>'
    },
  ),
  instead('data-cut-short', 'Data responses end in the middle of their JSON.', (ctx) => {
    ctx.status = 200
    ctx.type = 'application/json'
    ctx.body = '{"Data":{"Account":[{"AccountId":"22289","Currency":"GB'
  }),
  instead('answers-without-data', 'Data responses have status 200 and no Data.', (ctx) => {
    ctx.status = 200
    ctx.body = { Links: { Self: ctx.href }, Meta: { TotalPages: 1 } }
  }),
  instead(
    'consent-refused',
    'The bank refuses to create a consent.',
    (ctx) => refuse(ctx, 400, ['Field.Invalid', 'A permission is not supported.']),
    { applies: (ctx) => partOf(ctx) === 'consents' && ctx.method === 'POST' },
  ),
  instead(
    'consents-unavailable',
    'Every request that creates a consent is answered with 503.',
    (ctx) => refuse(ctx, 503, UNAVAILABLE),
    { applies: (ctx) => partOf(ctx) === 'consents' && ctx.method === 'POST' },
  ),
  instead(
    'deletions-unavailable',
    'Every request that deletes a consent is answered with 503.',
    (ctx) => refuse(ctx, 503, UNAVAILABLE),
    { applies: isDeletion },
  ),
  instead(
    'deletions-refused',
    'Every request that deletes a consent is answered with 401, whatever its access token.',
    (ctx) => refuse(ctx, 401, TOKEN_INVALID),
    { applies: isDeletion },
  ),
  instead(
    'deletions-of-another-client',
    'Every request that deletes a consent is answered with 403, as if another client owned it.',
    (ctx) => refuse(ctx, 403, ['Resource.NotFound', 'The client has no access to this consent.']),
    { applies: isDeletion },
  ),
  instead(
    'data-moved-to-another-host',
    'Requests for data are answered with a redirect to another host.',
    (ctx) => {
      const { authorisation } = stateOf(ctx).bank.services.endpoints.at
      ctx.redirect(`${authorisation.replace('127.0.0.1', 'localhost')}/moved`)
      ctx.status = 307
    },
  ),
  {
    id: 'consents-without-an-id',
    story: 'The response to the creation of a consent has no ConsentId.',
    middleware: successes(['consents'], (body, ctx) => {
      if (ctx.status !== 201) return undefined
      const { ConsentId: _, ...data } = body.Data as Json
      return { ...body, Data: data }
    }),
  },
  {
    id: 'transactions-without-an-id',
    story:
      'Transactions have no TransactionId: the table does not have it, and version 3.1.2 does not require it.',
    middleware: elements('Transaction', ({ TransactionId: _, ...row }) => row),
  },
  {
    id: 'thousands-of-transactions',
    story: 'The first transactions response has four thousand transactions, more than a megabyte.',
    middleware: successes(['data'], (body) => {
      const { Transaction: rows = [], ...data } = body.Data as { Transaction?: Json[] }
      if (rows.length === 0 || soFar().done) return undefined
      soFar().done = true
      const many = Array.from({ length: 4000 }, (_, index): Json => {
        const row = rows[index % rows.length] as Json
        return { ...row, TransactionId: `${row.TransactionId}-${index}` }
      })
      return { ...body, Data: { ...data, Transaction: many } }
    }),
  },
  {
    id: 'configuration-of-another-issuer',
    story: 'The configuration names another issuer.',
    middleware: successes(['discovery'], (body) => ({
      ...body,
      issuer: 'https://somebody-else.example',
    })),
  },
  {
    id: 'revoked-is-told-slowly',
    story: 'The query of a revoked consent takes one second.',
    async middleware(ctx, next) {
      await next()
      const { Status } = (jsonOf(ctx)?.Data ?? {}) as Json
      if (partOf(ctx) !== 'consents' || ctx.method !== 'GET' || Status !== 'Revoked') return
      await wait(1000)
      stateOf(ctx).fired()
    },
  },
  {
    id: 'slow-data',
    story: 'The first data response takes three seconds.',
    async middleware(ctx, next) {
      if (isData(ctx) && !soFar().done) {
        soFar().done = true
        await wait(3000)
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'headers-in-capitals',
    story: 'Response header names are in upper case, and x-fapi-interaction-id is missing.',
    middleware: answers((ctx) => {
      const bytes = takeBytes(ctx)
      if (bytes) giveBytes(ctx, bytes)
      ctx.remove('x-fapi-interaction-id')
      ctx.append('set-cookie', 'BIGipServerpool=1677787402.36895.0000; path=/; Secure; HttpOnly')
      ctx.set('via', '1.1 edge-7')
      for (const [name, value] of Object.entries(ctx.res.getHeaders())) {
        ctx.res.removeHeader(name)
        if (value !== undefined) ctx.res.setHeader(name.toUpperCase(), value)
      }
    }),
  },
  {
    id: 'interim-answers',
    story: 'A 102 interim response comes before each data response.',
    async middleware(ctx, next) {
      if (isData(ctx)) {
        ctx.res.writeProcessing()
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'certificate-renewed-meanwhile',
    story: 'The certificate of the bank is renewed after the first answer with data.',
    async middleware(ctx, next) {
      const sightings = soFar()
      if (sightings.done) stateOf(ctx).fired()
      await next()
      if (!isData(ctx) || sightings.done) return
      sightings.done = true
      stateOf(ctx).bank.renewCertificate()
      ctx.set('connection', 'close')
    },
  },
  {
    id: 'no-accounts',
    story: 'The consent covers no account: every list is empty.',
    middleware: successes(['data'], (body) => {
      const data = body.Data as Json
      const empty = Object.fromEntries(Object.keys(data).map((name) => [name, []]))
      return { ...body, Data: empty }
    }),
  },
  {
    id: 'total-pages-are-zero',
    story: 'TotalPages of every data response is 0, because there is no pagination.',
    middleware: successes(['data'], (body) => ({ ...body, Meta: { TotalPages: 0 } })),
  },
  {
    id: 'no-credit-lines',
    story: 'Balances have no CreditLine, which the document does not require.',
    middleware: elements('Balance', ({ CreditLine: _, ...row }) => row),
  },
  {
    id: 'amounts-change',
    story: 'The amounts of transactions change with each response, as when a tip is added.',
    middleware: successes(['data'], (body) => {
      const { Transaction: rows, ...data } = body.Data as { Transaction?: Json[] }
      if (!rows) return undefined
      const told = soFar()
      told.tips += 1
      const tip = (row: Json): Json => {
        const { Amount: before, ...rest } = row.Amount as { Amount: string }
        const Amount = (Number(before) + told.tips / 100).toFixed(2)
        return { ...row, Amount: { ...rest, Amount } }
      }
      return { ...body, Data: { ...data, Transaction: rows.map(tip) } }
    }),
  },
]

export default alterations
