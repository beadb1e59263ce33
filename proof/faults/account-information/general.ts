import { gzipSync } from 'node:zlib'
import type { Context, Middleware, Next } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import { DAY, HOUR } from '../../../engine/record/durations.ts'
import { forCompressing } from '../../altering/compressing.ts'
import { idTokens } from '../../altering/id-tokens.ts'
import { addLine, giveBytes, giveChanged, giveLatin1 } from '../../altering/raw-body.ts'
import { answers, elements, type Json, partOf } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

const AISP = '/open-banking/v3.1/aisp'

/** Last Sunday of a month at 01:00 UTC, when British clocks change. */
function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0, 1))
  return last.getTime() - last.getUTCDay() * DAY
}

/** Is it British Summer Time? */
function isSummer(instant: number): boolean {
  const year = new Date(instant).getUTCFullYear()
  return instant >= lastSunday(year, 2) && instant < lastSunday(year, 9)
}

/** Moves the addresses of account access consents and data to another prefix. */
function movedTo(prefix: string) {
  return async (ctx: Context, next: Next) => {
    if (ctx.path.startsWith(`${prefix}/`)) {
      ctx.path = `${AISP}${ctx.path.slice(prefix.length)}`
      ctx.state.fired()
    }
    await next()
  }
}

/** Requests to these paths are refused without x-fapi-interaction-id. */
function needsInteractionId(fits: (path: string) => boolean) {
  return async (ctx: Context, next: Next) => {
    if (!fits(ctx.path) || ctx.get('x-fapi-interaction-id') !== '') return next()
    ctx.status = 400
    ctx.body = { Code: '400', Message: 'x-fapi-interaction-id is missing', Errors: [] }
    stateOf(ctx).fired()
  }
}

/** Answers with status 204 have one header more. */
const deletionsWith =
  (name: string, value: string): Middleware =>
  async (ctx, next) => {
    await next()
    if (ctx.method !== 'DELETE' || ctx.status !== 204) return
    addLine(ctx, name, value)
    stateOf(ctx).fired()
  }

/** Adds claims to ID tokens that are made of the user name of the customer, and of sub. */
const withUserName = (made: (name: string, sub: unknown) => Json) =>
  idTokens((claims, sign, ctx) => {
    const { customers } = stateOf(ctx).bank.services
    const name = customers.find(({ id }) => id === claims.sub)?.username
    return name === undefined ? undefined : sign({ ...claims, ...made(name, claims.sub) })
  })

