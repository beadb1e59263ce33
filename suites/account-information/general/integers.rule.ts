import { succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { writtenOtherwise } from '../../written-integers.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** How integers are written. Requirements: specs/account-information/general.yaml */

/** RFC 6749 A.14. Every 2xx with expires_in, or with TotalPages. JSON does not tell integers from other numbers; clients do. */
rule(
  'GEN-38/digits',
  'An integer of an answer is written in digits alone',
  { endpoints: ['token', ...CONSENTS, ...DATA] },
  (exchange) => {
    const { endpoint } = exchange
    if (!succeeded(exchange)) return undefined
    if (endpoint === 'token') return writtenOtherwise(exchange, ['expires_in'])
    if (!CONSENTS.includes(endpoint) && !DATA.includes(endpoint)) return undefined
    return writtenOtherwise(exchange, ['TotalPages'])
  },
)
