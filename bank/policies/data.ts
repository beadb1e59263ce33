import { createHmac } from 'node:crypto'
import type { Row } from '../data/transactions.ts'
import type { Reason } from '../listeners/refusals.ts'
import type { Consent } from '../state/consents.ts'
import { parseDateTime } from '../state/datetime.ts'
import type { Age } from './consents.ts'

export type DataEndpoint =
  | 'accounts'
  | 'account'
  | 'balances'
  | 'account-balances'
  | 'transactions'
  | 'account-transactions'

/** Both filters, in milliseconds since 1970. */
export interface Period {
  from?: number
  to?: number
}

/** May a data token of this consent be used now? */
export function consentUsable(consent: Consent, age: Age): Reason | undefined {
  if (consent.deleted || consent.status !== 'Authorised') return 'consent-not-authorised'
  if (age.expired) return 'consent-expired'
  if (age.reconfirmationDue) return 'reconfirmation-due'
  return undefined
}

/** "Need a consent created with …": any one of the permissions is sufficient. */
export function permits(permissions: string[], endpoint: DataEndpoint): boolean {
  const needed = {
    accounts: ['ReadAccountsBasic', 'ReadAccountsDetail'],
    account: ['ReadAccountsBasic', 'ReadAccountsDetail'],
    balances: ['ReadBalances'],
    'account-balances': ['ReadBalances'],
    transactions: ['ReadTransactionsBasic', 'ReadTransactionsDetail'],
    'account-transactions': ['ReadTransactionsBasic', 'ReadTransactionsDetail'],
  }[endpoint]
  return needed.some((permission) => permissions.includes(permission))
}

/** "Unique and persistent for a given ConsentId": opaque, and different under another consent. */
export function accountIdFor(consentId: string, cardKey: string, secret: Buffer): string {
  const digest = createHmac('sha256', secret).update(`${consentId} ${cardKey}`).digest('base64url')
  return digest.slice(0, 22)
}

/** Does the account belong to the consent? `known`: does it belong to any consent? */
export function accountRefusal(own: boolean, known: boolean): Reason | undefined {
  if (own) return undefined
  return known ? 'account-foreign' : 'account-unknown'
}

/** The cards that an answer covers: "all accounts of the consent bound to the token". */
export function cardsCovered(cards: string[], _endpoint: DataEndpoint): string[] {
  return cards
}

/** "The level of detail depends on whether the consent holds the basic or the detail permission." */
export function detailVisible(
  permissions: string[],
  resource: 'Accounts' | 'Transactions',
): boolean {
  return permissions.includes(`Read${resource}Detail`)
}

/** Credits and Debits restrict the direction. With neither or both there is no restriction. */
export function directionAllowed(row: Row, permissions: string[]): boolean {
  const credits = permissions.includes('ReadTransactionsCredits')
  const debits = permissions.includes('ReadTransactionsDebits')
  if (credits === debits) return true
  return row.indicator === (credits ? 'Credit' : 'Debit')
}

/** A filter of the query, RFC 3339. A date-time without a zone is UTC, as in 3.1.2. */
export function filterInstant(text: string): number | undefined {
  const zoned = /[Zz]$|[+-]\d{2}:\d{2}$/.test(text) ? text : `${text}Z`
  return parseDateTime(zoned)
}

/** "Transactions booked after and before the given time"; the limits themselves are included. */
export function bookedWithin(row: Row, { from, to }: Period, _endpoint: DataEndpoint): boolean {
  return (from === undefined || row.booked >= from) && (to === undefined || row.booked <= to)
}

/** "Only transactions in that range can be fetched." */
export function withinConsentPeriod(
  row: Row,
  consent: Pick<Consent, 'confirmed' | 'transactionsFrom' | 'transactionsTo'>,
  _endpoint: DataEndpoint,
): boolean {
  const { transactionsFrom: from, transactionsTo: to } = consent
  return (from === undefined || row.booked >= from) && (to === undefined || row.booked <= to)
}

/** The transactions of one account before any filter. */
export function rowsBooked(rows: Row[], _accountId: string, _endpoint: DataEndpoint): Row[] {
  return rows
}

/** The transactions of one account in the answer, in order: all of them, newest first. */
export function rowsAnswered(rows: Row[], _accountId: string, _endpoint: DataEndpoint): Row[] {
  return rows
}
