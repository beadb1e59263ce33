import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { DAY } from '../../engine/record/durations.ts'

type Json = Record<string, unknown>

/** Headers of a request; several values become several lines. */
export type Headers = Record<string, string | string[]>

/** What the reference TPP knows when it makes a message. */
export interface Knowledge {
  clientId: string
  issuer: string
  tokenEndpoint: string
  redirectUri: string
  scope: string
  consentId: string
  state: string
  nonce: string
}

/** Other values of a TPP that could be confused with an access token. */
export interface Held {
  idToken?: string
  refreshToken?: string
  /** The last client assertion that it sent. */
  assertion?: string
  client?: { registration_access_token: string }
}

/** What a reader requires although no document promises it. */
export interface Needs {
  tokenType: boolean
  /** token_type is written Bearer. */
  capitalBearer: boolean
  refreshToken: boolean
  idToken: boolean
  /** A refresh yields an ID token. */
  refreshedIdToken: boolean
  /** The answer of the authorisation page has only the parameters of RFC 6749 and OpenID Connect Core. */
  answerParameters: boolean
  /** A token response has only the members of RFC 6749 and OpenID Connect Core. */
  tokenMembers: boolean
  /** The registration returns the name in the software statement. */
  onBehalfOf: boolean
  accounts: number
  transactions: boolean
  /** Every row is Booked or Pending, and has a BookingDateTime. */
  booked: boolean
  /** Account and CreditLine are arrays. */
  shapes: boolean
  /** A card number is masked by twelve asterisks. */
  asterisks: boolean
  /** Every balance has a CreditLine. */
  creditLine: boolean
  /** Answers have only the members of the tables. */
  members: boolean
  /** Every transaction has a TransactionId. */
  transactionIds: boolean
  /** The answer to a creation repeats the Permissions. */
  permissions: boolean
  /** Date-times end in Z and have at most three decimals. */
  zulu: boolean
  /** Every answer has x-fapi-interaction-id. */
  interactionId: boolean
  /** Header names have their usual upper and lower case. */
  headerCase: boolean
  /** JSON on one line, without escapes. */
  plainJson: boolean
  /** An answer has half a million characters at most. */
  smallAnswers: boolean
  /** Names of merchants are encoded as in an address. */
  encodedNames: boolean
  /** Every answer has a page at least. */
  pages: boolean
  /** Amounts of transactions are pounds with two decimals. */
  pence: boolean
  /** An access token has at most a thousand characters. */
  shortTokens: boolean
  /** Some product has an OverLimitFee. */
  overLimitFees: boolean
  /** A product has the members of its tables alone. */
  productMembers: boolean
  /** A product has a URL. */
  productUrls: boolean
  /** Rates of a product are numbers. */
  numericRates: boolean
}

export const nothing: Needs = {
  tokenType: false,
  capitalBearer: false,
  refreshToken: false,
  idToken: false,
  refreshedIdToken: false,
  answerParameters: false,
  tokenMembers: false,
  onBehalfOf: false,
  accounts: 0,
  transactions: false,
  booked: false,
  shapes: false,
  asterisks: false,
  creditLine: false,
  members: false,
  transactionIds: false,
  permissions: false,
  zulu: false,
  interactionId: false,
  headerCase: false,
  plainJson: false,
  smallAnswers: false,
  encodedNames: false,
  pages: false,
  pence: false,
  shortTokens: false,
  overLimitFees: false,
  productMembers: false,
  productUrls: false,
  numericRates: false,
}

/**
 * Every decision of the reference TPP that may be replaced: wrong and lawful TPPs replace some of them. A function that
 * returns a reason refuses; undefined means no objection.
 */
