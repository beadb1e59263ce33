import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Next } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { endpointOf } from '../../altering/data-requests.ts'
import { decoded, tokenForm } from '../../altering/jwt-rewrites.ts'
import { jsonOf, partOf, successes } from '../../altering/rewriting.ts'
import { grantOf, tokenResponses } from '../../altering/token-requests.ts'
import { isAbsent } from '../../cells/parties.ts'
import { tokenAnswers } from '../../cells/token-cells.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const now = () => Math.floor(Date.now() / 1000)

/** The latest access token that read something other than a single account. */
const latest = ofEachBank(() => ({}) as { data?: string })

/** Issues a token as if no scope was requested, but returns the requested scope. */
async function grantedAs(scope: string, form: URLSearchParams, ctx: Context, next: Next) {
  form.delete('scope')
  const state = stateOf(ctx)
  state.body = form.toString()
  await next()
  const body = ctx.body as Record<string, unknown> | undefined
  if (ctx.status !== 200 || !body) return
  ctx.body = { ...body, scope }
  state.fired()
}

/** Expired tokens of a kind are still valid for requests that match. */
function stillGood(kind: string, fits: (ctx: Context) => boolean): Fault['policies'] {
  return (_correct, { fired }) => ({
    stored(model, _id, record) {
      const ctx = currentRequest()
      if (model !== kind || !ctx || !fits(ctx)) return record
      if (!record?.exp || record.exp > now()) return record
      fired()
      return { ...record, exp: now() + 3600 }
    },
  })
}

/** The latest answer to a client_credentials request. */
const answers = ofEachBank(() => ({}) as { last?: unknown })

/** The refresh token of the latest request with one. */
const refreshes = ofEachBank(() => ({ last: '' }))

