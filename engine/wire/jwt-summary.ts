import { isObject } from '../record/json.ts'
import { decodedPart } from './jwt-decode.ts'

/** Claims and header members whose values show what went wrong and give no access. */
const SHOWN = new Set(
  `alg typ cty kid crit iss aud exp iat nbf auth_time acr amr azp nonce state s_hash c_hash at_hash
  response_type response_types response_mode client_id scope redirect_uri redirect_uris grant_types
  application_type token_endpoint_auth_method token_endpoint_auth_signing_alg
  id_token_signed_response_alg request_object_signing_alg software_id software_redirect_uris
  software_roles org_id max_age value values essential openbanking_intent_id`.split(/\s+/),
)

/**
 * A JWT as evidence: header and claims without the signature. Only claims that are known to give no access have values;
 * all others are listed by name. It contains no quote and no backslash, so that it fits into JSON.
 *
 * @param redact applied to each value that is shown.
 * @returns undefined when the parts are not JSON.
 */
export function jwtSummary(header: string, payload: string, redact: Redact): string | undefined {
  const [head, claims] = [header, payload].map(decodedPart)
  if (head === undefined) return undefined
  const shown = members(head, redact)
  return claims === undefined ? shown : `${shown}; ${members(claims, redact)}`
}

/** Depth and number of the shown members are limited, because a bank chooses the claims of its ID token. */
function members(value: object, redact: Redact, depth = 0): string {
  const shown = Object.entries(value)
    .slice(0, 60)
    .map(([name, member]) => `${plain(redact(name))}${shownValue(name, member, redact, depth)}`)
  return shown.join(' ')
}

function shownValue(name: string, value: unknown, redact: Redact, depth: number): string {
  if (isObject(value)) return depth < 4 ? `={${members(value, redact, depth + 1)}}` : ''
  if (!SHOWN.has(name)) return ''
  const text = [value].flat().map(String).join(',')
  return `=${plain(redact(text.slice(0, 500)))}`
}

type Redact = (text: string) => string

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a bank writes may hold them
  return text.replace(/["\\\u0000-\u001f\u007f-\u009f]/g, ' ')
}
