import type { Card } from '../data/customers.ts'
import type { Row } from '../data/transactions.ts'
import type { Consent } from '../state/consents.ts'
import { formatDateTime } from '../state/datetime.ts'

type Json = Record<string, unknown>

/** How amounts and instants are written in an answer. */
export interface Spelling {
  amountOf(pence: number): Json
  dateTimeOf(instant: number): string
}

/** Pounds with two decimals, without a sign. */
export function amountOf(pence: number): Json {
  return { Amount: (Math.abs(pence) / 100).toFixed(2), Currency: 'GBP' }
}

/** An instant in an answer: UTC. */
export function dateTimeOf(instant: number): string {
  return formatDateTime(instant)
}

/** "Masked version of the primary card number": the last four digits remain. */
export function maskCard(pan: string): string {
  return `${'*'.repeat(12)}${pan.slice(-4)}`
}

/** The Data object of an answer about a consent. */
export function consentView(consent: Consent, { dateTimeOf }: Spelling): Json {
  const optional = (name: string, instant: number | undefined) =>
    instant === undefined ? {} : { [name]: dateTimeOf(instant) }
  return {
    ConsentId: consent.id,
    Status: consent.status,
    StatusUpdateDateTime: dateTimeOf(consent.statusUpdated),
    CreationDateTime: dateTimeOf(consent.created),
    ...(consent.kind === 'account-access' ? { Permissions: consent.permissions } : {}),
    ...optional('ExpirationDateTime', consent.expires),
    ...optional('TransactionFromDateTime', consent.transactionsFrom),
    ...optional('TransactionToDateTime', consent.transactionsTo),
    ...(consent.debtorAccount ? { DebtorAccount: consent.debtorAccount } : {}),
  }
}

export interface AccountFacts {
  accountId: string
  card: Card
  /** Does the consent hold the detail permission? */
  detail: boolean
  scheme: string
  /** The card number, masked. */
  number: string
}

/** An element of Data.Account. The detail permission adds the card number, in an array as in 3.1.2. */
export function accountView({ accountId, card, detail, scheme, number }: AccountFacts): Json {
  const primary = {
    SchemeName: scheme,
    Identification: number,
    Name: card.holder,
  }
  return {
    AccountId: accountId,
    Currency: 'GBP',
    AccountType: 'Personal',
    AccountSubType: 'CreditCard',
    Description: card.description,
    ...(detail ? { Account: [primary] } : {}),
  }
}

/** An element of Data.Balance, as of midnight of this day (UTC). */
export function balanceView(
  accountId: string,
  card: Card,
  now: number,
  { amountOf, dateTimeOf }: Spelling,
): Json {
  return {
    AccountId: accountId,
    Amount: amountOf(card.owed),
    CreditDebitIndicator: card.owed > 0 ? 'Debit' : 'Credit',
    Type: 'OpeningBooked',
    DateTime: dateTimeOf(now - (now % 86_400_000)),
    CreditLine: [{ Included: false, Type: 'Credit', Amount: amountOf(card.creditLimit) }],
  }
}

/** An element of Data.Transaction. The detail permission adds the merchant and the text of the entry. */
export function transactionView(
  accountId: string,
  row: Row,
  detail: boolean,
  { amountOf, dateTimeOf }: Spelling,
): Json {
  return {
    AccountId: accountId,
    TransactionId: row.id,
    Amount: amountOf(row.amount),
    CreditDebitIndicator: row.indicator,
    Status: row.status,
    BookingDateTime: dateTimeOf(row.booked),
    ...(row.address ? { AddressLine: row.address } : {}),
    ...(detail ? { TransactionInformation: row.information } : {}),
    ...(detail && row.merchant
      ? {
          MerchantDetails: {
            MerchantName: row.merchant.name,
            MerchantCategoryCode: row.merchant.category,
          },
        }
      : {}),
  }
}

/** "Absolute URL referencing this resource." */
export function selfLink(base: string, path: string): string {
  return `${base}${path}`
}

/** Meta of every answer: no pagination, and no first and last available date-time. */
export function metaView(): Json {
  return { TotalPages: 1 }
}

/** The list of products and its meta. */
export function productsView(products: Json[], meta: Json): Json {
  return { data: products, meta: { ...meta, TotalResults: products.length } }
}
