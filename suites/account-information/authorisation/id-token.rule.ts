import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import { type Exchange, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { AUTHORISATION, successOf } from '../common/visits/landings.ts'

/** How ID tokens are written, wherever they come. Requirements: specs/account-information/authorisation.yaml */

const ID_TOKENS = {
  endpoints: [...AUTHORISATION.endpoints, 'token'],
  also: AUTHORISATION.also,
} as const

/** The ID token of the redirect or of the token response that answers a correct request. */
function idTokenOf(exchange: Exchange): string | undefined {
  if (exchange.about.deviation !== undefined) return undefined
  if (exchange.endpoint !== 'token') return successOf(exchange)?.redirect.idToken
  const idToken = succeeded(exchange) && member(exchange.response?.json, 'id_token')
  return typeof idToken === 'string' ? idToken : undefined
}

/** RFC 7515 2 and 7.1. Every ID token that can be decoded. Fails: a part has padding or a character outside base64url. */
rule(
  'AUTHZ-46/base64url',
  'The parts of an ID token are in base64url, without padding',
  ID_TOKENS,
  (exchange) => {
    const idToken = idTokenOf(exchange)
    if (idToken === undefined || !claimsOf(idToken)) return undefined
    const [wrong] = /[^\w.-]/.exec(idToken) ?? []
    if (wrong === undefined) return []
    const actual = `the character ${JSON.stringify(wrong)}`
    return [{ message: `the ID token has ${actual}`, expected: 'letters, digits, - and _', actual }]
  },
)