export interface Conduct {
  /** Claims of the registration JWT. */
  registrationClaims(claims: Json): Json
  registrationType: string
  registrationHeaders(headers: Record<string, string>): Headers
  /** Which of the redirect URIs is used. */
  redirectUri(registered: string[], own: string[]): string
  /** The scope that the customer is asked for. */
  visitScope(registered: string, wanted: string): string
  /** The scope in a request for a client token. */
  grantScope(scope: string, registered: string): string
  /** Does it use only the grant types that the registration returned? */
  heedsGrantTypes: boolean
  /** Header of a JWT that the TPP signs. */
  jwtHeader(
    header: { alg: string; kid: string },
    use: 'registration' | 'assertion' | 'request',
  ): { alg: string; kid?: string; typ?: string }
  assertionClaims(claims: Json): Json
  tokenForm(form: Record<string, string>): Record<string, string>
  tokenHeaders(headers: Record<string, string>): Record<string, string>
  tokenBody(form: Record<string, string>): string
  /** `session` stands for the session of the customer, whose visits it may tie together. */
  newState(session: string, consentId: string): string
  newNonce(session: string, consentId: string): string
  requestObject(claims: Json, known: Knowledge): Json
  query(query: Record<string, string>, known: Knowledge): Record<string, string>
  /** The query as it stands in the link. */
  queryText(text: string): string
  consentBody(body: Json): Json
  apiHeaders(headers: Record<string, string>, what: { method: string; path: string }): Headers
  /** `attempt` counts from 1. */
  dataPath(path: string, token: string, attempt: number): string
  /** The accounts that are read individually. */
  accountIds(given: string[]): string[]
  /** Additional requests after the customer is connected; the answers are ignored. */
  alsoAsks: { method: string; path: string }[]
  /** Methods with which it manages its registration, at registration_client_uri. */
  managesItsRegistration: readonly ('GET' | 'PUT' | 'DELETE')[]
  /** The body of a request for consents or data. */
  apiBody(body: Json | undefined, what: { method: string; path: string }): Json | undefined
  /** Are parameters added to the query that the address of the authorisation page has? */
  keepsTheQuery: boolean
  /** Is the link of the first visit for a consent used for the next one too? */
  keepsTheLink: boolean
  /** Bulk addresses that are read. */
  reads: string[]
  /** Those that are read as well while the customer is absent. */
  alsoReadsWhileAway: string[]
  /** Are AccountIds and ConsentIds percent-encoded in a path? */
  escapes: boolean
  /** Does it understand a Retry-After that is a date? */
  readsRetryDates: boolean
  /** Number of retries of a token request that is answered with 5xx. */
  repeatsUnavailable: number
  /** Number of retries of a registration, a deletion, or the list of products, that is answered with 5xx. */
  repeatsTheRest: number
  /** Number of times that the identical registration is sent again, and after which statuses. */
  repeatsTheRegistration: number
  repeatsItAt(status: number): boolean
  /** Maximum number of requests for one goal; after that the driver ends it. */
  endedAfter: number
  /** Does a repeated token request get a new signature? */
  signsAgain: boolean
  /** The access token in requests for data. */
  dataToken(customers: string, clients: string | undefined, held: Held): string
  consentToken(clients: string, customers: string | undefined, held: Held): string
  customerAddress(present: boolean, attempt: number): string | undefined
  /** Seconds before a retry after 429 or 503; undefined: no retry. */
  waitBeforeRetry(
    retryAfter: number | undefined,
    attempt: number,
    status: number,
  ): number | undefined
  /** Are data that were answered with 429 and Retry-After skipped, as if they were empty? */
  skipsWhatIsBusy: boolean
  /** Does it retry after a closed connection? */
  retryAfterClosed(attempt: number): boolean
  stateRefusal(received: string | null, sent: string): string | undefined
  errorRefusal(answer: URLSearchParams): string | undefined
  /** Is the customer sent to the same link again after an error? */
  triesTheLinkAgain: boolean
  /** How many times the customer is sent to a new link after an error, or without an answer. */
  visitsAgain(answer: URLSearchParams): number
  /** Does it read an answer in the query? */
  readsTheQuery: boolean
  /** Checks of the claims and header of an ID token with a valid signature. */
  idTokenChecks: Record<
    | 'signature'
    | 'alg'
    | 'iss'
    | 'aud'
    | 'exp'
    | 'nonce'
    | 'cHash'
    | 'sHash'
    | 'intent'
    | 'present'
    | 'subject'
    | 'extensions'
    | 'acr',
    boolean
  >
  /** Is an ID token with these audiences and this authorised party meant for the client? */
  ownAudience(audiences: unknown[], party: unknown, client: string): boolean
  /** May aud be an array? */
  readsAudienceArrays: boolean
  /** Does it accept the key in the header of an ID token? */
  takesTheKeyOfTheHeader: boolean
  /** Number of seconds by which the bank's clock may be behind. */
  leeway: number
  /** Does it accept HS256 with the bank's public key as the secret? */
  takesHs256: boolean
  /** Is the issuer of an ID token the bank? */
  sameIssuer(named: unknown, bank: string): boolean
  /** Do the checks above also apply to the ID token of the token endpoint? */
  checksSecondIdToken: boolean
  /** Do they apply to the ID token of a refresh? */
  checksRefreshedIdToken: boolean
  /** Does it check the authorisation response and its ID token when a consent is re-confirmed? */
  checksReconfirmations: boolean
  /** Does it check that the issuer of the well-known configuration is the expected one? */
  checksTheConfiguration: boolean
  /** Its reaction to a redirect. */
  redirects: 'refused' | 'followed' | 'followed-with-the-token'
  /** Does an ID token need a kid, and its key the same? */
  needsKid: boolean
  /** Is the JWKS fetched again for an unknown kid? */
  refetchesKeys: boolean
  usesRefreshToken: boolean
  /** The refresh token that is kept: the newest, the first, or only the one of the last answer. */
  refreshTokenAfter: 'newest' | 'first' | 'as-answered'
  /** Does it refresh whenever it reads again, because it keeps no access token? */
  refreshesFirst: boolean
  /** How many times it refreshes for one request for data. */
  refreshesAtMost: number
  /** Does every request for data refresh by itself, also while another one does? */
  refreshesAtOnce: boolean
  /** The refresh token that is used, of the customer’s own and of the one who connected last. */
  refreshTokenOf(own: string, last: string | undefined): string
  /** The consent of a customer for a goal, of the own and of the one that was approved last. */
  consentOf(own: string, last: string | undefined, goal: string): string
  /** Does it forget a refused refresh token? */
  forgetsRefusedTokens: boolean
  /** Does it also forget one that was not refused, where the bank was unavailable? */
  forgetsUnavailableTokens: boolean
  /** Number of retries with a refused code or refresh token. */
  repeatsGrants: number
  /** Number of retries of a refused request for data. */
  repeatsRefusals: number
  redeemsTwice: boolean
  /** Does it check the type of an access token, if given? */
  readsTokenType: boolean
  /** Does a visit for an existing consent name that consent? */
  reconfirmsExisting: boolean
  /** Does it read at once when a consent is confirmed again? */
  readsAtReconfirmation: boolean
  /** Does it keep the tokens of the first confirmation when there are others? */
  keepsTokensAtReconfirmation: boolean
  deletesConsent: boolean
  /** Does it delete a consent that it will not use: where the customer came back with an error, or connects again? */
  tidiesUp: boolean
  /** Number of times that a deletion is sent, whatever the answer to the first one was. */
  deletesTimes: number
  /** Does it forget the tokens of a consent that it deleted? */
  forgetsAfterDeletion: boolean
  renewsClientToken: boolean
  /** Does it get a client token for each use? */
  freshClientTokens: boolean
  rememberedAccounts: boolean
  registersEveryTime: boolean
  readsSingleAddresses: 'also' | 'only' | 'never'
  filters(): Record<string, string>
  /** Must a row have the same amount as before? */
  pinsAmounts: boolean
  needs: Needs
  patienceMs: number
  /** When it queries the status of the consent before it reads; `in-vain`: it ignores the answer. */
  asksStatus: 'never' | 'first' | 'beside' | 'in-vain'
  /** Does it stop using a consent that it saw Revoked? */
  heedsStatus: boolean
  withCertificate: boolean
  /** Does it show its certificate at the token endpoint too? */
  tokensWithCertificate: boolean
  /** A transport certificate that it uses instead of its own. */
  otherCertificate(): Promise<{ certificate: string; key: string } | undefined>
  /** Does it keep using its first transport certificate? */
  keepsItsCertificate: boolean
  /** Must the bank always have the certificate that it had first? */
  pinsTheBank: boolean
  /** Does it accept any certificate of the server? */
  trustsAnybody: boolean
  /** Does it check the server's certificate only at the addresses of consents and data? */
  verifiesDataAlone: boolean
  /** Does it check the server's certificate only where it shows none of its own: at the configuration and the keys? */
  verifiesWithoutItsOwnAlone: boolean
  /** Does it read the configuration at the beginning of each goal? */
  discoversFirst: boolean
  /** Does it compare the bank's certificate with the host name? */
  checksTheHost: boolean
  /** Is the length of a body said, or does it come in chunks? */
  saysLengths: boolean
  /** Does a connection serve for more than one request? */
  keepsConnections: boolean
  /** Does it treat an interim answer (1xx) as the final answer? */
  takesInterimAnswers: boolean
  /** Does it request accounts, balances and transactions at the same time? */
  readsAtOnce: boolean
  goesOnAfterRefusedConsent: boolean
  goesOnUnregistered: boolean
  fundsAccount(account: Json): Json
  /** Path where a funds confirmation consent is created or deleted. */
  fundsPath(method: 'POST' | 'DELETE'): string
  deletesFundsConsent: boolean
  /** Does it keep its first token for funds confirmation consents for ever? */
  keepsFundsToken: boolean
  /** Requests to the host of the products before it reads them; the answers are ignored. */
  alsoAsksForProducts: { method: string; path: string }[]
  productRequest(
    request: { url: string; headers: Record<string, string> },
    tokens: { customers?: string; clients?: string },
  ): {
    url: string
    headers: Headers
  }
  /** Does it report success despite this reason to refuse? */
  claimsSuccess(reason: string, goal: string): boolean
  /** Does it use the first key of a JWKS, whatever the kid? */
  takesFirstKey: boolean
  decompresses: boolean
  /** Does it keep tokens from one goal to the next? */
  keepsTokens: boolean
  /** Does it keep using the tokens of the first consent when there is a second one? */
  keepsFirstTokens: boolean
  /** Does each customer have a row of the memory? If all share one: whose tokens stay in it. */
  customerRows: 'each' | 'first-stays' | 'last-stays'
  /** Does another customer connect by the consent in their row? */
  sharesConsents: boolean
  /** Does it send the customer to the bank when it cannot read again for this reason? */
  asksAgainAfter(reason: string): boolean
  /** Can a customer who is connected connect again? */
  connectsAgain: boolean
  /** Does it create an additional consent that no customer is asked for? */
  leavesConsents: boolean
  /** Goals that it cannot reach, although it does not say so. */
  cannot: string[]
}