const faults: Fault[] = [
  {
    id: 'client-tokens-at-once-are-the-last',
    story:
      'Two client_credentials requests at the same time get the same response, because they share an object.',
    fails: ['TOK-03/at-once'],
    async middleware(ctx, next) {
      const form = tokenForm(ctx)
      await next()
      if (form?.get('grant_type') !== 'client_credentials' || ctx.status !== 200) return
      const own = ctx.body
      const shared = answers()
      shared.last = own
      await wait(25)
      if (shared.last === own) return
      ctx.body = shared.last
      stateOf(ctx).fired()
    },
  },
  {
    id: 'refreshes-at-once-are-of-the-last',
    story:
      'Two refreshes at the same time: one gets the tokens of the other, because requests share the refresh token in a field. A refresh gives no ID token.',
    fails: ['DATA-08/refreshes-at-once'],
    async middleware(ctx, next) {
      const form = tokenForm(ctx)
      const own = form?.get('refresh_token')
      if (!form || !own) return next()
      const field = refreshes()
      field.last = own
      await wait(30)
      if (field.last !== own) {
        form.set('refresh_token', field.last)
        stateOf(ctx).body = form.toString()
        stateOf(ctx).fired()
      }
      await next()
      const { id_token: _, ...rest } = jsonOf(ctx) ?? {}
      if (ctx.status === 200) ctx.body = rest
    },
  },
  {
    id: 'refresh-with-any-scope',
    story: 'A refresh gives every scope that it asks for, even one the grant does not have.',
    fails: [],
    warns: ['TOK-23/asked-for'],
    middleware: async (ctx, next) => {
      const form = tokenForm(ctx)
      const wanted = form?.get('grant_type') === 'refresh_token' ? form.get('scope') : null
      return form && wanted ? grantedAs(wanted, form, ctx, next) : next()
    },
  },
  {
    id: 'client-credentials-with-any-scope',
    story:
      'The client_credentials grant gives every scope that it asks for, even one the bank does not support.',
    fails: [],
    warns: ['TOK-36/asked-for'],
    middleware: async (ctx, next) => {
      const form = tokenForm(ctx)
      const grant = form?.get('grant_type')
      const wanted = grant === 'client_credentials' ? form?.get('scope') : undefined
      const known = ['openid', 'accounts', 'fundsconfirmations']
      const beyond = wanted?.split(' ').some((one) => !known.includes(one))
      return form && wanted && beyond ? grantedAs(wanted, form, ctx, next) : next()
    },
  },
  {
    id: 'approvals-of-others-end-the-newest',
    story: 'The approval of one customer ends the tokens of the client for other customers.',
    fails: ['ACC-01/answers-200', 'DATA-08/other-approvals'],
    because: 'Tokens end before their time wherever the other customer approved meanwhile.',
    async middleware(ctx, next) {
      await next()
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body) return
      if (new URLSearchParams(stateOf(ctx).body).get('grant_type') !== 'authorization_code') return
      const { consents, records, customers } = stateOf(ctx).bank.services
      const grant = String(records.peek('AccessToken', String(body.access_token))?.grantId ?? '')
      const consent = consents.ofGrant(grant)
      for (const { id } of customers.filter(({ id }) => id !== consent?.customerId)) {
        for (const other of consents.ofCustomer(id)) {
          if (other.clientId !== consent?.clientId) continue
          for (const ended of other.grants) records.revokeGrant(ended)
          stateOf(ctx).fired()
        }
      }
    },
  },
  {
    id: 'scopes-of-the-bank-not-of-the-client',
    story:
      'The bank accepts every scope that it supports, even one that is not registered for the client.',
    fails: ['AUTHZ-09/left-out'],
    warns: ['TOK-36/left-out'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const scope = record?.scope
        if (model !== 'Client' || !record || typeof scope !== 'string') return record
        if (API_SCOPES.every((one) => scope.split(' ').includes(one))) return record
        fired()
        return { ...record, scope: [...new Set([...scope.split(' '), ...API_SCOPES])].join(' ') }
      },
    }),
  },
  {
    id: 'expired-token-reads-balances',
    story: 'The balance endpoints accept an expired access token.',
    fails: ['TOK-21/expired'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const path = currentRequest()?.path ?? ''
        if (model !== 'AccessToken' || !path.endsWith('/balances')) return record
        if (!record?.exp || record.exp > now()) return record
        fired()
        return { ...record, exp: now() + 3600 }
      },
    }),
  },
  {
    id: 'expired-token-reads-one-account',
    story: 'GET /accounts/{AccountId}/transactions accepts an expired access token.',
    fails: ['TOK-21/expired'],
    policies: stillGood('AccessToken', ({ path }) => /\/accounts\/[^/]+\/transactions$/.test(path)),
  },
  {
    id: 'expired-token-creates-funds-consents',
    story: 'The creation of a funds confirmation consent accepts an expired access token.',
    fails: ['SEC-03/expired-funds-token'],
    policies: stillGood(
      'ClientCredentials',
      ({ method, path }) => method === 'POST' && path.endsWith('/funds-confirmation-consents'),
    ),
  },
  {
    id: 'expired-token-while-absent',
    story: 'Data requests without x-fapi-customer-ip-address accept an expired access token.',
    fails: ['TOK-21/expired'],
    policies: stillGood('AccessToken', (ctx) => isAbsent(ctx) && endpointOf(ctx) !== undefined),
  },
  {
    id: 'expired-token-with-a-filter',
    story: 'Transaction requests with a date filter accept an expired access token.',
    fails: ['TOK-21/expired'],
    policies: stillGood(
      'AccessToken',
      (ctx) => endpointOf(ctx) !== undefined && ctx.querystring !== '',
    ),
  },
  {
    id: 'client-token-reads-single-accounts',
    story: 'A token of the client_credentials grant reads the data of single accounts.',
    fails: ['TOK-24/accounts', 'TOK-24/balances', 'TOK-24/transactions'],
    middleware: async (ctx, next) => {
      const state = stateOf(ctx)
      const { services } = state.bank
      const wanted = /\/aisp\/accounts\/([^/]+)/.exec(ctx.path)?.[1]
      const bearer = ctx.get('authorization').replace(/^Bearer +/i, '')
      const token = services.records.peek('ClientCredentials', bearer)
      const tokens = latest()
      if (!wanted) {
        const own = services.records.peek('AccessToken', bearer)
        if (own && ctx.path.includes('/aisp/')) tokens.data = bearer
      } else if (token && tokens.data) {
        ctx.req.headers.authorization = `Bearer ${tokens.data}`
        state.fired()
      }
      await next()
    },
  },
  {
    id: 'data-token-deletes-consents',
    story: 'An access token of the authorization_code grant can delete a consent.',
    fails: [],
    warns: ['TOK-25/delete'],
    middleware: managesByDataToken('DELETE'),
  },
  {
    id: 'data-token-creates-consents',
    story: 'An access token of the authorization_code grant can create a consent.',
    fails: [],
    warns: ['TOK-25/create'],
    middleware: managesByDataToken('POST'),
  },
  {
    id: 'data-tokens-of-the-second-client-create-consents',
    story:
      'An access token of the authorization_code grant of the second client can create a consent.',
    fails: [],
    warns: ['TOK-25/create'],
    middleware: managesByDataToken('POST', 'second'),
  },
  {
    id: 'client-token-says-another-scope',
    story:
      'The response to a client_credentials request names a scope that the token does not have.',
    fails: [],
    warns: ['TOK-38/as-stated'],
    middleware: tokenResponses((answer, ctx) => {
      const { records } = stateOf(ctx).bank.services
      const issued = records.peek('ClientCredentials', String(answer.access_token))
      const { scope = '' } = records.peek('Client', issued?.clientId ?? '') ?? {}
      const other = 'fundsconfirmations'
      if (issued?.scope !== 'accounts' || !String(scope).includes(other)) return undefined
      return { ...answer, scope: other }
    }),
  },
  {
    id: 'data-tokens-say-openid',
    story:
      'The response to a code exchange or refresh names only scope openid, although the token reads accounts.',
    fails: [],
    warns: ['TOK-38/data-as-stated'],
    middleware: tokenResponses((answer, ctx) =>
      grantOf(ctx, answer.access_token) === undefined ? undefined : { ...answer, scope: 'openid' },
    ),
  },
  {
    id: 'expires-in-as-text-after-refresh',
    story: 'The expires_in of a refresh is a string instead of an integer.',
    fails: ['TOK-17/expires-in'],
    middleware: async (ctx, next) => {
      const grant = tokenForm(ctx)?.get('grant_type')
      await next()
      const body = ctx.body as Record<string, unknown> | undefined
      if (grant !== 'refresh_token' || ctx.status !== 200 || !body) return
      ctx.body = { ...body, expires_in: String(body.expires_in) }
      stateOf(ctx).fired()
    },
  },
  ...(['client_credentials', 'authorization_code', 'refresh_token'] as const).map((grant) =>
    tokenAnswers(
      'expires-in-as-a-point-in-time',
      (body) => ({ ...body, expires_in: now() + Number(body.expires_in) }),
      grant,
      undefined,
      { fails: ['TOK-17/duration'] },
    ),
  ),
  tokenAnswers(
    'id-token-issued-at-the-first-time',
    ({ id_token: idToken, ...body }, ctx) => {
      if (typeof idToken !== 'string') return false
      const claims = { ...decoded(idToken).claims, iat: now() - 86_400 }
      return { ...body, id_token: stateOf(ctx).bank.signAsBank(claims) }
    },
    'refresh_token',
    undefined,
    { fails: [], warns: ['TOK-37/claims'] },
  ),
  {
    id: 'scope-lost-at-re-confirmation',
    story: 'After a re-confirmation, the token response has no scope.',
    fails: ['TOK-16/scope'],
    middleware: successes(['token'], (body, ctx) => {
      const grant = tokenForm(ctx)?.get('code')
      const consents = stateOf(ctx).bank.services.consents
      const record = seenToken(ctx, String(body.access_token))
      const consent = record?.grantId ? consents.ofGrant(record.grantId) : undefined
      if (!grant || !consent || consent.grants.size < 2) return undefined
      return { ...body, scope: undefined }
    }),
  },
]

const API_SCOPES = ['openid', 'accounts', 'fundsconfirmations']

function seenToken(ctx: Parameters<typeof stateOf>[0], value: string) {
  return stateOf(ctx).bank.services.records.peek('AccessToken', value)
}

/** The latest client_credentials token of each client. */
const latestOwn = ofEachBank(() => new Map<string, string>())

/** Accepts the access token of a customer's approval for managing consents, as if it were a client token. */
function managesByDataToken(
  method: string,
  client?: 'first' | 'second',
): NonNullable<Fault['middleware']> {
  return async (ctx, next) => {
    const state = stateOf(ctx)
    const { records } = state.bank.services
    const path = ctx.path.includes('/account-access-consents')
    const bearer = ctx.get('authorization').replace(/^Bearer +/i, '')
    const own = records.peek('ClientCredentials', bearer)
    if (own && path) latestOwn().set(own.clientId ?? '', bearer)
    const data = path && ctx.method === method && records.peek('AccessToken', bearer)
    const other = data && latestOwn().get(data.clientId ?? '')
    if (other && (!client || tokenInfoOf(ctx)?.client === client)) {
      ctx.req.headers.authorization = `Bearer ${other}`
      state.fired()
    }
    await next()
  }
}

export default faults
