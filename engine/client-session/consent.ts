import type { Target } from '../configuration/resolve.ts'
import type { ClientName, CustomerName } from '../configuration/target.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import { Blocked } from '../judge/outcome.ts'
import { now } from '../record/clock.ts'
import { DAY } from '../record/durations.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { Approval } from './caller.ts'

/**
 * One row of the table of approvals, suites/consents.ts: a consent and the visit that approves it. Its name is part of
 * its type, so that the compiler can tell consents apart.
 */
export interface NamedConsent<Name extends string = string> {
  readonly name: Name
  /** What a person who is asked to approve the consent should know. */
  purpose: string
  permissions: readonly string[]
  /** The approval that the core profile uses. */
  core?: true
  client?: ClientName
  customer?: CustomerName
  /** A bank need not accept this combination of permissions. */
  optional?: true
  /** Permissions that open no endpoint; if the bank refuses them, the request is repeated without them. */
  besides?: readonly string[]
  /** ExpirationDateTime, in days from now. */
  expiresInDays?: number
  /** Like expiresInDays, but so far away that a bank may refuse it; the request is then repeated without it. */
  expiresWhereTakenInDays?: number
  /** How dates are written, in the draw of this seed; if the bank refuses that, in UTC, to the second. */
  spelling?: (seed: number) => (utc: string) => string
  /** The consent must expire during the run: sooner, where only time can end it. */
  toExpire?: boolean
  /** TransactionFromDateTime and TransactionToDateTime, in days from now. */
  transactionsFromDays?: number
  transactionsToDays?: number
  /** Like transactionsToDays, but a bank may refuse it: the period ends in the future. The request is then repeated. */
  transactionsToWhereTakenInDays?: number
  /** Dates that are derived from what another approval shows. */
  dates?: {
    of: NamedConsent
    /** Undefined if the approval shows no suitable dates; the dates in days are used then. */
    choose(approval: Approval): Promise<Partial<ConsentData> | undefined>
  }
  /** A check looks at what its approval changes: times to the second must have advanced by then. */
  watched?: true
  /** The request has no state, which is optional. */
  withoutState?: boolean
  /** The state that is sent in the draw of this seed; random when absent. If the bank refuses it, it is left out. */
  state?: (seed: number) => string
  /** The same for the nonce. */
  nonce?: (seed: number) => string
  /** Name of the browser session of its visit, in which a visit of a check goes on; see VisitOptions. */
  browser?: string
  /** Index of the registered redirect URI; the first when absent. */
  redirectUri?: number
  /** The visit re-confirms the consent of this approval, with the existing intent id. */
  reconfirms?: NamedConsent
  /** The customer selects one of the accounts that the bank offers. */
  oneAccount?: true
  /** The code is left to a check, which tries uses of it that must fail. */
  keepsCode?: boolean
}

/** Adds a row to the table of approvals. */
export function consent<const Name extends string>(row: NamedConsent<Name>): NamedConsent<Name> {
  return row
}

/** The approvals that must come first: that of the consent that it re-confirms, and the one that gives its dates. */
export function precededBy({ reconfirms, dates }: NamedConsent): NamedConsent[] {
  return [reconfirms, dates?.of].filter((consent) => consent !== undefined)
}

