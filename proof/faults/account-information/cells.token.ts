import { takesAuthentication, tokenAnswers } from '../../cells/token-cells.ts'
import type { Fault } from '../../proof.ts'

/** The token endpoint, one cell at a time: an authentication that passes for one grant or one client. */
const fails = (...ids: string[]) => ({ fails: ids })
const warns = (...ids: string[]) => ({ fails: [], warns: ids })

const CODE = 'authorization_code'
const REFRESH = 'refresh_token'
const CLIENT = 'client_credentials'

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
  takesAuthentication('absent', CLIENT, 'second', fails('TOK-04/no-assertion')),
  takesAuthentication('reused', CLIENT, 'second', warns('TOK-32/replayed')),
  takesAuthentication('no-expiry', CODE, undefined, warns('TOK-32/with-code')),
  takesAuthentication('reused', REFRESH, undefined, warns('TOK-32/with-refresh-token')),
  takesAuthentication('saml', CODE, undefined, fails('TOK-06/with-code')),
  takesAuthentication('saml', REFRESH, undefined, fails('TOK-06/with-refresh-token')),
  takesAuthentication('other-client-id', CODE, undefined, warns('TOK-33/with-code')),
  takesAuthentication('other-client-id', REFRESH, undefined, warns('TOK-33/with-refresh-token')),
  takesAuthentication('no-type', CLIENT, undefined, warns('TOK-39/no-type')),
  takesAuthentication('no-type', CODE, undefined, warns('TOK-39/with-code')),
  takesAuthentication('no-type', REFRESH, undefined, warns('TOK-39/with-refresh-token')),
  tokenAnswers(
    'expires-in-as-text',
    (body) => ({ ...body, expires_in: String(body.expires_in) }),
    CODE,
    'second',
    fails('TOK-17/expires-in'),
  ),
]

export default faults
