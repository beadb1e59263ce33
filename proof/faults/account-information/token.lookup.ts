import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import { endpointOf } from '../../altering/data-requests.ts'
import {
  acceptsAssertion,
  decoded,
  goodAssertion,
  looksRight,
  tokenForm,
  tokenRequests,
} from '../../altering/jwt-rewrites.ts'
import { type Json, jsonOf } from '../../altering/rewriting.ts'
import { bearerOf } from '../../cells/parties.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** How codes and tokens are found: with other upper and lower case, of another kind, of another client. */

type Model = 'AccessToken' | 'AuthorizationCode' | 'ClientCredentials' | 'RefreshToken'

const COLLATION = 'in any upper and lower case, because the database column ignores case.'

/** Does a bank that looks things up in a wrong way take the sent text for the stored one? */
type Alike = (stored: string, sent: string) => boolean

const inAnyCase: Alike = (stored, sent) => stored.toLowerCase() === sent.toLowerCase()

/** The stored id that is taken for the sent one; undefined when the sent one is stored itself. */
function foundBy(alike: Alike, ctx: Context, model: Model, sent: string | null) {
  const { records } = stateOf(ctx).bank.services
  if (!sent || records.peek(model, sent)) return undefined
  return records
    .all()
    .map(([key]) => key.split(' '))
    .find(([name, id]) => name === model && id !== undefined && alike(id, sent))?.[1]
}

/** Finds the code or token of a form in a wrong way. */
function formBy(alike: Alike, field: 'code' | 'refresh_token', model: Model): Fault['middleware'] {
  return tokenRequests((form, ctx) => {
    const found = foundBy(alike, ctx, model, form.get(field))
    if (!found) return false
    form.set(field, found)
  })
}

/** Characters of codes and refresh tokens that an index has. */
const INDEXED = 24

const sameBeginning: Alike = (stored, sent) =>
  sent.length >= INDEXED && stored.slice(0, INDEXED) === sent.slice(0, INDEXED)

/** Replaces an invalid bearer token of a request by a valid one, if `choose` returns one. */
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

const now = () => Math.floor(Date.now() / 1000)

/** A client token that has not expired. */
function ownToken(ctx: Context, clientId: unknown): string | undefined {
  const { records } = stateOf(ctx).bank.services
  const found = records.all().find(([key, { clientId: owner, exp = 0, scope }]) => {
    const forAccounts = String(scope).split(' ').includes('accounts')
    return key.startsWith('ClientCredentials ') && owner === clientId && forAccounts && exp > now()
  })
  return found?.[0].split(' ')[1]
}

/** Accepts something else in place of a client token for managing consents, if it identifies a client. */
function managesWith(ownerOf: (bearer: string, ctx: Context) => unknown): Fault['middleware'] {
  return lends((bearer, ctx) => {
    const owner = ctx.path.includes('/account-access-consents') && ownerOf(bearer, ctx)
    return owner ? ownToken(ctx, owner) : undefined
  })
}

/** The client of a client assertion; undefined for another text. */
function clientOf(bearer: string, ctx: Context): unknown {
  const jwt = decoded(bearer)
  const { sub, iss } = jwt.claims
  return sub === iss && looksRight(ctx, jwt, sub) ? sub : undefined
}

/** An access token from the same grant as this code. */
function tokenOfCode(bearer: string, ctx: Context): string | undefined {
  const { records } = stateOf(ctx).bank.services
  const grant = records.peek('AuthorizationCode', bearer)?.grantId
  const found = records.all().find(([key, { grantId, exp = 0 }]) => {
    return key.startsWith('AccessToken ') && grant && grantId === grant && exp > now()
  })
  return found?.[0].split(' ')[1]
}

/** Compares the owner of the code or refresh token with client_id of the form, whoever signed the assertion. */
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

/** Answers to codes that are being exchanged. */
const underWay = ofEachBank(() => new Map<string, Promise<Json | undefined>>())

