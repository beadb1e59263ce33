import { consent, DATA_PERMISSIONS } from '../engine/suite-api/consents.ts'
import { periodAmong } from './account-information/common/consents/consent-periods.ts'
import { spellingFor } from './account-information/common/instants.ts'
import { nonceFor, stateFor } from './returned-texts.ts'

/** A long state with every kind of character that must be escaped in a URL. */
export const SPECIAL_STATE = `a b+c&d#e%2Ff/g=h?i;J~k!l*m'n(o)p:q@r,s$t${'.-_xY7'.repeat(24)}`

/** The one approval of the core profile: accounts, balances and transactions, no limits. */
export const everything = consent({
  name: 'everything',
  purpose: 'all permissions, no expiry, no period; choose every account',
  watched: true,
  core: true,
  browser: 'of the first approval',
  permissions: DATA_PERMISSIONS,
})

const STATEMENTS = ['ReadStatementsBasic', 'ReadStatementsDetail']

/** Only basic permissions and credits, a period without end, statement details. Ends by the customer's revocation. */
export const basicCredits = consent({
  name: 'basic credits',
  spelling: spellingFor(0),
  state: stateFor('basic credits'),
  optional: true,
  purpose:
    'basic permissions, credits since some day; choose every account; will be revoked at the bank',
  permissions: [
    'ReadAccountsBasic',
    'ReadBalances',
    'ReadTransactionsBasic',
    'ReadTransactionsCredits',
  ],
  besides: STATEMENTS,
  transactionsFromDays: -300,
  dates: periodAmong(everything, 'from', 'Credit'),
})

/** Debits in a part of the past, requested without state. Ends by the TPP's deletion. */
export const debitsInPeriod = consent({
  name: 'debits in a period',
  spelling: spellingFor(1),
  purpose: 'debits of a part of the past; choose every account; will be deleted by the TPP',
  permissions: [
    'ReadAccountsDetail',
    'ReadBalances',
    'ReadTransactionsDetail',
    'ReadTransactionsDebits',
  ],
  transactionsFromDays: -300,
  transactionsToDays: -30,
  dates: periodAmong(everything, 'both', 'Debit'),
  withoutState: true,
})

/** Accounts, and statements, which open no endpoint of the document. Ends by expiry. */
export const accountsOnly = consent({
  name: 'accounts only',
  spelling: spellingFor(2),
  state: stateFor('accounts only'),
  purpose: 'accounts and statements without balances and transactions; will expire',
  permissions: ['ReadAccountsDetail'],
  besides: STATEMENTS,
  expiresInDays: 30,
  toExpire: true,
})

/** Balances, statements and transactions up to some day, no accounts. */
export const noAccounts = consent({
  name: 'no accounts',
  spelling: spellingFor(3),
  nonce: nonceFor('no accounts'),
  optional: true,
  purpose: 'balances, statements and past transactions, no accounts; choose every account',
  permissions: [
    'ReadBalances',
    'ReadTransactionsBasic',
    'ReadTransactionsCredits',
    'ReadTransactionsDebits',
  ],
  besides: STATEMENTS,
  transactionsToDays: -30,
  dates: periodAmong(everything, 'to'),
})

/** The second customer. At the end ninety days pass for this consent, long before it expires. */
export const secondCustomer = consent({
  name: 'second customer',
  state: stateFor('second customer'),
  purpose: 'all permissions of the second customer; ninety days will pass for it',
  permissions: DATA_PERMISSIONS,
  expiresWhereTakenInDays: 300,
  customer: 'second',
})

/** The first customer with the second client and another redirect URI. Ends by the customer's revocation. */
export const secondClient = consent({
  name: 'second client',
  spelling: spellingFor(4),
  nonce: nonceFor('second client'),
  purpose:
    'all permissions, for the second TPP client; choose every account; will be revoked at the bank',
  permissions: DATA_PERMISSIONS,
  expiresInDays: 60,
  client: 'second',
  redirectUri: 1,
})

/**
 * The second customer with the second client: few permissions, and a part of the
 * past. Confirmed twice; wrong requests try its code. Ends by the TPP's deletion.
 */
export const narrowOfSeconds = consent({
  name: 'second client and customer',
  spelling: spellingFor(5),
  nonce: nonceFor('second client and customer'),
  purpose:
    'basic permissions, debits of a part of the past, of the second customer; choose every account',
  permissions: ['ReadAccountsBasic', 'ReadTransactionsBasic', 'ReadTransactionsDebits'],
  client: 'second',
  customer: 'second',
  transactionsFromDays: -300,
  transactionsToDays: -30,
  dates: periodAmong(secondCustomer, 'both', 'Debit'),
})

/** The first approval again, with the existing intent id. Its code is sent twice. */
export const reconfirmed = consent({
  name: 're-confirmed',
  state: stateFor('re-confirmed'),
  purpose: 'the consent “everything” once more, with its existing intent id',
  permissions: DATA_PERMISSIONS,
  reconfirms: everything,
})

/**
 * Another client tries to exchange the code before its own client does. The period
 * of its transactions ends after the run. The consent will expire.
 */
export const codeOfAnotherClient = consent({
  name: 'code for another client',
  state: stateFor('code for another client'),
  purpose: 'choose ONE account only; its code is tried by the second TPP client; will expire',
  oneAccount: true,
  // The levels of accounts and of transactions differ: each permission opens its own.
  permissions: [
    ...['ReadAccountsDetail', 'ReadBalances'],
    ...['ReadTransactionsBasic', 'ReadTransactionsCredits', 'ReadTransactionsDebits'],
  ],
  expiresInDays: 30,
  transactionsToWhereTakenInDays: 60,
  keepsCode: true,
})

/** Approvals other than the first that read accounts. */
export const WITH_ACCOUNTS = [
  basicCredits,
  debitsInPeriod,
  accountsOnly,
  secondClient,
  secondCustomer,
] as const

/** Approvals other than the first that read balances and transactions. */
export const WITH_TRANSACTIONS = [
  basicCredits,
  debitsInPeriod,
  noAccounts,
  secondClient,
  secondCustomer,
] as const

/** Approvals with all permissions, of the other client and of the other customer. */
export const OF_EVERYBODY = [secondClient, secondCustomer] as const

/** Approvals requested with a state, or a nonce, from the tables of texts. */
export const WITH_STATES = [
  basicCredits,
  accountsOnly,
  secondCustomer,
  reconfirmed,
  codeOfAnotherClient,
] as const
export const WITH_NONCES = [noAccounts, secondClient, narrowOfSeconds] as const
