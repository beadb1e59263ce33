import { brief, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'

/** What the configuration says of requests that the documents describe. Requirements: specs/account-information/discovery.yaml */

/**
 * OpenID Connect Discovery 3. Every configuration. Fails: a member that is there says that a documented request or answer is
 * not supported, or none is among the algorithms of client assertions. Members may be absent.
 */
rule(
  'DISC-18/agrees',
  'The configuration does not contradict the requests and answers of the document',
  { endpoints: ['discovery'] },
  (exchange) => {
    if (exchange.endpoint !== 'discovery' || !succeeded(exchange)) return undefined
    const { json } = exchange.response ?? {}
    if (json === undefined) return undefined
    const wrong = (name: string, message: string, expected: string): Finding[] => [
      { message, expected, actual: brief(member(json, name)), place: `/${name}` },
    ]
    const listed = (name: string, value: string) => {
      const list = member(json, name)
      return Array.isArray(list) ? list.includes(value) : undefined
    }
    return [
      ...(listed('response_modes_supported', 'fragment') === false
        ? wrong(
            'response_modes_supported',
            'the response mode fragment is not supported',
            'fragment',
          )
        : []),
      ...(member(json, 'request_parameter_supported') === false
        ? wrong('request_parameter_supported', 'request objects are not supported', 'true')
        : []),
      ...(listed(ASSERTIONS, 'none')
        ? wrong(ASSERTIONS, 'client assertions may have no signature', 'no none')
        : []),
    ]
  },
)

/** Discovery 3: “The value none MUST NOT be used.” For ID tokens it may be listed: code flows may have one without a signature. */
const ASSERTIONS = 'token_endpoint_auth_signing_alg_values_supported'
