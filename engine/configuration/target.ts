/**
 * A target as the rest of the engine sees it: loaded, interpolated, checked against
 * schemas/assay/target.schema.json, every PEM and PKCS#12 read. The file's own shape is the same,
 * member by member, so that a bank in this process can hand over a plain object.
 */
export interface TargetDocument {
  /** Short name; the folder of reports carries it. */
  name: string
  /** The base addresses of the document's table, as placeholders of the same names. */
  addresses: Addresses
  /** PEM of the authorities that sign the bank's server certificates; empty: those of Node. */
  trust?: string[]
  /** How long one request may take, in seconds. Default 30. */
  timeout?: number
  /** Largest response body that is read, in bytes. Default 64 MiB. */
  maxResponseSize?: number
  /** HTTP proxy through which every connection is tunnelled: http://host:port. */
  proxy?: string
  /** Issuer of the bank, where its discovery does not say. Default: the discovery address. */
  issuer?: string
  /** Audience of client assertions. Default: the token endpoint, as discovery names it. */
  assertionAudience?: string
  clients: { first: ClientDocument; second?: ClientDocument }
  /** Client certificates that a bank must refuse; an untrusted one is made up when absent. */
  refusedCertificates?: { expired?: TransportDocument; untrusted?: TransportDocument }
  customers: { first: CustomerDocument; second?: CustomerDocument }
  authorisation: AuthorisationDocument
  /** What the product interface asks for, whose authentication the document does not show. */
  products?: ProductsDocument
  literals?: LiteralsDocument
  /** Paths that the document leaves ambiguous, below the address of consent endpoints. */
  fundsConfirmation?: { create?: string; delete?: string }
  /** What this bank or this environment cannot offer. */
  absent?: Capability[]
  hooks?: Partial<Record<HookName, HookDocument>>
  /** May the suite register clients that nobody can remove again? Default false. */
  freshRegistrations?: boolean
  /** Requests that the 429 check may send without the customer present; 0 or absent: it is off. */
  rateLimitBurst?: number
  /** Requests in a minute, repeats included, that a run may send. Default: no limit. */
  requestsPerMinute?: number
  /** Seconds by which the bank's clock may differ. Default 60. */
  clockTolerance?: number
  /** Seconds within which the end of a consent takes effect everywhere. Default 10. */
  settlingTime?: number
  /** Seconds that a run may wait for a token or a consent to expire by itself. Default 60. */
  expiryPatience?: number
}

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
  /** The directory's software statement assertion, a compact JWS. */
  softwareStatement?: string
  redirectUris: string[]
  /** Names of the scopes, which the document does not show. */
  scopes: { accounts: string; fundsConfirmation?: string }
  /** Registered before: no registration takes place. */
  clientId?: string
  /** More claims of the registration JWT, or other values for those that the suite sends. */
  registrationClaims?: Record<string, unknown>
}

export interface ProductsDocument {
  /** Headers beside the documented ones, such as a key of an API gateway. */
  headers?: Record<string, string>
  /** Whose transport certificate is offered. Default: none. */
  client?: 'first' | 'second'
}

export interface CustomerDocument {
  /** What a driver fills in, by the name that the described forms use: username, password, … */
  credentials: Record<string, string>
  /** Names under which the bank may show the customer: kept out of every report. */
  names?: string[]
  /** Number of accounts that the customer chooses at the bank; unknown when absent. */
  accounts?: number
  /** Last four digits of one of the customer's cards, for a funds confirmation consent. */
  cardEnding?: string
}

export interface AuthorisationDocument {
  driver: 'http' | 'browser' | 'ask' | 'command'
  /** For `http`: which form is which. The first form whose fields are all on the page is filled. */
  forms?: FormDocument[]
  /** For `browser`: steps tried on each page. */
  steps?: StepDocument[]
  /** For `browser`: path of Chromium, Chrome or Edge. Default: the usual places are searched. */
  executable?: string
  /** For `browser`: show its window, to see what the steps do. Default false. */
  visible?: boolean
  /** For `command`: program and arguments; the link follows them. */
  command?: string[]
  /** For `ask`: program and arguments that open a page; its address follows them. */
  open?: string[]
  /** For `ask`: port on loopback of the page that lists the approvals. Default: a free one. */
  port?: number
  /** Seconds that one visit may take. Default: 3600 for `ask`, 60 for `browser` and `command`. */
  patience?: number
  /**
   * Is a person needed? Then what lives long enough is asked for in one sitting, at the start.
   * Default: true for `ask`, else false.
   */
  attended?: boolean
  /** Hosts beside that of the authorisation endpoint whose pages get what customers know. */
  hosts?: string[]
  /** For `ask`: the server certificate of a redirect URI that is https: on loopback. */
  catcher?: TransportDocument
  /**
   * What becomes of approvals when a run is interrupted. `memory`, the default: they go with it.
   * `file`: they are kept, encrypted, and the next run goes on with them.
   */
  keep?: 'memory' | 'file'
}

export interface FormDocument {
  /** Names of inputs or buttons that tell this form from others. */
  has?: string[]
  /** Instead of a form: a link that leads on, by its text or by how its address ends. */
  follow?: string
  only?: 'approve' | 'deny'
  /** Name of field → value; `{username}` stands for the customer's credential of that name. */
  fill?: Record<string, string>
  /** Tick every checkbox of this name: the accounts. */
  tickAll?: string
  /** Button to press when approving or when the form asks for no decision. */
  approve?: ButtonDocument
  /** Button to press when denying; absent: this form asks for no decision. */
  deny?: ButtonDocument
}

export interface ButtonDocument {
  name: string
  value: string
  /** The page has no such field: a script of its adds it when a button is pressed. */
  added?: boolean
}

export interface StepDocument {
  /** CSS selector that tells this page. */
  when: string
  only?: 'approve' | 'deny'
  /** CSS selector of what must be visible before anything is filled. */
  waitFor?: string
  /** CSS selector → value; `{username}` stands for the customer's credential of that name. */
  fill?: Record<string, string>
  /** CSS selector of checkboxes to tick: the accounts. */
  tickAll?: string
  /** A one-time code: what the command prints on its last line is filled in. */
  code?: { into: string; command: string[] }
  /** CSS selector of what is clicked at the end. */
  click?: string
}

export interface LiteralsDocument {
  /** Real spelling of UK.STD.PAN. Default: UK.<any upper-case word>.PAN. */
  panScheme?: string
  /** Real spellings of Cashcard, CreditSchemeA, CreditSchemeB. Default: any non-empty string. */
  cardSchemes?: string[]
  /** Claim that carries the intent id. Default openbanking_intent_id. */
  intentClaim?: string
}

/** What a target may declare absent; the closed list behind not-applicable. */
export type Capability =
  | 'registration'
  | 'second-client'
  | 'second-customer'
  | 'funds-confirmation'
  | 'products'
  | 'account-information'

/** Facts that only somebody inside the bank can make true. */
export type HookName =
  | 'token-expired'
  | 'consent-expired'
  | 'ninety-days-passed'
  | 'customer-revokes'

/**
 * How a fact is stated. In url, body and command `{consentId}`, `{accessToken}` and `{clientId}`
 * stand for the subject.
 */
export interface HookDocument {
  http?: { method?: string; url: string; headers?: Record<string, string>; body?: unknown }
  command?: string[]
  /** What somebody at the bank is asked to do, on the page of approvals. */
  ask?: string
}
