import type { Endpoint, Exchange } from '../../../engine/suite-api/responses.ts'

export { DATA } from '../../../engine/suite-api/responses.ts'

/** Creation and query of account access consents. */
export const ACCOUNT_ACCESS: readonly Endpoint[] = [
  'create-account-access-consent',
  'query-account-access-consent',
]

/** Creation and query of both kinds of consent, whose answers have the envelope. */
export const CONSENTS: readonly Endpoint[] = [
  ...ACCOUNT_ACCESS,
  'create-funds-confirmation-consent',
]

/** "Header x-fapi-customer-ip-address signals that the customer is present": does the request have it? */
export const isWithCustomer = ({ request }: Exchange): boolean =>
  request.headers.some(([name]) => name.toLowerCase() === 'x-fapi-customer-ip-address')