const random = () => randomBytes(16).toString('base64url')

/** The behaviour of a right TPP. */
export const right: Conduct = {
  registrationClaims: (claims) => claims,
  registrationType: 'application/jwt',
  registrationHeaders: (headers) => headers,
  redirectUri: (registered) => registered[0] ?? '',
  visitScope: () => 'openid accounts',
  // "Names of the scopes: not shown": the scope for accounts may be sufficient.
  grantScope: (scope, registered) => (registered.split(' ').includes(scope) ? scope : 'accounts'),
  heedsGrantTypes: true,
  jwtHeader: (header) => header,
  assertionClaims: (claims) => claims,
  tokenForm: (form) => form,
  tokenHeaders: (headers) => headers,
  tokenBody: (form) => new URLSearchParams(form).toString(),
  newState: () => random(),
  newNonce: () => random(),
  requestObject: (claims) => claims,
  query: (query) => query,
  queryText: (text) => text,
  consentBody: (body) => body,
  apiHeaders: (headers) => headers,
  dataPath: (path) => path,
  accountIds: (given) => given,
  alsoAsks: [],
  managesItsRegistration: [],
  apiBody: (body) => body,
  keepsTheQuery: true,
  keepsTheLink: false,
  reads: ['/accounts', '/balances', '/transactions'],
  alsoReadsWhileAway: [],
  escapes: true,
  readsRetryDates: true,
  repeatsUnavailable: 2,
  repeatsTheRest: 0,
  repeatsTheRegistration: 0,
  repeatsItAt: (status) => status >= 400,
  endedAfter: Number.POSITIVE_INFINITY,
  signsAgain: true,
  dataToken: (customers) => customers,
  consentToken: (clients) => clients,
  customerAddress: (present) => (present ? '203.0.113.7' : undefined),
  waitBeforeRetry: (retryAfter, attempt) =>
    attempt > 2 ? undefined : (retryAfter ?? 0.05 * attempt),
  skipsWhatIsBusy: false,
  retryAfterClosed: (attempt) => attempt < 3,
  stateRefusal: (received, sent) =>
    received === sent ? undefined : 'state is not the one that was sent',
  errorRefusal(answer) {
    const error = answer.get('error')
    return error === null ? undefined : `the bank answered ${error}`
  },
  triesTheLinkAgain: false,
  visitsAgain: () => 0,
  readsTheQuery: true,
  idTokenChecks: {
    signature: true,
    alg: true,
    iss: true,
    aud: true,
    exp: true,
    nonce: true,
    cHash: true,
    sHash: true,
    intent: true,
    present: true,
    subject: true,
    extensions: true,
    acr: true,
  },
  ownAudience: (audiences, party, client) =>
    audiences.includes(client) && (audiences.length === 1 || party === client),
  takesTheKeyOfTheHeader: false,
  leeway: 10,
  readsAudienceArrays: true,
  takesHs256: false,
  sameIssuer: (named, bank) => named === bank,
  checksSecondIdToken: true,
  checksRefreshedIdToken: true,
  checksReconfirmations: true,
  checksTheConfiguration: true,
  redirects: 'refused',
  needsKid: false,
  refetchesKeys: true,
  usesRefreshToken: true,
  refreshTokenAfter: 'newest',
  refreshesFirst: false,
  refreshesAtMost: 1,
  refreshesAtOnce: false,
  refreshTokenOf: (own) => own,
  consentOf: (own) => own,
  forgetsRefusedTokens: true,
  forgetsUnavailableTokens: false,
  repeatsGrants: 0,
  repeatsRefusals: 0,
  redeemsTwice: false,
  readsTokenType: true,
  reconfirmsExisting: true,
  readsAtReconfirmation: true,
  keepsTokensAtReconfirmation: false,
  deletesConsent: true,
  tidiesUp: false,
  deletesTimes: 1,
  forgetsAfterDeletion: true,
  renewsClientToken: true,
  freshClientTokens: false,
  rememberedAccounts: false,
  registersEveryTime: false,
  readsSingleAddresses: 'also',
  filters: () => ({
    fromBookingDateTime: new Date(Date.now() - 60 * DAY).toISOString(),
    toBookingDateTime: new Date().toISOString(),
  }),
  pinsAmounts: false,
  needs: nothing,
  patienceMs: 10_000,
  asksStatus: 'never',
  heedsStatus: true,
  withCertificate: true,
  tokensWithCertificate: true,
  otherCertificate: async () => undefined,
  keepsItsCertificate: false,
  pinsTheBank: false,
  trustsAnybody: false,
  verifiesDataAlone: false,
  verifiesWithoutItsOwnAlone: false,
  discoversFirst: false,
  checksTheHost: true,
  takesInterimAnswers: false,
  saysLengths: true,
  keepsConnections: true,
  readsAtOnce: false,
  goesOnAfterRefusedConsent: false,
  goesOnUnregistered: false,
  fundsAccount: (account) => account,
  fundsPath: () => '/cbpii/funds-confirmation-consents',
  deletesFundsConsent: true,
  keepsFundsToken: false,
  alsoAsksForProducts: [],
  productRequest: (request) => request,
  claimsSuccess: () => false,
  takesFirstKey: false,
  decompresses: true,
  keepsTokens: true,
  keepsFirstTokens: false,
  customerRows: 'each',
  sharesConsents: false,
  asksAgainAfter: () => false,
  connectsAgain: true,
  leavesConsents: false,
  cannot: [],
}

/** The right TPP with some decisions replaced. */
export function conductWith(other: Partial<Conduct>): Conduct {
  return { ...right, ...other }
}

/** The left half of SHA-256, base64url: c_hash and s_hash under PS256. */
export function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

export const newId = () => randomUUID()
