import {
  codeOfAnotherClient,
  everything,
  reconfirmed,
  WITH_TRANSACTIONS,
} from '../../../consents.ts'

/** The customers of the approvals that read balances, by the approvals' names. */
export const CUSTOMERS = new Map<string, string>(
  [everything, reconfirmed, codeOfAnotherClient, ...WITH_TRANSACTIONS].map(
    ({ name, customer = 'first' }) => [name, customer],
  ),
)
