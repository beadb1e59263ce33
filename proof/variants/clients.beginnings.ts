import type { Context } from 'koa'
import { stateOf } from '../../bank/state/state.ts'
import { jsonOf, partOf } from '../altering/rewriting.ts'
import { formOf } from '../altering/token-requests.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'

/** Milliseconds until every server of the bank has heard of what is new. */
const LATE = 80

/** When ids of clients and consents, and access tokens, were given. */
const births = ofEachBank(() => new Map<string, number>())

const isNew = (id: string | undefined) => Date.now() - (births().get(id ?? '') ?? 0) < LATE

/** What an answer gives: a client_id, an access token or a ConsentId. */
function givenBy(ctx: Context): string[] {
  const body = jsonOf(ctx)
  const data = body?.Data as Record<string, unknown> | undefined
  const ids = ctx.method === 'POST' ? [body?.client_id, body?.access_token, data?.ConsentId] : []
  return ids.filter((id) => typeof id === 'string')
}

/** The client that a token request names in its client assertion. */
function assertedClient(ctx: Context): string | undefined {
  const [, claims = ''] = (formOf(ctx).get('client_assertion') ?? '').split('.')
  return /"sub":"([^"]+)"/.exec(Buffer.from(claims, 'base64url').toString())?.[1]
}

const variants: Variant[] = [
  {
    id: 'what-is-new-is-known-a-moment-later',
    story:
      'No sentence says that each server hears at once of a client, a consent or a token: those that answer next know it a moment later.',
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        if (!isNew(consent.id)) return correct.visibleToTpp(consent)
        fired()
        return false
      },
    }),
    async middleware(ctx, next) {
      const [, bearer] = /^Bearer +(.+)/.exec(ctx.get('authorization')) ?? []
      const refuse = (status: number, body: unknown) => {
        stateOf(ctx).fired()
        ctx.status = status
        ctx.body = body
      }
      if (partOf(ctx) === 'token' && isNew(assertedClient(ctx))) {
        return refuse(401, { error: 'invalid_client' })
      }
      if (isNew(bearer)) return refuse(401, { Code: '401 Unauthorized' })
      await next()
      for (const id of givenBy(ctx)) births().set(id, Date.now())
    },
  },
]
export default variants