/** The time in so many days from now, RFC 3339 in UTC, to the second. */
export function daysFromNow(days: number): string {
  return new Date(now() + days * DAY).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Data of the request that creates an account access consent. */
export interface ConsentData {
  Permissions: string[]
  ExpirationDateTime?: string
  TransactionFromDateTime?: string
  TransactionToDateTime?: string
}

/** @param shortLife lifetime in seconds of a consent that must expire, instead of its days. */
export function consentData(consent: NamedConsent, shortLife?: number): ConsentData {
  const { expiresInDays, toExpire, transactionsFromDays, transactionsToDays } = consent
  const life = toExpire && shortLife !== undefined ? shortLife / 86_400 : expiresInDays
  const at = (days: number | undefined) => (days === undefined ? undefined : daysFromNow(days))
  return {
    Permissions: [...consent.permissions],
    ExpirationDateTime: at(life),
    TransactionFromDateTime: at(transactionsFromDays),
    TransactionToDateTime: at(transactionsToDays),
  }
}

/** The same data with what a bank need not accept; undefined if the row has no such data. */
export function withOptional(consent: NamedConsent, data: ConsentData): ConsentData | undefined {
  const {
    besides = [],
    expiresWhereTakenInDays: days,
    transactionsToWhereTakenInDays: to,
  } = consent
  if (besides.length === 0 && (days ?? to) === undefined) return undefined
  return {
    ...data,
    Permissions: [...data.Permissions, ...besides],
    ...(days !== undefined && { ExpirationDateTime: daysFromNow(days) }),
    ...(to !== undefined && { TransactionToDateTime: daysFromNow(to) }),
  }
}

/** The same data with dates written as the row says; undefined if that changes nothing. */
export function spelled(
  { spelling }: NamedConsent,
  data: ConsentData,
  seed: number,
): ConsentData | undefined {
  const spell = spelling?.(seed)
  if (!spell) return undefined
  const dates = DATES.flatMap((name) => {
    const date = data[name]
    return date === undefined ? [] : [[name, spell(date)] as const]
  })
  const changed = dates.some(([name, date]) => date !== data[name])
  return changed ? { ...data, ...Object.fromEntries(dates) } : undefined
}

const DATES = ['ExpirationDateTime', 'TransactionFromDateTime', 'TransactionToDateTime'] as const

/** Every permission that opens an endpoint of the document: all except those of statements. */
export const DATA_PERMISSIONS = [
  'ReadAccountsBasic',
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadTransactionsBasic',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
]

/**
 * The bulk data addresses that these permissions open, the most certain first: it is not specified which permission
 * balances need, or whether accounts are needed for more than themselves.
 */
export function dataPaths(permissions: readonly string[]): string[] {
  const opens = (word: string) => permissions.some((name) => name.startsWith(word))
  const paths = {
    ReadAccounts: '/accounts',
    ReadBalances: '/balances',
    ReadTransactions: '/transactions',
  }
  return Object.entries(paths).flatMap(([word, path]) => (opens(word) ? path : []))
}

/** The id of a created consent of any kind; undefined if none was created. */
export function createdId(exchange: Exchange): string | undefined {
  const id = member(exchange.response?.json, 'Data', 'ConsentId')
  return succeeded(exchange) && typeof id === 'string' && id !== '' ? id : undefined
}

/** What was requested, with the id that the bank assigned; undefined when it assigned none. */
export function consentFacts(exchange: Exchange, data: ConsentData): ConsentFacts | undefined {
  const id = createdId(exchange)
  if (id === undefined) return undefined
  return {
    id,
    permissions: data.Permissions,
    expiration: data.ExpirationDateTime,
    transactionFrom: data.TransactionFromDateTime,
    transactionTo: data.TransactionToDateTime,
  }
}

/** @throws Blocked if a short-lived consent has expired before it was used. */
export function requireInTime(name: string, expiration: string | undefined): void {
  if (expiration === undefined || now() < Date.parse(expiration)) return
  const what = `the consent ${name} expired at ${expiration}, before it was used`
  throw new Blocked({ kind: 'environment', what }, `${what}. Write a larger expiryPatience.`)
}

/** "UK.STD.PAN (the middle segment stands for the acronym of the body ...)": the usual spellings. */
export const SCHEMES = ['UK.OBIE.PAN', 'UK.STD.PAN']

/**
 * The smallest body of a funds confirmation consent.
 *
 * @param scheme the spelling that the bank is known to accept; undefined before that.
 */
export function fundsConfirmationBody(
  target: Target,
  scheme: string | undefined,
): { Data: Record<string, unknown>; Risk: object } {
  const SchemeName = scheme ?? target.document.literals?.panScheme ?? SCHEMES[0]
  const ending = target.document.customers.first.cardEnding ?? '1234'
  return { Data: { DebtorAccount: { SchemeName, Identification: ending } }, Risk: {} }
}
