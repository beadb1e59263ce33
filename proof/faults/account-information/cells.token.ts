import type { Context } from 'koa'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { correct } from '../../../bank/policies.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { decoded, tokenForm } from '../../altering/jwt-rewrites.ts'
import { clientIs, takesAuthentication, tokenAnswers } from '../../cells/token-cells.ts'
import type { Fault } from '../../run/proof.ts'

/** The token endpoint, one cell at a time: a wrong authentication is accepted for one grant or one client. */
const fails = (...ids: string[]) => ({ fails: ids })
const warns = (...ids: string[]) => ({ fails: [], warns: ids })

const CODE = 'authorization_code'
const REFRESH = 'refresh_token'
const CLIENT = 'client_credentials'

type Stored = NonNullable<ReturnType<typeof correct.stored>>

/** Treats codes of the second client, or of a re-confirmation, differently when they are exchanged. */
function codes(
  id: string,
  story: string,
  said: Pick<Fault, 'fails' | 'warns'>,
  fits: (owner: string, ctx: Context, record: Stored) => boolean,
  change: (record: Stored, form: URLSearchParams) => Stored | undefined,
): Fault {
  return {
    id,
    story,
    ...said,
    policies: (correct, { fired }) => ({
      stored(model, key, record) {
        const seen = correct.stored(model, key, record)
        const ctx = currentRequest()
        const form = ctx && tokenForm(ctx)
        if (!seen || !form?.has('code') || !['AuthorizationCode', 'Grant'].includes(model)) {
          return seen
        }
        if (!fits(String(seen.clientId), ctx as Context, seen)) return seen
        const changed = change(seen, form)
        if (changed) fired()
        return changed ?? seen
      },
    }),
  }
}

const ofSecond = (owner: string, ctx: Context) => clientIs(ctx, owner, 'second')

/** Was the consent of this code or grant authorised before? */
function ofKnownConsent(_owner: string, ctx: Context, { grantId, jti }: Stored): boolean {
  const consent = stateOf(ctx).bank.services.consents.ofGrant(String(grantId ?? jti))
  return (consent?.grants.size ?? 0) > 1
}

/** Treats the code as issued to the client that presents it. */
function forWhoeverAsks(record: Stored, form: URLSearchParams): Stored | undefined {
  const clientId = decoded(form.get('client_assertion')).claims.sub
  return clientId === record.clientId ? undefined : { ...record, clientId: String(clientId) }
}

function withAnyRedirectUri(record: Stored, form: URLSearchParams): Stored | undefined {
  const asked = form.get('redirect_uri')
  const other = record.kind === 'AuthorizationCode' && asked && asked !== record.redirectUri
  return other ? { ...record, redirectUri: asked } : undefined
}

const unused = (record: Stored): Stored | undefined =>
  record.consumed ? { ...record, consumed: undefined } : undefined

const faults: Fault[] = [
  takesAuthentication('secret-post', CODE, undefined, fails('TOK-05/with-code')),
  takesAuthentication('secret-basic', REFRESH, undefined, fails('TOK-05/with-refresh-token')),
  takesAuthentication('expired', CODE, undefined, fails('TOK-07/with-code')),
  takesAuthentication('other-audience', REFRESH, undefined, fails('TOK-07/with-refresh-token')),
  takesAuthentication('ps384', CLIENT, undefined, fails('TOK-08/other-algorithms')),
  takesAuthentication('es256', CLIENT, 'second', fails('TOK-08/other-algorithms')),
  takesAuthentication('rs256', CLIENT, 'second', fails('TOK-08/rs256')),
  takesAuthentication('ps512', CODE, undefined, fails('TOK-08/with-code')),
  takesAuthentication('rs256', REFRESH, undefined, fails('TOK-08/with-refresh-token')),
  takesAuthentication('absent', CODE, 'second', fails('TOK-04/second-client')),
  takesAuthentication('no-expiry', CODE, undefined, warns('TOK-32/with-code')),
  takesAuthentication('reused', REFRESH, undefined, warns('TOK-32/with-refresh-token')),
  takesAuthentication('saml', CODE, undefined, fails('TOK-06/with-code')),
  takesAuthentication('saml', REFRESH, undefined, fails('TOK-06/with-refresh-token')),
  takesAuthentication('other-client-id', CODE, undefined, warns('TOK-33/with-code')),
  takesAuthentication('other-client-id', REFRESH, undefined, warns('TOK-33/with-refresh-token')),
  takesAuthentication('no-type', CLIENT, undefined, warns('TOK-39/no-type')),
  takesAuthentication('no-type', CODE, undefined, warns('TOK-39/with-code')),
  takesAuthentication('no-type', REFRESH, undefined, warns('TOK-39/with-refresh-token')),
  codes(
    'codes-of-the-second-client-for-anybody',
    'Another client can use a code of the second client.',
    fails('TOK-35/second-client'),
    ofSecond,
    forWhoeverAsks,
  ),
  codes(
    'codes-of-a-known-consent-for-anybody',
    'Another client can use the code of a re-confirmation.',
    fails('TOK-35/second-client'),
    ofKnownConsent,
    forWhoeverAsks,
  ),
  codes(
    'codes-of-the-second-client-with-any-redirect-uri',
    'The token endpoint accepts a code of the second client with any redirect_uri.',
    fails('TOK-12/second-client'),
    ofSecond,
    withAnyRedirectUri,
  ),
  codes(
    'codes-of-a-known-consent-with-any-redirect-uri',
    'The token endpoint accepts the code of a re-confirmation with any redirect_uri.',
    fails('TOK-12/second-client'),
    ofKnownConsent,
    withAnyRedirectUri,
  ),
  codes(
    'codes-of-the-second-client-work-twice',
    'A code of the second client can be used more than once.',
    warns('TOK-14/second-client'),
    ofSecond,
    unused,
  ),
  codes(
    'codes-of-a-known-consent-work-twice',
    'The code of a re-confirmation can be used more than once.',
    warns('TOK-14/second-client'),
    ofKnownConsent,
    unused,
  ),
  {
    id: 'refresh-tokens-of-the-first-client-for-the-second',
    story: 'The second client can use refresh tokens of the first client.',
    fails: ['TOK-13/second-client'],
    policies: (correct, { fired }) => ({
      stored(model, key, record) {
        const seen = correct.stored(model, key, record)
        const ctx = currentRequest()
        const form = ctx && tokenForm(ctx)
        if (!seen || !form?.has('refresh_token') || !['RefreshToken', 'Grant'].includes(model)) {
          return seen
        }
        const changed = forWhoeverAsks(seen, form)
        if (!ctx || !changed || !clientIs(ctx, changed.clientId, 'second')) return seen
        fired()
        return changed
      },
    }),
  },
  tokenAnswers(
    'expires-in-as-text',
    (body) => ({ ...body, expires_in: String(body.expires_in) }),
    CODE,
    'second',
    fails('TOK-17/expires-in'),
  ),
]

export default faults
