import { stateOf } from '../../bank/state/state.ts'
import { decoded, tokenForm } from '../altering/jwt-rewrites.ts'
import { jsonOf } from '../altering/rewriting.ts'
import { formOf, tokenResponses } from '../altering/token-requests.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'

/** Milliseconds for which a client is refused. */
const LOCKED = 150

/** How often a client failed to authenticate in a row, and until when it is locked. */
const locks = ofEachBank(() => new Map<string, { failed: number; until: number }>())

const variants: Variant[] = [
  {
    id: 'token-address-has-a-page',
    story:
      'A GET request to the token endpoint returns an HTML page. The document shows only POST.',
    async middleware(ctx, next) {
      const { bank, fired } = stateOf(ctx)
      const isToken = ctx.path === bank.services.endpoints.paths.token
      if (!isToken || ctx.method !== 'GET') return next()
      ctx.body = '<h1>This address is for applications</h1>'
      return fired()
    },
  },
  {
    id: 'client-assertions-of-a-minute',
    story:
      'The bank refuses a client assertion whose exp is more than about a minute ahead. A server may reject one that is unreasonably far in the future (RFC 7523 3, 4).',
    async middleware(ctx, next) {
      const { exp } = decoded(tokenForm(ctx)?.get('client_assertion')).claims
      if (typeof exp !== 'number' || exp <= Date.now() / 1000 + 60) return next()
      ctx.status = 401
      ctx.body = { error: 'invalid_client', error_description: 'exp is too far in the future' }
      stateOf(ctx).fired()
    },
  },
  {
    id: 'clients-locked-after-five-wrong-assertions',
    story:
      'A client that fails to authenticate five times in a row is refused for a moment. The document does not forbid this.',
    async middleware(ctx, next) {
      const form = tokenForm(ctx)
      const { sub } = decoded(form?.get('client_assertion')).claims
      const id = String(form?.get('client_id') ?? sub ?? '')
      if (!form || id === '') return next()
      const { failed = 0, until = 0 } = locks().get(id) ?? {}
      if (Date.now() < until) {
        ctx.status = 401
        ctx.body = { error: 'invalid_client' }
        return stateOf(ctx).fired()
      }
      await next()
      const isWrong = jsonOf(ctx)?.error === 'invalid_client'
      const isLast = isWrong && failed === 4
      locks().set(id, {
        failed: isWrong && !isLast ? failed + 1 : 0,
        until: isLast ? Date.now() + LOCKED : 0,
      })
    },
  },
  {
    id: 'client-grants-need-a-scope',
    story:
      'The bank refuses a client_credentials request without scope. The form has no scope (AMB-11), and what happens without it is not shown.',
    policies: (correct, { fired }) => ({
      clientScopes(requested, registered) {
        if (requested.length > 0) return correct.clientScopes(requested, registered)
        fired()
        return []
      },
    }),
  },
  {
    id: 'client-tokens-without-funds',
    story:
      'A client_credentials token never has the scope of funds confirmation, and the response says so. RFC 6749 3.3 lets a server ignore a part of the requested scope.',
    policies: (correct, { fired }) => ({
      clientScopes(requested, registered) {
        const scopes = correct.clientScopes(requested, registered)
        const narrowed = scopes.filter((scope) => scope !== 'fundsconfirmations')
        if (narrowed.length < scopes.length) fired()
        return narrowed.length > 0 ? narrowed : ['accounts']
      },
    }),
  },
  {
    id: 'odd-token-requests-answered-oddly',
    story:
      'The response to a client_credentials request without scope has no scope and no expires_in. What such a request gets is not shown (AMB-11).',
    middleware: tokenResponses(({ scope: _scope, expires_in: _expires, ...body }, ctx) => {
      const form = formOf(ctx)
      const odd = form.get('grant_type') === 'client_credentials' && !form.get('scope')
      return odd ? body : undefined
    }),
  },
  {
    id: 'client-tokens-of-every-scope',
    story:
      'A client_credentials token always has all registered scopes of the client, whichever is requested; the response says so.',
    policies: (correct, { fired }) => ({
      clientScopes(_requested, registered) {
        fired()
        return correct.clientScopes([], registered)
      },
    }),
  },
]

export default variants
