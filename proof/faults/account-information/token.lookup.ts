import type { Context } from 'koa'
import { stateOf } from '../../../bank/state.ts'
import { bearerOf } from '../../cells/parties.ts'
import { ofEachBank } from '../../each-bank.ts'
import { acceptsAssertion, goodAssertion, looksRight, tokenRequests } from '../../jwt-rewrites.ts'
import type { Fault } from '../../proof.ts'

/** How codes and tokens are found: in other letters, of another kind, of another client. */

type Model = 'AccessToken' | 'AuthorizationCode' | 'ClientCredentials' | 'RefreshToken'

const COLLATION = 'has a collation that ignores case.'

/** The id of what is stored in other letters than these; undefined where these are stored, too. */
function inAnyCase(ctx: Context, model: Model, sent: string | null): string | undefined {
  const { records } = stateOf(ctx).bank.services
  if (!sent || records.peek(model, sent)) return undefined
  return records
    .all()
    .map(([key]) => key.split(' '))
    .find(([name, id]) => name === model && id?.toLowerCase() === sent.toLowerCase())?.[1]
}

/** What a form names is found in any case. */
function formInAnyCase(field: 'code' | 'refresh_token', model: Model): Fault['middleware'] {
  return tokenRequests((form, ctx) => {
    const found = inAnyCase(ctx, model, form.get(field))
    if (!found) return false
    form.set(field, found)
  })
}

/** Requests with a bearer token that is none have another one instead, where there is one for them. */
function lends(choose: (bearer: string, ctx: Context) => string | undefined): Fault['middleware'] {
  return async (ctx, next) => {
    const { records } = stateOf(ctx).bank.services
    const bearer = bearerOf(ctx)
    const good = records.peek('AccessToken', bearer) ?? records.peek('ClientCredentials', bearer)
    const lent = bearer && !good ? choose(bearer, ctx) : undefined
    if (lent) {
      ctx.req.headers.authorization = `Bearer ${lent}`
      stateOf(ctx).fired()
    }
    await next()
  }
}

/** Whose code or refresh token it is, is compared with client_id of the form, whoever signed the assertion. */
function ofWhomTheFormNames(field: 'code' | 'refresh_token', model: Model): Partial<Fault> {
  const confused = ofEachBank(() => ({ on: false }))
  const mend = acceptsAssertion((assertion, form, ctx) => {
    const named = form.get('client_id')
    const { sub, iss } = assertion.claims
    if (!named || !sub || iss !== sub || named === sub) return undefined
    const record = stateOf(ctx).bank.services.records.peek(model, form.get(field) ?? '')
    if (record?.clientId !== named || !looksRight(ctx, assertion, sub)) return undefined
    confused().on = true
    return goodAssertion(ctx, named)
  })
  return {
    policies: (correct) => ({
      transportBelongsTo: (transport, organisation) =>
        confused().on || correct.transportBelongsTo(transport, organisation),
    }),
    async middleware(ctx, next) {
      await mend(ctx, next)
      confused().on = false
    },
  }
}

const faults: Fault[] = [
  {
    id: 'code-of-whom-the-form-names',
    story: 'The assertion says who may come in, and client_id of the form whose code it is.',
    fails: ['TOK-35/named'],
    ...ofWhomTheFormNames('code', 'AuthorizationCode'),
  },
  {
    id: 'refresh-token-of-whom-the-form-names',
    story:
      'The assertion says who may come in, and client_id of the form whose refresh token it is.',
    fails: ['TOK-13/other-client'],
    ...ofWhomTheFormNames('refresh_token', 'RefreshToken'),
  },
  {
    id: 'redirect-uri-compared-where-it-is-there',
    story: 'A form without redirect_uri is taken to mean that of the authorisation request.',
    fails: [],
    warns: ['TOK-40/left-out'],
    middleware: tokenRequests((form, ctx) => {
      const { records } = stateOf(ctx).bank.services
      const code = records.peek('AuthorizationCode', form.get('code') ?? '')
      if (!code || form.has('redirect_uri') || !form.has('grant_type')) return false
      form.set('redirect_uri', String(code.redirectUri))
    }),
  },
  {
    id: 'codes-in-any-case',
    story: `The column of codes ${COLLATION}`,
    fails: ['TOK-11/other-case'],
    middleware: formInAnyCase('code', 'AuthorizationCode'),
  },
  {
    id: 'refresh-tokens-in-any-case',
    story: `The column of refresh tokens ${COLLATION}`,
    fails: ['TOK-13/unknown'],
    middleware: formInAnyCase('refresh_token', 'RefreshToken'),
  },
  {
    id: 'client-tokens-in-any-case',
    story: `The column of the clients’ own tokens ${COLLATION}`,
    fails: ['SEC-03/unknown-token', 'FCC-13/invalid-token'],
    middleware: lends((bearer, ctx) => inAnyCase(ctx, 'ClientCredentials', bearer)),
  },
  {
    id: 'data-tokens-in-any-case',
    story: `The column of tokens for data ${COLLATION}`,
    fails: ['DATA-03/unknown-token'],
    middleware: lends((bearer, ctx) => inAnyCase(ctx, 'AccessToken', bearer)),
  },
]

export default faults
