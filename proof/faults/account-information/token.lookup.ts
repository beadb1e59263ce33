import type { Context } from 'koa'
import { stateOf } from '../../../bank/state.ts'
import { bearerOf } from '../../cells/parties.ts'
import { tokenRequests } from '../../jwt-rewrites.ts'
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

const faults: Fault[] = [
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
