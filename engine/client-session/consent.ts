import type { Target } from '../configuration/resolve.ts'
import type { ClientName, CustomerName } from '../configuration/target.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import { Blocked } from '../judge/outcome.ts'
import { now } from '../record/clock.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { Approval } from './caller.ts'

/**
 * One row of the table of approvals, suites/consents.ts: a consent and the visit that grants it. Its
 * name is part of its type, so that the compiler tells one from another.
 */
export interface NamedConsent<Name extends string = string> {
  readonly name: Name
  /** What a person who is asked to approve it should know. */
  purpose: string
  permissions: readonly string[]
  /** The approval that the core profile asks for. */
  core?: true
  client?: ClientName
  customer?: CustomerName
  /** A combination of permissions that a bank need not take. */
  optional?: true
  /** Permissions that open no endpoint; a bank that refuses them is asked without. */
  besides?: readonly string[]
  /** ExpirationDateTime, in days from now. */
  expiresInDays?: number
  /** The same, so far away that a bank may refuse it: then it is asked without. */
  expiresWhereTakenInDays?: number
  /** How its dates are written, in the draw of this seed; a bank that refuses that is asked in UTC, to the second. */
  spelling?: (seed: number) => (utc: string) => string
  /** It is to expire during the run: sooner where nobody but time lets it. */
  toExpire?: boolean
  /** TransactionFromDateTime and TransactionToDateTime, in days from now. */
  transactionsFromDays?: number
  transactionsToDays?: number
  /** Dates that are chosen by what another approval shows. */
  dates?: {
    of: NamedConsent
    /** Undefined where the approval shows no good ones: those in days serve then. */
    choose(approval: Approval): Promise<Partial<ConsentData> | undefined>
  }
  /** A check looks at what its approval moves: times to the second must have moved on by then. */
  watched?: true
  /** The request is sent without state, which is optional. */
  withoutState?: boolean
  /** The state that is sent in the draw of this seed; a random one when absent. A bank that refuses it is asked without. */
  state?: (seed: number) => string
  /** The same of the nonce. */
  nonce?: (seed: number) => string
  /** Which of the registered redirect URIs; the first when absent. */
  redirectUri?: number
  /** The visit re-confirms the consent of this approval, with the existing intent id. */
  reconfirms?: NamedConsent
  /** The customer ticks one of the accounts that the bank offers. */
  oneAccount?: true
  /** The code is left to a check, which tries what must not work. */
  keepsCode?: boolean
}

/** Adds a row to the table of approvals. */
export function consent<const Name extends string>(row: NamedConsent<Name>): NamedConsent<Name> {
  return row
}

/** The approvals that come before one: of the consent that it re-confirms, and that chooses its dates. */
export function precededBy({ reconfirms, dates }: NamedConsent): NamedConsent[] {
  return [reconfirms, dates?.of].filter((consent) => consent !== undefined)
}

/** RFC 3339 in UTC, to the second, so many days from now. */
export function daysFromNow(days: number): string {
  return new Date(now() + days * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z')
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
  const life = toExpire && shortLife !== undefined ? shortLife / 86_400 : expiresInDays
  const at = (days: number | undefined) => (days === undefined ? undefined : daysFromNow(days))
  return {
    Permissions: [...consent.permissions],
    ExpirationDateTime: at(life),
    TransactionFromDateTime: at(transactionsFromDays),
    TransactionToDateTime: at(transactionsToDays),
  }
}

/** The same with what a bank need not take; undefined where the row has nothing of the kind. */
export function withOptional(consent: NamedConsent, data: ConsentData): ConsentData | undefined {
  const { besides = [], expiresWhereTakenInDays: days } = consent
  if (besides.length === 0 && days === undefined) return undefined
  return {
    ...data,
    Permissions: [...data.Permissions, ...besides],
    ...(days !== undefined && { ExpirationDateTime: daysFromNow(days) }),
  }
}

/** The same with its dates written as the row says; undefined where that is no other writing. */
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

/**
 * The bulk addresses of data that these permissions open, the surest first: which permission the balances need, and
 * whether accounts are needed for more than themselves, is not shown.
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

/** The id of a consent of any kind that was created; undefined where none was. */
export function createdId(exchange: Exchange): string | undefined {
  const id = member(exchange.response?.json, 'Data', 'ConsentId')
  return succeeded(exchange) && typeof id === 'string' && id !== '' ? id : undefined
}

/** What was asked for, under the id that the bank gave it; undefined when it gave none. */
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

/** @throws Blocked where a consent that was to expire soon has done so before it was used. */
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
