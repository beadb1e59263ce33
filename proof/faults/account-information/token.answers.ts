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
    story:
      'A token is the number of its row in a table, in front of which stands the name of the service.',
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
    story: 'The service says in the body how a request ended, and answers 200 to each.',
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
    story: 'The text of the exception is the description, and it quotes what was sent.',
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
    story:
      'A code tells whose it is; without a row for it there is no client, and that is the error.',
    fails: [],
    warns: ['TOK-56/code'],
    middleware: errorsInstead('code', 'invalid_grant', 'invalid_client'),
  },
  {
    id: 'unknown-refresh-tokens-are-of-an-unknown-client',
    story:
      'The owner of a refresh token is compared with the client, and a missing one is another.',
    fails: [],
    warns: ['TOK-56/refresh-token'],
    middleware: errorsInstead('refresh_token', 'invalid_grant', 'invalid_client'),
  },
  {
    id: 'unknown-clients-have-no-grant',
    story: 'One exception stands for whatever is wrong with a token request.',
    fails: [],
    warns: ['TOK-56/client'],
    middleware: errorsInstead('client_credentials', 'invalid_client', 'invalid_grant'),
  },
  {
    id: 'client-tokens-with-an-id-token',
    story:
      'The server signs an ID token for each grant, and names the client where nobody logged in.',
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
    story: 'An access token is the number of its row, a bar, and a secret.',
    fails: [],
    warns: ['TOK-42/b64token'],
    middleware: tokensSpelt((token) => {
      const digest = createHash('sha256').update(token).digest('hex')
      return `${Number.parseInt(digest.slice(0, 8), 16)}|${token}`
    }),
  },
  {
    id: 'refresh-token-is-the-access-token',
    story: 'The session has one secret, which opens data and gives the next token.',
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
      'The gateway sets one Cache-Control for all addresses: no-cache, which caches may store.',
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
    story: 'The life of tokens was shortened at the server, and the JWTs kept their claim.',
    fails: [],
    warns: ['TOK-45/as-long'],
    middleware: tokensSpelt((token, ctx) =>
      stateOf(ctx).bank.signAsBank({ jti: token, exp: Math.floor(Date.now() / 1000) + 86_400 }),
    ),
  },
  {
    id: 'tokens-tell-ten-minutes-and-say-an-hour',
    story:
      'The life of tokens was made longer at the server, and the JWTs kept the old one, which clients read.',
    fails: [],
    warns: ['TOK-45/no-shorter'],
    middleware: tokensSpelt((token, ctx) =>
      stateOf(ctx).bank.signAsBank({ jti: token, exp: Math.floor(Date.now() / 1000) + 600 }),
    ),
  },
  {
    id: 'code-hash-of-the-token',
    story: 'The ID token of the token endpoint has c_hash over the access token, by a copied line.',
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
    story: 'The token endpoint does not know how the customer logged in, and says the default.',
    fails: [],
    warns: ['TOK-37/claims'],
    middleware: idTokens((claims, sign, ctx) =>
      sign({ ...claims, acr: partOf(ctx) === 'token' ? '0' : 'urn:openbanking:psd2:sca' }),
    ),
  },
]

export default faults
