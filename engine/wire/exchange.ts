import type { ExchangeRecord } from '../record/exchange-record.ts'

/** The operations of both documents, and two that support them. `elsewhere` is any other address. */
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

/** The endpoints for a customer's data: accounts, balances and transactions. */
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

/** What the consent of an access token allows, as the bank returned it when it was created. */
export interface ConsentFacts {
  id: string
  permissions: string[]
  expiration?: string
  transactionFrom?: string
  transactionTo?: string
}

/** What the sender knew when it sent the request; rules read it, and the bank never sees it. */
export interface About {
  /** Name of the TPP client that sent it: first, second. */
  client?: string
  /** Name of the approval whose access token was sent. */
  approval?: string
  /** Consent behind the access token that was sent. */
  consent?: ConsentFacts
  /** The AccountId or ConsentId in the path. */
  subject?: string
  /** The single fault of this request, in words; absent on a correct request. */
  deviation?: string
  /** Id of the check or step that sent it. */
  check?: string
  /** The authorisation request to which these answers belong: a redirect must match it. */
  visit?: {
    clientId: string
    redirectUri: string
    registered?: string[]
    nonce: string
    state?: string
    /** In milliseconds since 1970: when it began, in a browser without cookies. The customer logged in after that. */
    since?: number
  }
  /** What an ID token in this token response must match: the ID token of the authorisation response. */
  idToken?: { nonce: string; [claim: string]: unknown }
  /** The registered client that sends a token request, as the bank stored it. */
  registered?: { clientId: string; scope?: string }
  /**
   * Set if the access token replaces another one that was answered 401 before its time: the age of that token in
   * seconds, its lifetime, and whether its client had no newer one.
   */
  instead?: { of: string; seconds: number; expiresIn: number; newest: boolean }
  /**
   * Set if it repeats a correct request that was refused while a client, consent or token that it names was new: the id
   * of the first refusal, and the seconds since that was sent.
   */
  soon?: { of: string; seconds: number }
  /** Its position in a recording of other parties' traffic: `night.har entry 12`. */
  recorded?: string
  /** An earlier run sent it at the given time, and its answer was kept. */
  earlier?: true
  /** A bank need not accept this request: it may refuse it like a wrong one. */
  optional?: true
  /** No table of the documents lists what it requests: a success is not validated against a schema. */
  open?: boolean
  /** Ids of rules that skip this exchange because the check judges the same thing. */
  owns?: string[]
  /** Where a client is judged: what the bank that it contacted knew about the request. */
  seen?: Seen
}

/** A request of a client under judgement, as the bank saw it. */
export interface Seen {
  /** Id of the scenario during which it arrived. */
  scenario: string
  /** What the client had been asked to do. */
  goal: string
  /** True if the customer was present when the client was asked. */
  present: boolean
  /** Alterations of the bank that had an effect on the answer. */
  fired: string[]
  /** Transport certificate: none, valid, or what was wrong with it. */
  certificate: string
  /** When its connection was accepted, in milliseconds since 1970, if this is the first request on it. */
  acceptedAt?: number
  /** Why the bank refused. */
  refusal?: { reason: string; detail: string }
  /** Values that a correct message of the client contains. */
  expected?: { issuer: string; tokenEndpoint: string; registrationEndpoint: string }
  /** According to its target file, the bank has this operation at this address, whatever the documents show. */
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
  /** What other kind of known value came in place of an access token. */
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
  /** True if the digits of a funds confirmation consent are the end of a customer's card number. */
  endsACard?: boolean
}

export type WireFailure = NonNullable<ExchangeRecord['failure']>

/** Alerts that refuse a certificate or say that none came: RFC 8446 6.2. */
const OF_CERTIFICATES = /CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED/

/** True if the failure is a refusal of this request, as opposed to a fault of the listener. */
export function refusesConnection({ kind, code, alone }: WireFailure): boolean {
  return alone !== undefined || (kind === 'tls-alert' && OF_CERTIFICATES.test(code))
}

/** For a large JSON body, `body` is only its beginning. */
export interface WireResponse extends NonNullable<ExchangeRecord['response']> {
  /** Body as JSON; undefined when it is empty or not JSON. Must not be changed: answers share it. */
  json?: unknown
  /** The body is JSON except for bytes that are not UTF-8 (RFC 8259 section 8.1); U+FFFD replaces them. */
  notUtf8?: true
  /** Pointer to a name that occurs twice in one object of the JSON; here the last one counts. */
  repeated?: string
  /** Encoding of a page that is not UTF-8. */
  charset?: string
}

/** The result of verifying an ID token's signature with the keys of a bank. */
export type IdTokenSignature = 'verifies' | 'does not verify' | 'no such key'

/** One request and its response or failure, raw. It never leaves the judging process. */
export interface Exchange
  extends Pick<
    ExchangeRecord,
    'id' | 'startedAt' | 'durationMs' | 'request' | 'failure' | 'connection'
  > {
  endpoint: Endpoint
  about: About
  response?: WireResponse
  /** For the ID token in the answer, with the keys that the bank had served by then; absent without either. */
  signature?: IdTokenSignature
  /** Id of the exchange that repeated this one after a connection failure, 429 or 503. */
  retriedBy?: string
  /**
   * Why the response says nothing about the request, which was repeated where that may help: the bank, or a component
   * in front of it, says that it cannot serve now.
   */
  unavailable?: string
  /** The same request was sent just before and cut: the bank may have executed it twice. */
  afterCut?: true
}

/** First value of a response header, whatever its case; undefined when absent. */
export function header(exchange: Exchange, name: string): string | undefined {
  const wanted = name.toLowerCase()
  return exchange.response?.headers.find(([key]) => key.toLowerCase() === wanted)?.[1]
}

/** A fault of Assay's own, such as a closed connection pool: it says nothing about the bank. */
export class OwnTrouble extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OwnTrouble'
  }
}
