import { createHash } from 'node:crypto'
import { stateOf } from '../../../bank/state/state.ts'
import { halfHash, idTokens } from '../../altering/id-tokens.ts'
import { tokenForm } from '../../altering/jwt-rewrites.ts'
import { answers, jsonOf, partOf, refusals, successes } from '../../altering/rewriting.ts'
import { tokensSpelt } from '../../altering/token-spelling.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** How many tokens the bank has issued. */
const issued = ofEachBank(() => ({ count: 1_041_217 }))

/** Another error in answers to token requests that have this field, or this grant_type. */
const errorsInstead = (what: string, right: string, wrong: string): Fault['middleware'] =>
  refusals(['token'], (ctx) => {
    const form = tokenForm(ctx)
    const { status } = ctx
    const body = jsonOf(ctx)
    if (!form?.has(what) && form?.get('grant_type') !== what) return false
    if (body?.error !== right) return false
    ctx.body = { ...body, error: wrong }
    ctx.status = status
  })

const faults: Fault[] = [
  {
    id: 'tokens-are-counted',
    story: 'Tokens can be guessed: each is a fixed text with a number that increases by one.',
    fails: [],
    warns: ['SEC-15/not-guessable'],
    middleware: tokensSpelt(() => {
      issued().count += 1
      return `open-banking-token-service-${issued().count}`
    }),
  },
  {
    id: 'token-scopes-end-with-a-space',
    story: 'A space is added behind each scope, and the last one stays.',
    fails: [],
    warns: ['TOK-60/single-spaces'],
    middleware: successes(['token'], (body) =>
      typeof body.scope === 'string' ? { ...body, scope: `${body.scope} ` } : undefined,
    ),
  },
  {
    id: 'token-errors-with-200',
    story: 'Errors of the token endpoint have status 200.',
    fails: [],
    warns: ['TOK-41/status'],
    middleware: refusals(['token'], (ctx) => {
      const { body } = ctx
      ctx.status = 200
      ctx.body = body
    }),
  },
  {
    id: 'token-errors-quote-values',
    story:
      'error_description contains quotes, line breaks and tabs, which OAuth does not allow. It is the text of an exception.',
    fails: [],
    warns: ['TOK-46/characters'],
    middleware: refusals(['token'], (ctx) => {
      const { status } = ctx
      const body = jsonOf(ctx)
      if (typeof body?.error !== 'string') return false
      ctx.body = { ...body, error_description: `grant "${body.error}"\n\tat TokenEndpoint` }
      ctx.status = status
    }),
  },
  {
    id: 'unknown-codes-are-of-an-unknown-client',
    story: 'An unknown code gets the error invalid_client instead of invalid_grant.',
    fails: [],
    warns: ['TOK-56/code'],
    middleware: errorsInstead('code', 'invalid_grant', 'invalid_client'),
  },
  {
    id: 'unknown-refresh-tokens-are-of-an-unknown-client',
    story: 'An unknown refresh token gets the error invalid_client instead of invalid_grant.',
    fails: [],
    warns: ['TOK-56/refresh-token'],
    middleware: errorsInstead('refresh_token', 'invalid_grant', 'invalid_client'),
  },
  {
    id: 'unknown-clients-have-no-grant',
    story: 'A failed client authentication gets the error invalid_grant instead of invalid_client.',
    fails: [],
    warns: ['TOK-56/client'],
    middleware: errorsInstead('client_credentials', 'invalid_client', 'invalid_grant'),
  },
  {
    id: 'client-tokens-with-an-id-token',
    story:
      'The response to a client_credentials request has an ID token, although no customer logged in.',
    fails: [],
    warns: ['TOK-57/no-id-token'],
    middleware: answers((ctx) => {
      const form = tokenForm(ctx)
      const body = jsonOf(ctx)
      if (form?.get('grant_type') !== 'client_credentials' || !body?.access_token) return false
      const { bank } = stateOf(ctx)
      const { clientId: sub } =
        bank.services.records.peek('ClientCredentials', String(body.access_token)) ?? {}
      const now = Math.floor(Date.now() / 1000)
      const claims = {
        iss: bank.services.endpoints.issuer,
        sub,
        aud: sub,
        iat: now,
        exp: now + 300,
      }
      ctx.body = { ...body, id_token: bank.signAsBank(claims) }
      return true
    }),
  },
  {
    id: 'tokens-with-a-bar',
    story: 'Access tokens contain the character |, which a Bearer token may not have.',
    fails: [],
    warns: ['TOK-42/b64token'],
    middleware: tokensSpelt((token) => {
      const digest = createHash('sha256').update(token).digest('hex')
      return `${Number.parseInt(digest.slice(0, 8), 16)}|${token}`
    }),
  },
  {
    id: 'refresh-token-is-the-access-token',
    story: 'The refresh token and the access token have the same value.',
    fails: [],
    warns: ['TOK-43/apart'],
    async middleware(ctx, next) {
      await next()
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body?.refresh_token) return
      const { records } = stateOf(ctx).bank.services
      const record = records.peek('RefreshToken', String(body.refresh_token))
      if (!record) return
      const lifetime = 90 * 86_400
      const token = String(body.access_token)
      await records.adapter('RefreshToken').upsert(token, { ...record, jti: token }, lifetime)
      ctx.body = { ...body, refresh_token: token }
      stateOf(ctx).fired()
    },
  },
  {
    id: 'token-responses-may-be-stored',
    story:
      'Token responses have Cache-Control: no-cache instead of no-store, so they may be stored.',
    fails: [],
    warns: ['TOK-44/no-store'],
    middleware: answers((ctx) => {
      if (partOf(ctx) !== 'token') return false
      ctx.set('cache-control', 'no-cache')
      return true
    }),
  },
  {
    id: 'tokens-live-a-day-and-say-an-hour',
    story: 'The exp claim of an access token (a JWT) is one day later; expires_in says one hour.',
    fails: [],
    warns: ['TOK-45/as-long'],
    middleware: tokensSpelt((token, ctx) =>
      stateOf(ctx).bank.signAsBank({ jti: token, exp: Math.floor(Date.now() / 1000) + 86_400 }),
    ),
  },
  {
    id: 'tokens-tell-ten-minutes-and-say-an-hour',
    story:
      'The exp claim of an access token (a JWT) is ten minutes later; expires_in says one hour.',
    fails: [],
    warns: ['TOK-45/no-shorter'],
    middleware: tokensSpelt((token, ctx) =>
      stateOf(ctx).bank.signAsBank({ jti: token, exp: Math.floor(Date.now() / 1000) + 600 }),
    ),
  },
  {
    id: 'code-hash-of-the-token',
    story:
      'The c_hash of the ID token of the token endpoint is computed over the access token instead of the code.',
    fails: [],
    warns: ['TOK-37/claims'],
    middleware: idTokens((claims, sign, ctx) =>
      partOf(ctx) === 'token'
        ? sign({ ...claims, c_hash: halfHash(String(jsonOf(ctx)?.access_token)) })
        : undefined,
    ),
  },
  {
    id: 'class-of-the-default-at-the-token-endpoint',
    story:
      'The acr of the ID token differs between the authorisation endpoint and the token endpoint.',
    fails: [],
    warns: ['TOK-37/claims'],
    middleware: idTokens((claims, sign, ctx) =>
      sign({ ...claims, acr: partOf(ctx) === 'token' ? '0' : 'urn:openbanking:psd2:sca' }),
    ),
  },
]

export default faults
