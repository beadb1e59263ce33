import { answerOf, type Endpoint, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'

/**
 * The statuses of the table of endpoints, judged on every correct request and not only on that of
 * the check with the same id, if there is one: also for the second client, the second account, the tenth consent.
 */
const SHOWN: [
  id: string,
  endpoint: Endpoint,
  method: string,
  status: number,
  follows?: readonly string[],
][] = [
  ['REG-08/created', 'registration', 'POST', 201],
  ['CONS-01/answers-201', 'create-account-access-consent', 'POST', 201],
  ['CONS-22/answers-200', 'query-account-access-consent', 'GET', 200],
  [
    'CLC-01/answers-204',
    'delete-account-access-consent',
    'DELETE',
    204,
    // Deletions of one state, which checks look at.
    [
      ...['CLC-01/awaiting', 'CLC-01/authorised', 'CLC-01/revoked', 'CLC-01/expired'],
      ...['CLC-01/denied', 'CLC-01/re-confirmed', 'CLC-01/after-ninety-days'],
      'CLC-01/second-client',
    ],
  ],
  ['FCC-01/answers-201', 'create-funds-confirmation-consent', 'POST', 201],
  ['FCC-12/answers-204', 'delete-funds-confirmation-consent', 'DELETE', 204],
  ['ACC-01/answers-200', 'accounts', 'GET', 200],
  ['ACC-02/answers-200', 'account', 'GET', 200],
  ['BAL-01/answers-200', 'balances', 'GET', 200],
  ['BAL-02/answers-200', 'account-balances', 'GET', 200],
  ['TXN-01/answers-200', 'transactions', 'GET', 200],
  ['TXN-02/answers-200', 'account-transactions', 'GET', 200],
]

for (const [id, endpoint, method, status, follows] of SHOWN) {
  rule(
    id,
    `Every success of ${method} on ${endpoint} has status ${status}`,
    { endpoints: [endpoint], ...(follows && { follows }) },
    (exchange) => {
      const { request, about, response } = exchange
      if (exchange.endpoint !== endpoint || request.method !== method) return undefined
      if (about.deviation !== undefined || !succeeded(exchange)) return undefined
      if (response?.status === status) return []
      const actual = answerOf(exchange)
      return [
        { message: `answered ${actual} instead of ${status}`, expected: String(status), actual },
      ]
    },
  )
}
