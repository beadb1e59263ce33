/**
 * Combinations of data endpoint and situation that no run covers with a successful request, each with the reason. Every
 * other cell of endpoints × situations is covered; tests/proof/cells.slow.test.ts checks this list.
 */
export const EMPTY_CELLS: Readonly<Record<string, string>> = {}

/**
 * Data endpoints in two situations at once that no run covers, each with the reason. Every other pair is covered; the
 * same test checks this list.
 */
export const EMPTY_PAIRS: readonly { cells: RegExp; because: string }[] = [
  {
    cells:
      /^\S+, (period|basic|basic-of-any|debits|no-accounts) \+ (basic-of-any|debits|no-accounts|accounts-only)$/,
    because:
      'Permissions that exclude each other, or an approval of their own, which a person gives.',
  },
  {
    cells:
      /^\S+, (second-client|second-customer|re-confirmed) \+ (basic|no-accounts|accounts-only)$/,
    because: 'Whom or what else an approval is of is told by another one, which a person gives.',
  },
  {
    cells:
      /^(balances|account-balances), (second-client|second-customer|re-confirmed) \+ (second-customer|re-confirmed|period|basic-of-any|debits)$/,
    because:
      'The narrow approval of the second client and customer opens no balances, and is to be refused them.',
  },
  {
    cells:
      /^(account|account-balances|account-transactions), absent \+ (period|basic|basic-of-any|debits|no-accounts|accounts-only)$/,
    because:
      'Banks allow few requests without the customer: of a narrow approval they are for the lists.',
  },
  {
    cells: /^\S+, second-customer \+ later-account$/,
    because: 'The second customer of the reference bank has one account.',
  },
  {
    cells: /^\S+, (from-alone|to-alone) \+ (to-alone|both-filters)$/,
    because: 'A request has one of them.',
  },
  {
    cells: /^\S+, (later-call \+ both-filters|\S+ \+ later-call)$/,
    because: 'What changes from call to call is asked of the first approval, without filters.',
  },
]
