import { header, notJson, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { placeholdersIn } from '../../placeholders.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** What answers say, whatever they are about. Requirements: specs/account-information/general.yaml */

const ANSWERS = ['registration', 'token', ...CONSENTS, ...DATA] as const

/** Every refusal with a body whose Content-Type is application/json. Fails: the body is no JSON. Successes are judged by GEN-01. */
rule(
  'GEN-25/labelled-json',
  'A refusal that says it is JSON is JSON',
  { endpoints: ANSWERS },
  (exchange) => {
    const { response, endpoint } = exchange
    if (!ANSWERS.some((one) => one === endpoint) || !response || succeeded(exchange))
      return undefined
    const type = header(exchange, 'content-type') ?? ''
    if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type) || response.bytes === 0)
      return undefined
    if (response.json !== undefined) return []
    const actual = notJson(exchange)
    return [{ message: `the body under ${type} is not JSON`, expected: 'JSON', actual }]
  },
)

/** Every 2xx of consents and data. Fails: a text is null, undefined, NaN or [object Object], or has U+FFFD. */
rule(
  'GEN-26/placeholders',
  'No text of an answer is what a program writes where it has no value',
  { endpoints: [...CONSENTS, ...DATA] },
  (exchange) => {
    const { json } = exchange.response ?? {}
    if (![...CONSENTS, ...DATA].includes(exchange.endpoint) || !succeeded(exchange))
      return undefined
    return typeof json === 'object' && json !== null ? placeholdersIn(json) : undefined
  },
)
