import type { Context } from 'koa'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'
import { answers, jsonOf, partOf } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'

const grantOf = (ctx: Context) =>
  partOf(ctx) === 'token' ? new URLSearchParams(stateOf(ctx).body).get('grant_type') : undefined

const deletions = ofEachBank(() => ({ refused: false }))

const refreshes = ofEachBank(() => ({ refused: false }))

/** Answers one grant type with invalid_grant. */
function refused(id: string, grant: string, story: string): Alteration {
  return {
    id,
    story,
    async middleware(ctx, next) {
      if (grantOf(ctx) !== grant) return next()
      ctx.status = 400
      ctx.body = { error: 'invalid_grant', error_description: 'the grant is not valid' }
      stateOf(ctx).refusal = { reason: 'invalid_grant', detail: 'the scenario refuses this grant' }
      stateOf(ctx).fired()
    },
  }
}

function unavailable(ctx: Context): void {
  ctx.status = 503
  ctx.body = { error: 'temporarily_unavailable' }
  stateOf(ctx).refusal = { reason: 'unavailable', detail: 'temporarily unavailable' }
  stateOf(ctx).fired()
}

/** Removes a member from answers of the token endpoint. */
function leftOut(id: string, member: string): Alteration {
  return {
    id,
    story: `The token response has no ${member}, which is not required.`,
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || !body || !(member in body)) return false
      delete body[member]
    }),
  }
}

const alterations: Alteration[] = [
  refused('refresh-refused', 'refresh_token', 'Every refresh token is refused.'),
  refused('code-refused', 'authorization_code', 'Every code is refused.'),
  {
    id: 'token-endpoint-unavailable',
    story: 'Every token request is answered with 503.',
    async middleware(ctx, next) {
      if (grantOf(ctx) === undefined) return next()
      unavailable(ctx)
    },
  },
  {
    id: 'first-refresh-unavailable',
    story: 'The first refresh is answered with 503.',
    async middleware(ctx, next) {
      if (grantOf(ctx) !== 'refresh_token' || refreshes().refused) return next()
      refreshes().refused = true
      unavailable(ctx)
    },
  },
  {
    id: 'tokens-end-at-re-confirmation',
    story: 'A re-confirmation ends the earlier tokens of the consent; the new code gives new ones.',
    async middleware(ctx, next) {
      await next()
      const value = jsonOf(ctx)?.access_token
      if (grantOf(ctx) !== 'authorization_code' || typeof value !== 'string') return
      const { consents, records } = stateOf(ctx).bank.services
      const { grantId = '' } = records.peek('AccessToken', value) ?? {}
      for (const earlier of consents.ofGrant(grantId)?.grants ?? []) {
        if (earlier === grantId) continue
        records.revokeGrant(earlier)
        stateOf(ctx).fired()
      }
    },
  },
  leftOut('token-type-left-out', 'token_type'),
  leftOut('no-id-token-from-token-endpoint', 'id_token'),
  {
    id: 'token-type-mac',
    story: 'The token_type of a customer’s access token is mac.',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      const ofTheClient = grantOf(ctx) === 'client_credentials'
      if (partOf(ctx) !== 'token' || ofTheClient || !body?.access_token) return false
      ctx.body = { ...body, token_type: 'mac' }
    }),
  },
  {
    id: 'token-type-in-small-letters',
    story: 'The token_type is bearer in lower case.',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || !body?.token_type) return false
      ctx.body = { ...body, token_type: 'bearer' }
    }),
  },
  {
    id: 'more-members-in-token-responses',
    story: 'The token response has members that no standard defines.',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || !body?.access_token) return false
      ctx.body = { ...body, refresh_token_expires_in: 7_776_000, resource: null, not_before: [0] }
    }),
  },
  {
    id: 'tokens-of-a-second',
    story: 'A customer’s access token is valid for one second after the first data request.',
    async middleware(ctx, next) {
      await next()
      const { records } = stateOf(ctx).bank.services
      const value = ctx.get('authorization').replace(/^Bearer +/i, '')
      const record = records.peek('AccessToken', value)
      const last = /\/transactions$/.test(ctx.path) && ctx.status === 200
      if (
        partOf(ctx) === 'token' &&
        jsonOf(ctx)?.access_token &&
        grantOf(ctx) !== 'client_credentials'
      ) {
        ctx.body = { ...jsonOf(ctx), expires_in: 1 }
        stateOf(ctx).fired()
      }
      if (!record || !last || String(record.gty).endsWith('refresh_token')) return
      record.exp = Math.floor(Date.now() / 1000) - 3600
    },
  },
  {
    id: 'first-deletion-meets-an-expired-token',
    story: 'The first delete of a consent gets 401, because its access token has expired.',
    async middleware(ctx, next) {
      const isDeletion = ctx.method === 'DELETE' && partOf(ctx) === 'consents'
      if (!isDeletion || deletions().refused) return next()
      deletions().refused = true
      const value = ctx.get('authorization').replace(/^Bearer +/i, '')
      const record = stateOf(ctx).bank.services.records.peek('ClientCredentials', value)
      if (record) record.exp = Math.floor(Date.now() / 1000) - 3600
      stateOf(ctx).fired()
      await next()
    },
  },
]

export default alterations
