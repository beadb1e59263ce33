import { succeeded } from '../judge/matchers.ts'
import { member } from '../judge/rows.ts'
import type { Target } from '../target/resolve.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { Approval } from './approvals.ts'

/** One row of the table of approvals, suites/consents.ts: a consent and the visit that grants it. */
export interface NamedConsent {
  name: string
  /** What a person who is asked to approve it should know. */
  purpose: string
  permissions: readonly string[]
  client?: ClientName
  customer?: CustomerName
  /** ExpirationDateTime, in days from now. */
  expiresInDays?: number
  /** It is to expire during the run: sooner where nobody but time lets it. */
  toExpire?: boolean
  /** TransactionFromDateTime and TransactionToDateTime, in days from now. */
  transactionsFromDays?: number
  transactionsToDays?: number
  /** Dates that are chosen by what another approval shows; undefined: those in days. */
  dates?: (
    approved: (consent: NamedConsent) => Promise<Approval>,
  ) => Promise<Partial<ConsentData> | undefined>
  /** The request is sent without state, which is optional. */
  withoutState?: boolean
  /** The state that is sent; a random one when absent. */
  state?: string
  /** Which of the registered redirect URIs; the first when absent. */
  redirectUri?: number
  /** The visit re-confirms the consent of this approval, with the existing intent id. */
  reconfirms?: NamedConsent
  /** The code is left to a check, which tries what must not work. */
  keepsCode?: boolean
}

export type ClientName = 'first' | 'second'
export type CustomerName = 'first' | 'second'

/** RFC 3339 in UTC, to the second, so many days from now. */
export function daysFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Data of the request that creates an account access consent. */
export interface ConsentData {
  Permissions: string[]
  ExpirationDateTime?: string
  TransactionFromDateTime?: string
  TransactionToDateTime?: string
}

/** @param shortLife seconds after which a consent that is to expire does, instead of its days. */
export function consentData(consent: NamedConsent, shortLife?: number): ConsentData {
  const { expiresInDays, toExpire, transactionsFromDays, transactionsToDays } = consent
  return {
    Permissions: [...consent.permissions],
    ...(expiresInDays !== undefined && {
      ExpirationDateTime: daysFromNow(
        toExpire && shortLife !== undefined ? shortLife / 86_400 : expiresInDays,
      ),
    }),
    ...(transactionsFromDays !== undefined && {
      TransactionFromDateTime: daysFromNow(transactionsFromDays),
    }),
    ...(transactionsToDays !== undefined && {
      TransactionToDateTime: daysFromNow(transactionsToDays),
    }),
  }
}

/** Every permission that opens an endpoint of the document: all but those of statements. */
export const DATA_PERMISSIONS = [
  'ReadAccountsBasic',
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadTransactionsBasic',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
]

/** What was asked for, under the id that the bank gave it; undefined when it gave none. */
export function consentFacts(exchange: Exchange, data: ConsentData): ConsentFacts | undefined {
  const id = member(exchange.response?.json, 'Data', 'ConsentId')
  if (!succeeded(exchange) || typeof id !== 'string' || id === '') return undefined
  return {
    id,
    permissions: data.Permissions,
    expiration: data.ExpirationDateTime,
    transactionFrom: data.TransactionFromDateTime,
    transactionTo: data.TransactionToDateTime,
  }
}

/** "UK.STD.PAN (the middle segment stands for the acronym of the body ...)": the usual spellings. */
export const SCHEMES = ['UK.OBIE.PAN', 'UK.STD.PAN']

/**
 * The smallest body of a funds confirmation consent.
 *
 * @param scheme the spelling that the bank was seen to take; undefined before that.
 */
export function fundsConfirmationBody(
  target: Target,
  scheme: string | undefined,
): { Data: Record<string, unknown>; Risk: object } {
  const SchemeName = scheme ?? target.document.literals?.panScheme ?? SCHEMES[0]
  const ending = target.document.customers.first.cardEnding ?? '1234'
  return { Data: { DebtorAccount: { SchemeName, Identification: ending } }, Risk: {} }
}
