import { rule } from '../../../engine/suite-api/rule.ts'
import { DATA, isWithCustomer } from '../common/endpoints.ts'

/** Rate limiting of data requests. Requirements: specs/account-information/rate-limit.yaml */

rule(
  'RATE-02/no-429-while-present',
  'No data request of the present customer is answered 429',
  {
    endpoints: DATA,
    follows: ['RATE-02/present-is-served'],
    retried: true,
  },
  (exchange) => {
    const { endpoint, request, response, about } = exchange
    if (!about.consent || !isWithCustomer(exchange)) return undefined
    if (response?.status !== 429) return []
    const message = `${request.method} ${endpoint} answered 429 although the customer is present`
    return [{ message, expected: 'an answer other than 429', actual: '429' }]
  },
)