const faults: Fault[] = [
  {
    id: 'code-sent-twice-at-once-is-answered-twice',
    story:
      'A code sent twice at the same time gives tokens twice, because it is marked as used too late.',
    fails: [],
    warns: ['TOK-14/at-once'],
    async middleware(ctx, next) {
      const code = tokenForm(ctx)?.get('code')
      if (!code) return next()
      const others = underWay()
      const first = others.get(code)
      if (first) {
        const answer = await first
        if (!answer) return next()
        ctx.status = 200
        ctx.set('cache-control', 'no-store')
        ctx.body = answer
        return stateOf(ctx).fired()
      }
      let done: (answer?: Json) => void = () => {}
      others.set(code, new Promise((resolve) => (done = resolve)))
      await wait(25)
      await next()
      done(ctx.status === 200 ? jsonOf(ctx) : undefined)
      others.delete(code)
    },
  },
  {
    id: 'code-of-whom-the-form-names',
    story: 'A client can use the code of another client if it names that client in client_id.',
    fails: ['TOK-35/named'],
    ...ofWhomTheFormNames('code', 'AuthorizationCode'),
  },
  {
    id: 'refresh-token-of-whom-the-form-names',
    story:
      'A client can use the refresh token of another client if it names that client in client_id.',
    fails: ['TOK-13/other-client'],
    ...ofWhomTheFormNames('refresh_token', 'RefreshToken'),
  },
  {
    id: 'redirect-uri-compared-where-it-is-there',
    story:
      'The token endpoint accepts a code without the redirect_uri of the authorisation request.',
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
    id: 'client-assertion-queries-consents',
    story: 'The query of a consent accepts a client assertion as access token.',
    fails: ['SEC-03/other-tokens'],
    middleware: managesWith((bearer, ctx) => ctx.method === 'GET' && clientOf(bearer, ctx)),
  },
  {
    id: 'client-assertion-deletes-consents',
    story: 'The delete of a consent accepts a client assertion as access token.',
    fails: ['CLC-07/invalid-token'],
    middleware: managesWith((bearer, ctx) => ctx.method === 'DELETE' && clientOf(bearer, ctx)),
  },
  {
    id: 'id-token-queries-consents',
    story: 'Consent requests accept an ID token as access token.',
    fails: ['SEC-03/other-tokens'],
    middleware: managesWith((bearer) => {
      const { claims } = decoded(bearer)
      return claims.openbanking_intent_id ? [claims.aud].flat()[0] : undefined
    }),
  },
  {
    id: 'refresh-token-queries-consents',
    story: 'Consent requests accept a refresh token as access token.',
    fails: ['SEC-03/other-tokens'],
    middleware: managesWith(
      (bearer, ctx) => stateOf(ctx).bank.services.records.peek('RefreshToken', bearer)?.clientId,
    ),
  },
  {
    id: 'code-opens-data',
    story: 'Data endpoints accept an authorisation code as access token.',
    fails: ['DATA-03/unknown-token'],
    middleware: lends((bearer, ctx) => (endpointOf(ctx) ? tokenOfCode(bearer, ctx) : undefined)),
  },
  {
    id: 'access-token-refreshes-itself',
    story: 'The token endpoint accepts an access token as refresh token.',
    fails: ['TOK-13/unknown'],
    middleware: tokenRequests((form, ctx) => {
      const { records } = stateOf(ctx).bank.services
      const access = records.peek('AccessToken', form.get('refresh_token') ?? '')
      const found = records.all().find(([key, { grantId }]) => {
        return key.startsWith('RefreshToken ') && access && grantId === access.grantId
      })
      if (!found) return false
      form.set('refresh_token', found[0].split(' ')[1] ?? '')
    }),
  },
  {
    id: 'codes-in-any-case',
    story: `The bank accepts an authorisation code ${COLLATION}`,
    fails: ['TOK-11/other-case'],
    middleware: formBy(inAnyCase, 'code', 'AuthorizationCode'),
  },
  {
    id: 'codes-by-their-beginning',
    story: 'The bank compares only the first characters of an authorisation code.',
    fails: ['TOK-11/other-end'],
    middleware: formBy(sameBeginning, 'code', 'AuthorizationCode'),
  },
  {
    id: 'codes-cut-to-their-column',
    story:
      'The bank accepts a code with extra characters at its end, because it cuts the value to the length of the column.',
    fails: ['TOK-11/other-end'],
    middleware: formBy((stored, sent) => sent.startsWith(stored), 'code', 'AuthorizationCode'),
  },
  {
    id: 'codes-searched-like-names',
    story:
      'The bank accepts the first part of a code, because it searches for values that begin with the text.',
    fails: ['TOK-11/other-end'],
    middleware: formBy(
      (stored, sent) => sent.length >= INDEXED && stored.startsWith(sent),
      'code',
      'AuthorizationCode',
    ),
  },
  {
    id: 'refresh-tokens-by-their-beginning',
    story: 'The bank compares only the first characters of a refresh token.',
    fails: ['TOK-13/altered'],
    middleware: formBy(sameBeginning, 'refresh_token', 'RefreshToken'),
  },
  {
    id: 'refresh-tokens-in-any-case',
    story: `The bank accepts a refresh token ${COLLATION}`,
    fails: ['TOK-13/unknown'],
    middleware: formBy(inAnyCase, 'refresh_token', 'RefreshToken'),
  },
  {
    id: 'client-tokens-in-any-case',
    story: `The bank accepts a token of the client_credentials grant ${COLLATION}`,
    fails: ['SEC-03/unknown-token', 'CLC-07/invalid-token', 'FCC-13/invalid-token'],
    middleware: lends((bearer, ctx) => foundBy(inAnyCase, ctx, 'ClientCredentials', bearer)),
  },
  {
    id: 'data-tokens-in-any-case',
    story: `The bank accepts an access token for data ${COLLATION}`,
    fails: ['DATA-03/unknown-token'],
    middleware: lends((bearer, ctx) => foundBy(inAnyCase, ctx, 'AccessToken', bearer)),
  },
]

export default faults
