import type { Context } from 'koa'
import { stateOf } from '../../bank/state/state.ts'
import { decoded, tokenForm } from '../altering/jwt-rewrites.ts'
import { jsonOf, partOf } from '../altering/rewriting.ts'
import { formOf } from '../altering/token-requests.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'

/** Milliseconds until every server of the bank has heard of what is new. */
const LATE = 80

/** When ids of clients and consents, codes and tokens were given. */
const births = ofEachBank(() => new Map<string, number>())

const isNew = (id: string | undefined) => Date.now() - (births().get(id ?? '') ?? 0) < LATE

/** What an answer gives: a client_id, tokens, a ConsentId or a code. */
function givenBy(ctx: Context): string[] {
  const body = jsonOf(ctx)
  const data = body?.Data as Record<string, unknown> | undefined
  const { client_id: clientId, access_token: token, refresh_token: refreshToken } = body ?? {}
  const ids = ctx.method === 'POST' ? [clientId, token, refreshToken, data?.ConsentId] : []
  const [, code] = /[#&?]code=([^&]+)/.exec(ctx.response.get('location')) ?? []
  return [...ids, code].filter((id) => typeof id === 'string')
}

/** The ConsentId in the request object of an authorisation request. */
function intentOf(ctx: Context): string | undefined {
  const { claims } = decoded(ctx.query.request).claims as Intended
  return claims?.id_token?.openbanking_intent_id?.value
}

interface Intended {
  claims?: { id_token?: { openbanking_intent_id?: { value?: string } } }
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
      'A new client, consent, code or token works only a moment after it was issued. The document does not say that every server of the bank has it at once.',
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
      const form = tokenForm(ctx)
      if (isNew(form?.get('code') ?? form?.get('refresh_token') ?? undefined)) {
        return refuse(400, { error: 'invalid_grant' })
      }
      const { authorisation } = stateOf(ctx).bank.services.endpoints.paths
      if (ctx.path === authorisation && isNew(intentOf(ctx))) {
        return refuse(400, '<h1>This request is not known</h1>')
      }
      if (isNew(bearer)) return refuse(401, { Code: '401 Unauthorized' })
      await next()
      for (const id of givenBy(ctx)) if (!births().has(id)) births().set(id, Date.now())
    },
  },
]
export default variants
