import type { Literals } from '../judge/rule.ts'

/**
 * A target as the rest of the engine sees it: loaded, interpolated, validated against schemas/assay/target.schema.json,
 * with every PEM and PKCS#12 read. A target file has the same members, so that a bank in this process can pass a plain
 * object. The schema and docs/target.md explain each member and its default.
 */
export interface TargetDocument {
  name: string
  addresses: Addresses
  /** PEM; empty: the authorities trusted by Node. */
  trust?: string[]
  /** In seconds. */
  timeout?: number
  /** In bytes. */
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
  /** In seconds. */
  clockTolerance?: number
  /** In seconds. */
  settlingTime?: number
  /** In seconds. */
  expiryPatience?: number
}

export type ClientName = keyof TargetDocument['clients']

export type CustomerName = keyof TargetDocument['customers']

/** Either the production placeholders or the sandbox ones; each member of `overrides` replaces one URL. */
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
    /** Base address of /account-access-consents, /accounts, …. */
    aisp?: string
    /** Base address of /funds-confirmation-consents. */
    cbpii?: string
    /** Base address of /consumer-credit-cards. */
    products?: string
  }
}

export interface TransportDocument {
  /** PEM, leaf first. */
  certificate?: string
  /** PEM, optionally encrypted. */
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
  /** The client was registered before: no registration takes place. */
  clientId?: string
  registrationClaims?: Record<string, unknown>
  /** What request objects request in addition to the documents. */
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
  /** By the names that the described forms use: username, password, … */
  credentials: Record<string, string>
  /** Left out of every report. */
  names?: string[]
  /** Of one of the customer's accounts, as the bank gave it. */
  secondaryIdentification?: string
  /** Number of accounts that the customer selects at the bank; unknown when absent. */
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
  /** Program and arguments; the link is appended. */
  command?: string[]
  /** Program and arguments that open a page; its address is appended. */
  open?: string[]
  port?: number
  /** Time limit for one visit, in seconds. */
  patience?: number
  attended?: boolean
  hosts?: string[]
  catcher?: TransportDocument
  keep?: 'memory' | 'file'
}

/** One form of a bank's pages; the first one whose fields are all on the page is filled in. */
export interface FormDocument {
  has?: string[]
  /** Instead of a form: a link to follow, by its text or by the end of its address. */
  follow?: string
  only?: 'approve' | 'deny'
  /** Name of field → value; `{username}` is replaced by the customer's credential of that name. */
  fill?: Record<string, string>
  /** Name of the checkboxes to tick, or of the multiple list in which to select all; a star matches anything. */
  tickAll?: string
  approve?: ButtonDocument
  /** Absent: this form asks for no decision. */
  deny?: ButtonDocument
}

export interface ButtonDocument {
  name: string
  value: string
  /** The page has no such field: its script adds the field when a button is pressed. */
  added?: boolean
}

/** A step that is tried on each page; CSS selectors identify pages and fields. */
export interface StepDocument {
  when: string
  only?: 'approve' | 'deny'
  waitFor?: string
  /** Selector → value; `{username}` is replaced by the customer's credential of that name. */
  fill?: Record<string, string>
  /** Selector of checkboxes to tick, or of a multiple list in which to select all. */
  tickAll?: string
  /** A one-time code: the last line that the command prints is filled in. */
  code?: { into: string; command: string[] }
  click?: string
}

/** What a target may declare absent; the closed list of reasons for not-applicable. */
export type Capability =
  | 'registration'
  | 'second-client'
  | 'second-customer'
  | 'second-account'
  | 'funds-confirmation'
  | 'products'
  | 'account-information'

/** Facts that only a person at the bank can make true. */
export const HOOKS = [
  'token-expired',
  'consent-expired',
  'ninety-days-passed',
  'customer-revokes',
] as const

export type HookName = (typeof HOOKS)[number]

/**
 * How to make a fact true. In url, body and command, `{consentId}`, `{accessToken}` and `{clientId}` are replaced by
 * the subject.
 */
export interface HookDocument {
  http?: { method?: string; url: string; headers?: Record<string, string>; body?: unknown }
  command?: string[]
  ask?: string
}
