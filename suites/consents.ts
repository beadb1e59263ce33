import type { NamedConsent } from '../engine/journey/consent.ts'
import { DATA_PERMISSIONS } from '../engine/journey/consent.ts'
import { periodAmong } from './account-information/common/consent-periods.ts'

/** A long state with every kind of character that a URL must escape. */
export const SPECIAL_STATE = `a b+c&d#e%2Ff/g=h?i;J~k!l*m'n(o)p:q@r,s$t${'.-_xY7'.repeat(24)}`

/** The one approval of the core profile: accounts, balances and transactions, no limits. */
export const everything: NamedConsent = {
  name: 'everything',
  purpose: 'all permissions, no expiry, no period; choose every account',
  permissions: DATA_PERMISSIONS,
}

/** Basic permissions and credits only, of a period without end. Ends revoked by the customer. */
export const basicCredits: NamedConsent = {
  name: 'basic credits',
  purpose:
    'basic permissions, credits since some day; choose every account; will be revoked at the bank',
  permissions: [
    'ReadAccountsBasic',
    'ReadBalances',
    'ReadTransactionsBasic',
    'ReadTransactionsCredits',
  ],
  transactionsFromDays: -300,
  dates: periodAmong(everything, 'from', 'Credit'),
}

/** Debits of a part of the past, sent without state. Ends deleted by the TPP. */
export const debitsInPeriod: NamedConsent = {
  name: 'debits in a period',
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
}

/** Accounts and nothing else. Ends expired. */
export const accountsOnly: NamedConsent = {
  name: 'accounts only',
  purpose: 'accounts without balances and transactions; will expire',
  permissions: ['ReadAccountsDetail'],
  expiresInDays: 30,
  toExpire: true,
}

/** Balances and transactions until some day, no accounts. */
export const noAccounts: NamedConsent = {
  name: 'no accounts',
  purpose: 'balances and transactions of the past without accounts; choose every account',
  permissions: [
    'ReadBalances',
    'ReadTransactionsBasic',
    'ReadTransactionsCredits',
    'ReadTransactionsDebits',
  ],
  transactionsToDays: -30,
  dates: periodAmong(everything, 'to'),
}

/** The second customer, for whom ninety days pass in the end. */
export const secondCustomer: NamedConsent = {
  name: 'second customer',
  purpose: 'all permissions of the second customer; ninety days will pass for it',
  permissions: DATA_PERMISSIONS,
  customer: 'second',
}

/** The first customer with the second client and another redirect URI. */
export const secondClient: NamedConsent = {
  name: 'second client',
  purpose: 'all permissions, for the second TPP client; choose every account',
  permissions: DATA_PERMISSIONS,
  client: 'second',
  redirectUri: 1,
}

/** The first approval again, with the existing intent id. Its code is tried twice. */
export const reconfirmed: NamedConsent = {
  name: 're-confirmed',
  purpose: 'the consent “everything” once more, with its existing intent id',
  permissions: DATA_PERMISSIONS,
  reconfirms: everything,
}

/** A code that is exchanged with another redirect URI. */
export const codeForAnotherRedirect: NamedConsent = {
  name: 'code for another redirect URI',
  purpose: 'its code is exchanged with a wrong redirect URI',
  state: SPECIAL_STATE,
  permissions: ['ReadAccountsBasic'],
  keepsCode: true,
}

/** A code that another client tries to exchange. */
export const codeOfAnotherClient: NamedConsent = {
  name: 'code for another client',
  purpose: 'its code is tried by the second TPP client',
  permissions: ['ReadAccountsBasic'],
  keepsCode: true,
}
