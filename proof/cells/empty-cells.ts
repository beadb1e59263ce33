/**
 * Data endpoint and situation that no run meets with a success, each with the reason. Every other cell of
 * endpoints × situations is met, and tests/proof/cells.test.ts keeps this list honest.
 */
export const EMPTY_CELLS: Readonly<Record<string, string>> = {}

/**
 * Data endpoints in two situations at once that no run meets, each with the reason. Every other pair is met, and
 * the same test keeps this list honest.
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

/**
 * Wrong messages and places that no run brings together, each with the reason. Every other cell of
 * proof/cells/message-cells.ts is met, and tests/proof/cells.test.ts keeps this list honest.
 */
export const EMPTY_MESSAGE_CELLS: readonly { cells: RegExp; because: string }[] = [
  {
    cells: /^token: authorization_code, second client: (?!no authentication)/,
    because:
      'A code is an approval, and the run has one of the first client for it: the same service reads the codes of all.',
  },
  {
    cells: /^token: refresh_token, first client: /,
    because:
      'A bank may take a wrong refresh for theft and end the approval: that of the second client is kept for it.',
  },
  {
    cells: /^token: (authorization_code, first|refresh_token, second) client: a grant that/,
    because:
      'The reference bank gives no code, and no refresh token, to a client that did not register the grant; faults do.',
  },
  {
    cells: /^token: client_credentials, second client: a grant that/,
    because: 'The client without the grant is one more of the first software.',
  },
  {
    cells: /^consent: .*, create: of another client$/,
    because: 'What is created is nobody else’s.',
  },
  {
    cells: /^registration: second client: (?!software|signature|redirect URI)/,
    because:
      'A client that is not registered yet is known by its software statement alone: what is left is the same whoever sends it.',
  },
  {
    cells:
      /^authorisation: second client: (PS384|PS512|ES256|HS256|a parameter missing|consent of nobody, or of another)$/,
    because:
      'Each is a visit of a customer, and the others tell whether the second client’s request is read otherwise.',
  },
]
