import { type Owners, accountsOwner as ownerOfAccounts } from '../engine/suite-api/owners.ts'

/** The check that owns each message of the happy path. Other checks that need the message are blocked by it. */
export const OWNERS = {
  discovery: 'DISC-01/served',
  jwks: 'DISC-10/served',
  registration: 'REG-08/created',
  management: 'TOK-03/client-credentials',
  consent: 'CONS-01/answers-201',
  consentWithExpiry: 'CONS-13/accepted',
  consentWithPeriod: 'CONS-14/accepted',
  query: 'CONS-22/answers-200',
  deletion: 'CLC-01/awaiting',
  visit: 'AUTHZ-01/approved',
  visitWithoutState: 'AUTHZ-05/without-state',
  visitAgain: 'AUTHZ-16/same-intent',
  exchange: 'TOK-03/authorization-code',
  refresh: 'TOK-03/refresh-token',
  fundsConfirmation: 'FCC-01/answers-201',
  fundsWithExpiry: 'FCC-06/accepted',
  fundsDeletion: 'FCC-12/answers-204',
  accounts: 'ACC-01/answers-200',
  accountsWithBasicAlone: 'ACC-11/basic-alone',
  accountsWithDetailAlone: 'ACC-11/detail-alone',
  balances: 'BAL-01/answers-200',
  transactions: 'TXN-01/answers-200',
  products: 'PROD-01/answers-200',
} as const

/** Ids of the suites that the engine needs; it knows none itself. */
export const owners: Owners = {
  steps: OWNERS,
  laterRegistration: 'REG-32/recorded',
  shapes: {
    configuration: 'DISC-01/configuration',
    members: 'DISC-03/members',
    jwks: 'DISC-10/jwks',
  },
  endpoints: {
    discovery: OWNERS.discovery,
    jwks: OWNERS.jwks,
    registration: OWNERS.registration,
    token: OWNERS.management,
    authorisation: OWNERS.visit,
    'create-account-access-consent': OWNERS.consent,
    'query-account-access-consent': OWNERS.query,
    'delete-account-access-consent': OWNERS.deletion,
    'create-funds-confirmation-consent': OWNERS.fundsConfirmation,
    'delete-funds-confirmation-consent': OWNERS.fundsDeletion,
    accounts: OWNERS.accounts,
    account: OWNERS.accounts,
    balances: OWNERS.balances,
    'account-balances': OWNERS.balances,
    transactions: OWNERS.transactions,
    'account-transactions': OWNERS.transactions,
    products: OWNERS.products,
  },
  facts: {
    'token-expired': ['TOK-21/expired', 'SEC-03/expired-token', 'FCC-13/expired-token'],
    'consent-expired': ['CLC-16/data-refused'],
    'ninety-days-passed': ['CLC-18/data-refused'],
    'customer-revokes': ['CLC-10/sees-revoked', 'CLC-11/data-refused'],
  },
}

/** The check that owns GET /accounts under these permissions. */
export function accountsOwner(permissions: readonly string[]): string {
  return ownerOfAccounts(permissions, owners)
}
