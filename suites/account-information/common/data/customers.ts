import { everything, reconfirmed, WITH_TRANSACTIONS } from '../../../consents.ts'

/** The customers of the approvals that read balances or transactions of all accounts, by the approvals' names. */
export const CUSTOMERS = new Map<string, string>(
  [everything, reconfirmed, ...WITH_TRANSACTIONS].map(({ name, customer = 'first' }) => [
    name,
    customer,
  ]),
)
