import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { Consent } from '../../../bank/state/consents.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { isFirst } from '../../altering/connections.ts'
import { consentNamed, isAbout } from '../../altering/consent-requests.ts'
import { endpointOf } from '../../altering/data-requests.ts'
import { tokenForm } from '../../altering/jwt-rewrites.ts'
import { type Json, jsonOf } from '../../altering/rewriting.ts'
import { outlives } from '../../cells/access-cells.ts'
import { bearerOf } from '../../cells/parties.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** Faults with simultaneous requests: for one consent, or at several nodes. */

/** Duration of a read from the store in milliseconds. */
const READ = 10

/** Connections over which accounts were asked for, and how many of the latest such requests each had a new one. */
const connections = ofEachBank(() => ({ seen: new WeakSet<Socket>(), inARow: 0 }))

/** Is this the first request of a connection, and the fifth such request in a row? */
function isOfFifth({ req: { socket } }: Context): boolean {
  const opened = connections()
  opened.inARow = opened.seen.has(socket) ? 0 : opened.inARow + 1
  opened.seen.add(socket)
  return opened.inARow === 5
}

/** Access tokens that a read has put back. */
const putBack = ofEachBank(() => new Set<string>())

/** The latest access token of each consent that a refresh over a new connection gave, and when. */
const refreshed = ofEachBank(() => new Map<string, { token: string; at: number }>())

/** Access tokens that were stored after the deletion of their consent had ended all others. */
const stored = ofEachBank(() => new Set<string>())

/** Steps of READ in which a deletion waits for a refresh that was sent with it. */
const STEPS = 100

/** Waits for a refresh that was sent with the deletion of this consent, and lets its token live on. */
async function outlivedByARefresh({ id }: Consent): Promise<void> {
  const since = performance.now() - STEPS * READ
  for (let step = 0; step < STEPS; step += 1) {
    const { token, at } = refreshed().get(id) ?? {}
    if (token !== undefined && at !== undefined && at > since) {
      stored().add(token)
      return
    }
    await wait(READ)
  }
}

/** The connection over which a consent with a period was created. */
const homes = ofEachBank(() => new Map<string, Socket>())

/** The access tokens of a cache open data, whatever has become of their consent. */
const tokensStay =
  (cache: () => ReadonlySet<string>): NonNullable<Fault['policies']> =>
  (correct, { fired }) => ({
    tokensDie: () => false,
    consentUsable(consent, age) {
      const ctx = currentRequest()
      if (!ctx || !cache().has(bearerOf(ctx))) return correct.consentUsable(consent, age)
      fired()
      return undefined
    },
  })

const faults: Fault[] = [
  {
    ...outlives('deletion-at-another-node', ({ deleted }) => deleted !== undefined, isFirst, {
      fails: ['CLC-04/data-refused'],
    }),
    story:
      'Over a new connection, an access token still reads data after the delete of the consent. Each server has its own cache of tokens, and the delete clears only one.',
    async middleware(ctx, next) {
      isFirst(ctx)
      await next()
    },
  },
  {
    id: 'deleted-consents-at-another-node',
    story:
      'Over a new connection, a deleted consent can still be queried, because another server answers from an old copy.',
    fails: ['CLC-03/query-refused'],
    async middleware(ctx, next) {
      const consent = isAbout(ctx, 'account-access', 'GET') ? consentNamed(ctx) : undefined
      const { deleted } = consent ?? {}
      if (!isFirst(ctx) || !consent || deleted === undefined) return next()
      stateOf(ctx).fired()
      consent.deleted = undefined
      await next()
      consent.deleted = deleted
    },
  },
  {
    id: 'consent-put-back-by-a-read-during-its-deletion',
    story:
      'If a consent in AwaitingAuthorisation is queried during its delete, it stays, because the query writes it back into the cache.',
    fails: ['CLC-03/at-once'],
    async middleware(ctx, next) {
      const consent = isAbout(ctx, 'account-access', 'GET') ? consentNamed(ctx) : undefined
      if (!consent || consent.deleted || consent.customerId) return next()
      await wait(READ)
      if (consent.deleted) {
        consent.deleted = undefined
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'token-put-back-by-a-read-during-the-deletion',
    story:
      'If data are read during the delete of a consent, the access token still works afterwards, because the read writes it back into the cache.',
    fails: ['CLC-04/re-confirmed'],
    policies: tokensStay(putBack),
    async middleware(ctx, next) {
      const isOnlyOne = isFirst(ctx)
      const { consent } = (endpointOf(ctx) && isOnlyOne && tokenInfoOf(ctx)) || {}
      if (!consent || consent.deleted) return next()
      await next()
      // Long enough for two connections that are opened at once.
      await wait(5 * READ)
      if (consent.deleted) putBack().add(bearerOf(ctx))
    },
  },
  {
    id: 'token-stored-by-a-refresh-during-the-deletion',
    story:
      'If a token is refreshed during the delete of a consent, the new access token reads data, because it is stored after the delete.',
    fails: ['CLC-04/re-confirmed'],
    policies: tokensStay(stored),
    async middleware(ctx, next) {
      const isOnlyOne = isFirst(ctx)
      const { consents, records } = stateOf(ctx).bank.services
      const named = isAbout(ctx, 'account-access', 'DELETE') ? consentNamed(ctx) : undefined
      if (isOnlyOne && named?.customerId) await outlivedByARefresh(named)
      const used = tokenForm(ctx)?.get('refresh_token')
      const { grantId } = (used && records.peek('RefreshToken', used)) || {}
      const consent = grantId ? consents.ofGrant(grantId) : undefined
      await next()
      const token = jsonOf(ctx)?.access_token
      if (!isOnlyOne || !consent || typeof token !== 'string') return
      refreshed().set(consent.id, { token, at: performance.now() })
    },
  },
  {
    id: 'consents-with-a-period-stay-at-one-node',
    story:
      'Over a new connection, a consent with a transaction period cannot be queried, because only the server that created it has it in memory.',
    fails: ['CONS-22/another-connection'],
    async middleware(ctx, next) {
      const { consents } = stateOf(ctx).bank.services
      const isElsewhere = isFirst(ctx)
      const named = isAbout(ctx, 'account-access', 'GET') ? consentNamed(ctx) : undefined
      const home = named && homes().get(named.id)
      if (isElsewhere && home && !home.destroyed) {
        ctx.status = 404
        ctx.body = { Code: '404', Message: 'unknown consent', Errors: [] }
        return stateOf(ctx).fired()
      }
      await next()
      if (!isAbout(ctx, 'account-access', 'POST')) return
      const { ConsentId } = (jsonOf(ctx)?.Data ?? {}) as Json
      const created = consents.get(String(ConsentId))
      if (created?.transactionsFrom !== undefined) homes().set(created.id, ctx.req.socket)
    },
  },
  {
    id: 'one-node-knows-no-tokens',
    story:
      'GET /accounts over a new connection sometimes gets 401 for a valid access token, because one of the servers cannot read the tokens.',
    fails: ['DATA-08/each-connection'],
    async middleware(ctx, next) {
      if (endpointOf(ctx) !== 'accounts' || !isOfFifth(ctx)) return next()
      ctx.status = 401
      ctx.set('www-authenticate', 'Bearer error="invalid_token"')
      ctx.body = { Code: '401', Message: 'unknown token', Errors: [] }
      stateOf(ctx).fired()
    },
  },
]

export default faults
