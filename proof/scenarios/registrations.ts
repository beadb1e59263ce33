import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'
import { partOf } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'

/** Registrations that already got this answer. */
const answered = ofEachBank(() => new Set<string>())

/** Every registration gets this answer. */
const registered = (id: string, story: string, status: number, error: string): Alteration => ({
  id,
  story,
  async middleware(ctx, next) {
    const { body } = stateOf(ctx)
    const again = partOf(ctx) === 'registration' && answered().has(body)
    // The first request is still processed, so that its content is judged.
    if (!again) await next()
    if (!again && (partOf(ctx) !== 'registration' || ctx.status !== 201)) return
    answered().add(body)
    ctx.status = status
    ctx.body = { error }
    stateOf(ctx).refusal = { reason: error, detail: error }
    stateOf(ctx).fired()
  },
})

const alterations: Alteration[] = [
  registered(
    'registration-refused',
    'The bank refuses every registration (access_denied).',
    400,
    'access_denied',
  ),
  registered(
    'registration-unavailable',
    'Every registration is answered with 503.',
    503,
    'temporarily_unavailable',
  ),
  {
    id: 'last-redirect-uri-is-stored',
    story: 'The bank stores only the last redirect URI of a registration.',
    policies: (correct, { fired }) => ({
      redirectUrisStored(requested, stated) {
        const stored = correct.redirectUrisStored(requested, stated)
        if (stored.length > 1) fired()
        return stored.slice(-1)
      },
    }),
  },
  {
    id: 'client-credentials-are-not-stored',
    story: 'The bank does not store the client_credentials grant of a registration.',
    policies: (correct, { fired }) => ({
      grantTypesStored(requested) {
        const stored = correct.grantTypesStored(requested)
        const kept = stored.filter((grant) => grant !== 'client_credentials')
        if (kept.length < stored.length) fired()
        return kept
      },
    }),
  },
  {
    id: 'registered-for-tls-client-auth',
    story:
      'The registration response has token_endpoint_auth_method tls_client_auth, but the bank still accepts private_key_jwt.',
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        return {
          ...correct.registrationView(stored),
          token_endpoint_auth_method: 'tls_client_auth',
        }
      },
    }),
  },
  {
    id: 'scope-for-accounts-alone',
    story: 'The bank stores only the scopes openid and accounts of a registration.',
    policies: (correct, { fired }) => ({
      scopesStored(requested, roles) {
        const stored = correct.scopesStored(requested, roles)
        const kept = stored.filter((scope) => scope === 'openid' || scope === 'accounts')
        if (kept.length < stored.length) fired()
        return kept
      },
    }),
  },
]

export default alterations
