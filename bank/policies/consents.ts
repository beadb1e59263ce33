import type { Reason } from '../listeners/refusals.ts'
import {
  type Consent,
  type DebtorAccount,
  type Status,
  supportedPermissions,
} from '../state/consents.ts'
import { parseDateTime } from '../state/datetime.ts'
import type { Settings } from '../state/settings.ts'

/** How the passing of time affects a consent. */
export interface Age {
  expired: boolean
  reconfirmationDue: boolean
}

/** Is the ConsentId one of this client's? */
export function ownsConsent(consent: Consent, clientId: string): boolean {
  return consent.clientId === clientId
}

/** "The TPP can no longer query it" once it has deleted it. */
export function visibleToTpp(consent: Consent): boolean {
  return consent.deleted === undefined
}

/** "Any other value causes rejection of the request." All combinations are allowed. */
export function permissionsAcceptable(permissions: string[]): boolean {
  return permissions.length > 0 && permissions.every((one) => supportedPermissions.includes(one))
}

/** The permissions that are stored. */
export function permissionsGranted(permissions: string[]): string[] {
  return [...permissions]
}

/** Is an optional member of a request that is null as good as none? No sentence says so: it may be refused. */
export function nullIsNone(): boolean {
  return false
}

/** Milliseconds since 1970 of an RFC 3339 date-time in a body; undefined means it is refused. */
export function consentDateTime(text: unknown): number | undefined {
  return parseDateTime(text)
}

/** What is wrong with the dates of a new consent. */
export function datesRefusal(dates: {
  expires?: number
  transactionsFrom?: number
  transactionsTo?: number
}): string | undefined {
  const { expires, transactionsFrom: from, transactionsTo: to } = dates
  if (expires !== undefined && expires <= Date.now()) return 'ExpirationDateTime has passed'
  if (from !== undefined && to !== undefined && from > to) {
    return 'TransactionFromDateTime is later than TransactionToDateTime'
  }
  return undefined
}

/** The name that the document uses; accepted because a TPP may know only the document. */
const WRITTEN = 'UK.STD.PAN'

/** "The only supported value is UK.STD.PAN", by its correct name. */
export function panScheme(): string {
  return 'UK.OBIE.PAN'
}

/** What is wrong with the DebtorAccount of a funds confirmation consent. */
export function debtorAccountRefusal(
  account: DebtorAccount,
  scheme: string,
): [Reason, string] | undefined {
  if (![scheme, WRITTEN].includes(account.SchemeName)) return ['scheme-unsupported', 'SchemeName']
  // "Last 4 digits of the customer's card number."
  if (!/^\d{4}$/.test(account.Identification)) return ['field-invalid', 'Identification']
  return undefined
}

/** Has the consent's ExpirationDateTime passed? */
export function consentExpired(consent: Consent): boolean {
  return consent.expires !== undefined && Date.now() + consent.ahead.expiry >= consent.expires
}

/** "The customer must re-confirm consent at least every 90 days." */
export function reconfirmationDue(consent: Consent, settings: Settings): boolean {
  if (consent.confirmed === undefined) return false
  const age = Date.now() + consent.ahead.confirmation - consent.confirmed
  return age > settings.reconfirmationDays * 86_400_000
}

/** The customer revoked it in the account servicing facility, in any state. */
export function statusAfterRevocation(_before: Status): Status {
  return 'Revoked'
}

/** StatusUpdateDateTime after a change of state. */
export function statusUpdated(_before: number): number {
  return Date.now()
}

/** "Access using tokens tied to the consent is rejected." */
export function tokensDie(_event: 'deleted' | 'revoked'): boolean {
  return true
}

/** "It remains visible to the customer": what the account servicing facility lists. */
export function visibleToCustomer(_consent: Consent): boolean {
  return true
}
