import type { Context, Middleware } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { consentNamed } from '../../altering/consent-requests.ts'
import type { Fault } from '../../run/proof.ts'

/** Notes that the current request should have been refused. */
function served(): true {
  const ctx = currentRequest()
  if (ctx) ctx.state.wasToBeRefused = true
  return true
}

/** The status is a refusal but the body has the data: the guard sets the status and does not return. */
function refusedInWord(status: number, words: Record<string, unknown> = {}): Middleware {
  return async (ctx: Context, next) => {
    await next()
    if (!ctx.state.wasToBeRefused || ctx.status >= 300) return
    const body = ctx.body as Record<string, unknown>
    ctx.status = status
    ctx.body = { ...words, ...body }
    stateOf(ctx).fired()
  }
}

const faults: Fault[] = [
  {
    id: 'refused-data-in-the-answer',
    story:
      'A request without the needed permission gets status 403, but the body has the data. The code sets the status and does not return.',
    fails: ['SEC-14/nothing-given'],
    policies: (correct) => ({
      permits: (permissions, endpoint) => correct.permits(permissions, endpoint) || served(),
    }),
    middleware: refusedInWord(403),
  },
  {
    id: 'ended-consents-in-the-answer',
    story: 'A data request for an ended consent gets status 403, but the body has the data.',
    fails: ['SEC-14/nothing-given'],
    policies: (correct) => ({
      tokensDie: () => false,
      consentUsable(consent, age) {
        if (correct.consentUsable(consent, age)) served()
        return undefined
      },
    }),
    middleware: refusedInWord(403),
  },
  {
    id: 'refused-registrations-are-stored',
    story:
      'A registration with invalid redirect URIs gets status 400, but the client is registered and the body has it.',
    fails: ['SEC-14/nothing-given'],
    policies: (correct) => ({
      redirectUrisAcceptable: (asked, statement) =>
        correct.redirectUrisAcceptable(asked, statement) || served(),
    }),
    middleware: refusedInWord(400, { error: 'invalid_redirect_uri' }),
  },
  {
    id: 'deleted-consents-in-the-answer',
    story: 'The query of a deleted consent gets status 400, but the body has the consent.',
    fails: ['SEC-14/nothing-given'],
    policies: (correct) => ({
      visibleToTpp: (consent) =>
        correct.visibleToTpp(consent) || (currentRequest()?.method === 'GET' && served()),
    }),
    middleware: refusedInWord(400, { Code: '400 BadRequest' }),
  },
  {
    id: 'strangers-are-told-how-it-ended',
    story: 'The refusal of a query shows another client that the consent is Revoked.',
    fails: ['SEC-14/nothing-given'],
    async middleware(ctx, next) {
      await next()
      const consent = consentNamed(ctx)
      const asker = tokenInfoOf(ctx)?.clientId
      if (consent?.status !== 'Revoked' || asker === undefined || asker === consent.clientId) return
      if (ctx.status < 400) return
      const { Data: _, ...error } = { ...(ctx.body as Record<string, unknown> | undefined) }
      ctx.body = { ...error, Data: { ConsentId: consent.id, Status: 'Revoked' } }
      stateOf(ctx).fired()
    },
  },
]

export default faults
