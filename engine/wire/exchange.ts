import type { ExchangeRecord } from '../record/exchange-record.ts'

/** The operations of both documents, and two that serve them. `elsewhere` is any other address. */
export type Endpoint =
  | 'discovery'
  | 'jwks'
  | 'registration'
  | 'authorisation'
  | 'token'
  | 'create-account-access-consent'
  | 'query-account-access-consent'
  | 'delete-account-access-consent'
  | 'create-funds-confirmation-consent'
  | 'delete-funds-confirmation-consent'
  | DataEndpoint
  | 'products'
  | 'elsewhere'

/** The endpoints at which a customer's data is read: accounts, balances and transactions. */
export type DataEndpoint =
  | 'accounts'
  | 'account'
  | 'balances'
  | 'account-balances'
  | 'transactions'
  | 'account-transactions'

/** All of them, in the order of the document. */
export const DATA: readonly DataEndpoint[] & Pick<readonly Endpoint[], 'includes'> = [
  'accounts',
  'account',
  'balances',
  'account-balances',
  'transactions',
  'account-transactions',
]

/** What the consent behind an access token allows, as the bank returned it when it was created. */
export interface ConsentFacts {
  id: string
  permissions: string[]
  expiration?: string
  transactionFrom?: string
  transactionTo?: string
}

/** What the sender knew when it sent the request; rules read it, the bank never sees it. */
export interface About {
  /** Name of the TPP client that sent it: first, second. */
  client?: string
  /** Name of the approval whose access token was sent. */
  approval?: string
  /** Consent behind the access token that was sent. */
  consent?: ConsentFacts
  /** The AccountId or ConsentId in the path. */
  subject?: string
  /** The one thing that is wrong with this request, in words; absent on a correct one. */
  deviation?: string
  /** Id of the check or step that sent it. */
  check?: string
  /** The authorisation request whose answers these are: what a redirect must agree with. */
  visit?: {
    clientId: string
    redirectUri: string
    registered?: string[]
    nonce: string
    state?: string
  }
  /** What an ID token in this token response must agree with: that of the authorisation response. */
  idToken?: { nonce: string; [claim: string]: unknown }
  /** The registered client that sends a token request, as the bank stored it. */
  registered?: { clientId: string; scope?: string }
  /**
   * The access token is sent in place of another, which was answered 401 although it should have lived:
   * how old that one was, in seconds, how long it was to live, and whether its client had no newer one.
   */
  instead?: { of: string; seconds: number; expiresIn: number; newest: boolean }
  /** Where it stands in a recording of what others sent: `night.har entry 12`. */
  recorded?: string
  /** An earlier run sent it, at that time; its answer was kept. */
  earlier?: true
  /** What a bank need not take: it may be refused as what is wrong may be. */
  optional?: true
  /** What it asks for is in no table of the documents: a success is held against no schema. */
  open?: boolean
  /** Rules that leave this exchange to the check, which judges the same thing. */
  owns?: string[]
  /** Where a client is judged: what the bank that it spoke to knew and thought of the request. */
  seen?: Seen
}

/** A request of a client under judgement, as the bank saw it. */
export interface Seen {
  /** Id of the scenario during which it came. */
  scenario: string
  /** What the client had been asked to do. */
  goal: string
  /** Was the customer there while it was asked? */
  present: boolean
  /** Alterations of the bank that showed themselves in the answer. */
  fired: string[]
  /** Transport certificate: none, valid, or what was wrong with it. */
  certificate: string
  /** Why the bank refused. */
  refusal?: { reason: string; detail: string }
  /** What a correct message of the client names. */
  expected?: { issuer: string; tokenEndpoint: string; registrationEndpoint: string }
  /** The bank has this operation at this address, as its target file tells, whatever the documents show. */
  addressed?: true
  clientId?: string
  /** What the bank stored for the client. */
  client?: Record<string, unknown>
  /** The access token of the request, if the bank ever issued it. */
  token?: {
    kind: 'client' | 'customer'
    consentId?: string
    live: boolean
    scope: string
    clientId: string
  }
  /** What else the bank knows it as that came in the place of an access token. */
  otherCredential?: string
  /** The authorisation code of a token request, if the bank ever issued it. */
  code?: { used: boolean; redirectUri: string; consentId?: string }
  /** The refresh token of a token request, if the bank knew it. */
  refreshToken?: { superseded: boolean; consentId?: string }
  /** The consent that the request names, or that its token was issued for. */
  consent?: {
    id: string
    status: string
    clientId: string
    deleted: boolean
    approved: boolean
    permissions: string[]
    transactionsFrom?: number
    transactionsTo?: number
  }
  /** Do the digits of a funds confirmation consent end the number of a customer's card? */
  endsACard?: boolean
}

export type WireFailure = NonNullable<ExchangeRecord['failure']>

/** Alerts with which a server refuses a certificate, or that none came: RFC 8446 6.2. */
const OF_CERTIFICATES = /CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED/

/** Does the failure tell a refusal of this request from trouble with the listener? */
export function refusesConnection({ kind, code, alone }: WireFailure): boolean {
  return alone !== undefined || (kind === 'tls-alert' && OF_CERTIFICATES.test(code))
}

/** Of a large JSON body the text is the beginning alone. */
export interface WireResponse extends NonNullable<ExchangeRecord['response']> {
  /** Body as JSON; undefined when it is empty or not JSON. Never to be changed: answers share it. */
  json?: unknown
  /** The body is JSON but for bytes that are no UTF-8 (RFC 8259 section 8.1); U+FFFD stands for them. */
  notUtf8?: true
  /** Where a name stands twice in one object of the JSON, as a pointer: of the two the last counts here. */
  repeated?: string
  /** Encoding of a page that is not UTF-8. */
  charset?: string
}

/** What the keys of a bank say of the signature of an ID token. */
export type IdTokenSignature = 'verifies' | 'does not verify' | 'no such key'

/** One request and its response or failure, raw. It never leaves the process that judges. */
export interface Exchange
  extends Pick<
    ExchangeRecord,
    'id' | 'startedAt' | 'durationMs' | 'request' | 'failure' | 'connection'
  > {
  endpoint: Endpoint
  about: About
  response?: WireResponse
  /** Of the ID token in the answer, by the keys that the bank had served by then; absent without either. */
  signature?: IdTokenSignature
  /** Id of the exchange that repeated this one after connection trouble, 429 or 503. */
  retriedBy?: string
  /**
   * Why the response says nothing of the request, which was repeated where that may help: the bank, or
   * what stands before it, says that it cannot serve now.
   */
  unavailable?: string
  /** The same request was sent just before and cut: the bank may have taken it twice. */
  afterCut?: true
}

/** First value of a header of the response, whatever its case; undefined when absent. */
export function header(exchange: Exchange, name: string): string | undefined {
  const wanted = name.toLowerCase()
  return exchange.response?.headers.find(([key]) => key.toLowerCase() === wanted)?.[1]
}

/** Trouble of our own, such as a connection pool that is closed: it says nothing of the bank. */
export class OwnTrouble extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OwnTrouble'
  }
}