const faults: Fault[] = [
  {
    id: 'details-in-small-letters',
    story: 'The field MerchantDetails is spelled merchantDetails, as in the clearing system.',
    fails: [],
    warns: ['GEN-37/spelled'],
    middleware: elements('Transaction', ({ MerchantDetails: merchantDetails, ...row }) =>
      merchantDetails === undefined ? row : { ...row, merchantDetails },
    ),
  },
  {
    id: 'credit-lines-with-a-low-line',
    story: 'The field Type of a CreditLine is spelled type_, as in the database.',
    fails: [],
    warns: ['GEN-37/spelled'],
    middleware: elements('Balance', (row) => ({
      ...row,
      CreditLine: [row.CreditLine ?? []].flat().map((line) => {
        const { Type, ...others } = line as Json
        return { ...others, type_: Type }
      }),
    })),
  },
  {
    id: 'two-types-of-balances',
    story:
      'Balance responses have two Content-Type headers: the service sets one and the gateway adds its default.',
    fails: [],
    warns: ['GEN-15/one-type'],
    async middleware(ctx, next) {
      await next()
      if (!ctx.path.endsWith('/balances') || ctx.status !== 200) return
      addLine(ctx, 'Content-Type', 'text/plain')
      stateOf(ctx).fired()
    },
  },
  {
    id: 'deletions-in-chunks',
    story:
      'A 204 response has a Transfer-Encoding header, because the gateway sends every response in chunks.',
    fails: [],
    warns: ['GEN-35/no-coding'],
    middleware: deletionsWith('Transfer-Encoding', 'chunked'),
  },
  {
    id: 'deletions-of-two-bytes',
    story:
      'A 204 response has Content-Length 2, because the framework counts an empty object as content.',
    fails: [],
    warns: ['GEN-35/no-coding'],
    middleware: deletionsWith('Content-Length', '2'),
  },
  {
    id: 'compressed-by-service-and-gateway',
    story:
      'Transactions are compressed twice, by the service and by the gateway, but Content-Encoding names gzip once.',
    fails: ['GEN-01/json'],
    middleware: forCompressing(
      (path) => path.endsWith('/transactions'),
      (ctx, bytes) => {
        giveBytes(ctx, gzipSync(gzipSync(bytes)))
        ctx.set('content-encoding', 'gzip')
      },
    ),
  },
  {
    id: 'compressed-and-not-said',
    story:
      'Consent responses are compressed without a Content-Encoding header, because a gateway removes headers that it does not know.',
    fails: ['GEN-01/json'],
    middleware: forCompressing(
      (path) => path.includes('/account-access-consents'),
      (ctx, bytes) => giveBytes(ctx, gzipSync(bytes)),
    ),
  },
  {
    id: 'keys-compressed-for-gzip-alone',
    story:
      'The keys are compressed without a Content-Encoding header if the client accepts only gzip.',
    fails: [],
    warns: ['GEN-21/configuration'],
    middleware: forCompressing(
      (path) => path.endsWith('/jwks'),
      (ctx, bytes) => {
        if (ctx.get('accept-encoding') === 'gzip') giveBytes(ctx, gzipSync(bytes))
      },
    ),
  },
  {
    id: 'said-and-not-compressed',
    story:
      'The token response has Content-Encoding gzip but is not compressed, because the gateway has decompressed it.',
    fails: [],
    warns: ['GEN-21/compressed'],
    middleware: forCompressing(
      (path) => path.endsWith('/token'),
      (ctx, bytes) => {
        giveBytes(ctx, bytes)
        ctx.set('content-encoding', 'gzip')
      },
    ),
  },
  {
    id: 'interaction-id-required',
    story: 'The gateway refuses consent and data requests without x-fapi-interaction-id.',
    fails: [],
    warns: ['GEN-20/without-interaction-id'],
    middleware: needsInteractionId((path) => path.startsWith(AISP)),
  },
  {
    id: 'interaction-id-required-for-one-account',
    story:
      'The service for the balances of one account refuses requests without x-fapi-interaction-id.',
    fails: [],
    warns: ['GEN-20/without-interaction-id'],
    middleware: needsInteractionId(
      (path) => path.endsWith('/balances') && path.includes('/accounts/'),
    ),
  },
  {
    id: 'interaction-id-required-for-funds-confirmation',
    story:
      'The gateway in front of funds confirmation consents refuses requests without x-fapi-interaction-id.',
    fails: [],
    warns: ['GEN-20/funds-confirmation'],
    middleware: needsInteractionId((path) => path.includes('/funds-confirmation-consents')),
  },
  {
    id: 'transactions-in-latin-1',
    story: 'Transactions are sent in ISO 8859-1, as the mainframe returns them, not in UTF-8.',
    fails: ['GEN-01/json'],
    async middleware(ctx, next) {
      await next()
      const rows = ctx.path.endsWith('/transactions') && ctx.status === 200
      if (rows && giveLatin1(ctx)) stateOf(ctx).fired()
    },
  },
  {
    id: 'absent-addresses-are-null',
    story: 'A transaction without an address has AddressLine null instead of no field.',
    fails: [],
    warns: ['GEN-16/no-null'],
    middleware: elements('Transaction', (row) => ({
      ...row,
      AddressLine: row.AddressLine ?? null,
    })),
  },
  {
    id: 'balances-of-one-account-as-a-page',
    story:
      'The balances of one account are answered with an HTML page and status 200. The web application owns that path.',
    fails: ['GEN-01/json'],
    async middleware(ctx, next) {
      await next()
      if (!/\/accounts\/[^/]+\/balances$/.test(ctx.path) || ctx.status !== 200) return
      ctx.state.fired()
      ctx.type = 'text/html'
      ctx.body = '<!doctype html><title>Your balances</title><p>Please log in.'
    },
  },
  {
    id: 'local-time-in-summer',
    story: 'During British Summer Time, date-times have the offset +01:00 instead of UTC.',
    fails: ['GEN-02/utc'],
    policies: (correct, { fired }) => ({
      dateTimeOf(instant) {
        if (!isSummer(instant)) return correct.dateTimeOf(instant)
        fired()
        return correct.dateTimeOf(instant + HOUR).replace(/(Z|\+00:00)$/i, '+01:00')
      },
    }),
  },
  {
    id: 'data-below-ais',
    story: 'Consents and data are served under the prefix /ais instead of /aisp.',
    fails: ['GEN-05/prefix'],
    target(document) {
      const { addresses } = document
      const version = `${addresses.base_url}/open-banking/v3.1`
      addresses.overrides = { aisp: `${version}/ais`, cbpii: `${version}/cbpii` }
    },
    middleware: movedTo('/open-banking/v3.1/ais'),
  },
  {
    id: 'registration-can-be-managed',
    story:
      'Clients can read, update and delete their registration, although client management is not supported. The RFC 7592 endpoint of the product was left open.',
    fails: [],
    warns: ['GEN-08/read', 'GEN-08/delete', 'GEN-08/update'],
    async middleware(ctx: Context, next: Next) {
      const { services } = stateOf(ctx).bank
      const place = `${services.endpoints.paths.registration}/`
      const named = ctx.path.startsWith(place) && ctx.path.slice(place.length)
      const client = named ? services.records.peek('Client', named) : undefined
      if (!client || !['GET', 'PUT', 'DELETE'].includes(ctx.method)) return next()
      ctx.state.fired()
      if (ctx.method === 'DELETE') ctx.status = 204
      else ctx.body = { ...client }
    },
  },
  {
    id: 'password-grant-for-the-old-app',
    story:
      'The token endpoint accepts the password grant from every client. It was added for the old app of the bank.',
    fails: ['GEN-10/password-grant'],
    async middleware(ctx, next) {
      const state = stateOf(ctx)
      const form = new URLSearchParams(state.body)
      const { username, password } = Object.fromEntries(form)
      const known = state.bank.customers.some(
        (customer) => customer.username === username && customer.password === password,
      )
      if (form.get('grant_type') === 'password' && known) {
        form.set('grant_type', 'client_credentials')
        state.body = form.toString()
        ctx.state.fired()
      }
      await next()
    },
  },
  {
    id: 'transactions-of-one-account-as-text',
    story:
      'The transactions of one account have Content-Type text/plain. That code serializes its JSON itself and returns a string.',
    fails: [],
    warns: ['GEN-15/media-type'],
    async middleware(ctx, next) {
      await next()
      if (!/\/accounts\/[^/]+\/transactions$/.test(ctx.path) || ctx.status !== 200) return
      ctx.state.fired()
      ctx.body = JSON.stringify(ctx.body)
      ctx.type = 'text/plain'
    },
  },
  {
    id: 'currency-of-balances-twice',
    story:
      'Each amount of a balance has two members Currency, EUR and GBP, because two sources each write one.',
    fails: [],
    warns: ['GEN-17/unique-names'],
    middleware: answers(
      (ctx) =>
        ctx.path.endsWith('/balances') &&
        giveChanged(ctx, (text) =>
          text.replace('"Currency":"GBP"', '"Currency":"EUR","Currency":"GBP"'),
        ),
    ),
  },
  {
    id: 'integers-with-a-fraction',
    story:
      'Integers such as expires_in are written with a fraction (300.0). The gateway parses each body and writes every number as floating point.',
    fails: [],
    warns: ['GEN-38/digits'],
    middleware: answers(
      (ctx) =>
        ctx.status < 300 &&
        giveChanged(ctx, (text) =>
          text.replace(/"(expires_in|TotalPages)":(\d+)(?=[,}])/g, '"$1":$2.0'),
        ),
    ),
  },
  {
    id: 'user-name-in-id-tokens',
    story:
      'ID tokens contain the user name of the customer in preferred_username, a default of the product.',
    fails: [],
    warns: ['GEN-39/in-tokens'],
    middleware: withUserName((name) => ({ preferred_username: `${name}@cards.bank` })),
  },
  {
    id: 'user-name-within-a-claim',
    story: 'ID tokens contain the user name of the customer inside a claim user.',
    fails: [],
    warns: ['GEN-39/in-tokens'],
    middleware: withUserName((id, sub) => ({ user: { sub, id } })),
  },
  {
    id: 'client-id-twice',
    story: 'The registration response has two members client_id with different values.',
    fails: [],
    warns: ['GEN-17/unique-names'],
    middleware: answers(
      (ctx) =>
        partOf(ctx) === 'registration' &&
        giveChanged(ctx, (text) =>
          text.replace(/^\{"?/, (start) => `{"client_id":"to-come",${start.slice(1)}`),
        ),
    ),
  },
]
export default faults
