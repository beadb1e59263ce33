import type { Literals } from '../judge/rule.ts'

/**
 * A target as the rest of the engine sees it: loaded, interpolated, checked against
 * schemas/assay/target.schema.json, every PEM and PKCS#12 read. The file's own shape is the same,
 * member by member, so that a bank in this process can hand over a plain object. What each member
 * means, and its default, is said there and in docs/target.md.
 */
export interface TargetDocument {
  name: string
  addresses: Addresses
  /** PEM; empty: the authorities of Node. */
  trust?: string[]
  /** Seconds. */
  timeout?: number
  /** Bytes. */
  maxResponseSize?: number
  proxy?: string
  issuer?: string
  assertionAudience?: string
  clients: { first: ClientDocument; second?: ClientDocument }
  refusedCertificates?: { expired?: TransportDocument; untrusted?: TransportDocument }
  customers: { first: CustomerDocument; second?: CustomerDocument }
  authorisation: AuthorisationDocument
  products?: ProductsDocument
  literals?: Literals
  fundsConfirmation?: { create?: string; delete?: string }
  absent?: Capability[]
  hooks?: Partial<Record<HookName, HookDocument>>
  freshRegistrations?: boolean
  rateLimitBurst?: number
  requestsPerMinute?: number
  /** Seconds. */
  clockTolerance?: number
  /** Seconds. */
  settlingTime?: number
  /** Seconds. */
  expiryPatience?: number
}

export type ClientName = keyof TargetDocument['clients']

export type CustomerName = keyof TargetDocument['customers']

/** Either the production placeholders or the sandbox ones; any of `overrides` replaces one URL. */
export interface Addresses {
  base_url?: string
  auth_url?: string
  discovery_url?: string
  sandbox_discovery_url?: string
  sandbox_api_url?: string
  sandbox_registration_url?: string
  sandbox_token_url?: string
  product_api_url?: string
  overrides?: {
    discovery?: string
    registration?: string
    authorisation?: string
    token?: string
    /** Address under which /account-access-consents, /accounts, … stand. */
    aisp?: string
    /** Address under which /funds-confirmation-consents stands. */
    cbpii?: string
    /** Address under which /consumer-credit-cards stands. */
    products?: string
  }
}

export interface TransportDocument {
  /** PEM, leaf first. */
  certificate?: string
  /** PEM, perhaps encrypted. */
  key?: string
  /** Base64 of a PKCS#12 file, instead of certificate and key. */
  pkcs12?: string
  passphrase?: string
}

export interface ClientDocument {
  transport: TransportDocument
  signing: { key: string; kid: string; passphrase?: string }
  /** A compact JWS. */
  softwareStatement?: string
  redirectUris: string[]
  scopes: { accounts: string; fundsConfirmation?: string }
  /** Registered before: no registration takes place. */
  clientId?: string
  registrationClaims?: Record<string, unknown>
  /** What request objects ask for beyond the documents. */
  requestObjectClaims?: {
    claims?: { id_token?: Record<string, unknown>; [member: string]: unknown }
    [claim: string]: unknown
  }
}

export interface ProductsDocument {
  headers?: Record<string, string>
  client?: ClientName
}

export interface CustomerDocument {
  /** By the name that the described forms use: username, password, … */
  credentials: Record<string, string>
  /** Kept out of every report. */
  names?: string[]
  /** How many the customer chooses at the bank; unknown when absent. */
  accounts?: number
  /** Four digits. */
  cardEnding?: string
}

export interface AuthorisationDocument {
  driver: 'http' | 'browser' | 'ask' | 'command'
  forms?: FormDocument[]
  steps?: StepDocument[]
  executable?: string
  visible?: boolean
  /** Program and arguments; the link follows them. */
  command?: string[]
  /** Program and arguments that open a page; its address follows them. */
  open?: string[]
  port?: number
  /** Seconds that one visit may take. */
  patience?: number
  attended?: boolean
  hosts?: string[]
  catcher?: TransportDocument
  keep?: 'memory' | 'file'
}

/** One form of a bank's pages; the first one whose fields are all on the page is filled. */
export interface FormDocument {
  has?: string[]
  /** Instead of a form: a link that leads on, by its text or by how its address ends. */
  follow?: string
  only?: 'approve' | 'deny'
  /** Name of field → value; `{username}` stands for the customer's credential of that name. */
  fill?: Record<string, string>
  /** Name of the checkboxes to tick, or of the multiple list to choose all of; a star stands for anything. */
  tickAll?: string
  approve?: ButtonDocument
  /** Absent: this form asks for no decision. */
  deny?: ButtonDocument
}

export interface ButtonDocument {
  name: string
  value: string
  /** The page has no such field: a script of its adds it when a button is pressed. */
  added?: boolean
}

/** A step tried on each page; pages and fields are named by CSS selectors. */
export interface StepDocument {
  when: string
  only?: 'approve' | 'deny'
  waitFor?: string
  /** Selector → value; `{username}` stands for the customer's credential of that name. */
  fill?: Record<string, string>
  /** Selector of checkboxes to tick, or of a multiple list to choose all of. */
  tickAll?: string
  /** A one-time code: what the command prints on its last line is filled in. */
  code?: { into: string; command: string[] }
  click?: string
}

/** What a target may declare absent; the closed list behind not-applicable. */
export type Capability =
  | 'registration'
  | 'second-client'
  | 'second-customer'
  | 'second-account'
  | 'funds-confirmation'
  | 'products'
  | 'account-information'

/** Facts that only somebody inside the bank can make true. */
export const HOOKS = [
  'token-expired',
  'consent-expired',
  'ninety-days-passed',
  'customer-revokes',
] as const

export type HookName = (typeof HOOKS)[number]

/**
 * How a fact is stated. In url, body and command `{consentId}`, `{accessToken}` and `{clientId}`
 * stand for the subject.
 */
export interface HookDocument {
  http?: { method?: string; url: string; headers?: Record<string, string>; body?: unknown }
  command?: string[]
  ask?: string
}
