import { randomUUID } from 'node:crypto'

/** The nine permissions of the document's table. */
export const supportedPermissions = [
  'ReadAccountsBasic',
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadStatementsBasic',
  'ReadStatementsDetail',
  'ReadTransactionsBasic',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
]

export interface DebtorAccount {
  SchemeName: string
  Identification: string
  Name?: string
  SecondaryIdentification?: string
}

export type ConsentKind = 'account-access' | 'funds-confirmation'
export type Status = 'AwaitingAuthorisation' | 'Authorised' | 'Rejected' | 'Revoked'

/** A consent as the bank stores it. Instants are milliseconds since 1970. */
export interface Consent {
  id: string
  kind: ConsentKind
  clientId: string
  status: Status
  created: number
  statusUpdated: number
  permissions: string[]
  expires?: number
  transactionsFrom?: number
  transactionsTo?: number
  debtorAccount?: DebtorAccount
  /** Set when a customer has approved it: the customer, the cards, the time of the last confirmation. */
  customerId?: string
  cards: string[]
  confirmed?: number
  /** Grants of the authorisation server that belong to the consent. */
  grants: Set<string>
  /** When the TPP deleted it. The customer can still see it. */
  deleted?: number
  /** Milliseconds by which the clock of this consent is ahead; the operator sets them as facts. */
  ahead: { expiry: number; confirmation: number }
}

export type NewConsent = Pick<
  Consent,
  | 'kind'
  | 'clientId'
  | 'permissions'
  | 'expires'
  | 'transactionsFrom'
  | 'transactionsTo'
  | 'debtorAccount'
>

/** All consents of one bank. */
export interface Consents {
  create(request: NewConsent): Consent
  get(id: string): Consent | undefined
  ofGrant(grantId: string): Consent | undefined
  /** The customer's consents, newest first, including those that the TPP deleted. */
  ofCustomer(customerId: string): Consent[]
  /** Links a grant to the consent. */
  bind(grantId: string, consent: Consent): void
  /** Every consent, to restore the state later. */
  all(): Consent[]
}

export function createConsents(kept: Consent[] = []): Consents {
  const all = new Map(kept.map((consent) => [consent.id, consent]))
  const byGrant = new Map(
    kept.flatMap((consent) => [...consent.grants].map((grant) => [grant, consent])),
  )
  return {
    create(request) {
      const now = Date.now()
      const consent: Consent = {
        ...request,
        id: randomUUID(),
        status: 'AwaitingAuthorisation',
        created: now,
        statusUpdated: now,
        cards: [],
        grants: new Set(),
        ahead: { expiry: 0, confirmation: 0 },
      }
      all.set(consent.id, consent)
      return consent
    },
    get: (id) => all.get(id),
    all: () => [...all.values()],
    ofGrant: (grantId) => byGrant.get(grantId),
    ofCustomer: (id) => [...all.values()].filter((one) => one.customerId === id).reverse(),
    bind(grantId, consent) {
      consent.grants.add(grantId)
      byGrant.set(grantId, consent)
    },
  }
}
