import { createHash, randomBytes, randomUUID } from 'node:crypto'

type Json = Record<string, unknown>

/** Headers of a request; several values are as many lines. */
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

/** What else a TPP holds that could be taken for an access token. */
export interface Held {
  idToken?: string
  refreshToken?: string
  /** The client assertion that it sent last. */
  assertion?: string
  client?: { registration_access_token: string }
}

/** What a reader insists on although no document promises it. */
export interface Needs {
  tokenType: boolean
  refreshToken: boolean
  idToken: boolean
  /** No member of a token response but those of RFC 6749 and OpenID Connect Core. */
  tokenMembers: boolean
  /** The name in the software statement comes back from the registration. */
  onBehalfOf: boolean
  accounts: number
  transactions: boolean
  /** Every row is Booked or Pending, and has a BookingDateTime. */
  booked: boolean
  /** Account and CreditLine are arrays. */
  shapes: boolean
  /** Every balance has a CreditLine. */
  creditLine: boolean
  /** No member but those of the tables. */
  members: boolean
  /** Date-times end in Z and have three decimals at most. */
  zulu: boolean
  /** Every answer has x-fapi-interaction-id. */
  interactionId: boolean
  /** Names of headers are written as they mostly are. */
  headerCase: boolean
  /** JSON on one line, nothing escaped. */
  plainJson: boolean
  /** Amounts of transactions are pounds with two decimals. */
  pence: boolean
  /** An access token has a thousand characters at most. */
  shortTokens: boolean
}

export const nothing: Needs = {
  tokenType: false,
  refreshToken: false,
  idToken: false,
  tokenMembers: false,
  onBehalfOf: false,
  accounts: 0,
  transactions: false,
  booked: false,
  shapes: false,
  creditLine: false,
  members: false,
  zulu: false,
  interactionId: false,
  headerCase: false,
  plainJson: false,
  pence: false,
  shortTokens: false,
}

/**
 * Every decision of the reference TPP that one may want to see taken otherwise: wrong and lawful
 * TPPs replace some of them. What returns a reason refuses; undefined is content.
 */
export interface Conduct {
  /** Claims of the registration JWT. */
  registrationClaims(claims: Json): Json
  registrationType: string
  /** Which of the redirect URIs is used. */
  redirectUri(registered: string[], own: string[]): string
  /** Which scope the customer is asked for. */
  visitScope(registered: string, wanted: string): string
  /** Which scope a token of the client is asked for with. */
  grantScope(scope: string, registered: string): string
  /** Does it use no grant type but those that the registration returned? */
  heedsGrantTypes: boolean
  /** Header of a JWT that the TPP signs. */
  jwtHeader(
    header: { alg: string; kid: string },
    use: 'registration' | 'assertion' | 'request',
  ): { alg: string; kid?: string }
  assertionClaims(claims: Json): Json
  tokenForm(form: Record<string, string>): Record<string, string>
  tokenHeaders(headers: Record<string, string>): Record<string, string>
  tokenBody(form: Record<string, string>): string
  newState(): string
  newNonce(): string
  requestObject(claims: Json, known: Knowledge): Json
  query(query: Record<string, string>, known: Knowledge): Record<string, string>
  consentBody(body: Json): Json
  apiHeaders(headers: Record<string, string>, what: { method: string; path: string }): Headers
  dataPath(path: string): string
  /** The accounts that are read one by one. */
  accountIds(given: string[]): string[]
  /** What is sent besides, once the customer is connected; nobody looks at the answers. */
  alsoAsks: { method: string; path: string }[]
  /** Methods by which it manages its registration, at registration_client_uri. */
  managesItsRegistration: readonly ('GET' | 'PUT' | 'DELETE')[]
  /** The body of a request for consents or data. */
  apiBody(body: Json | undefined, what: { method: string; path: string }): Json | undefined
  /** Is the link of the first visit used for the next one too? */
  keepsTheLink: boolean
  /** Bulk addresses that are read. */
  reads: string[]
  /** Are AccountIds and ConsentIds encoded where they stand in a path? */
  escapes: boolean
  /** Does it know a Retry-After that is a date? */
  readsRetryDates: boolean
  /** How often a token request is sent again that was answered with 5xx. */
  repeatsUnavailable: number
  /** How often a registration, or the list of products, is asked for again that was answered with 5xx. */
  repeatsTheRest: number
  /** How often the very same registration is sent again, and after which statuses. */
  repeatsTheRegistration: number
  repeatsItAt(status: number): boolean
  /** Requests of one goal after which whoever drives it has lost patience, and ends it. */
  endedAfter: number
  /** Is a token request that is sent again signed again? */
  signsAgain: boolean
  /** Which access token data is asked for with. */
  dataToken(customers: string, clients: string | undefined, held: Held): string
  consentToken(clients: string, customers: string | undefined, held: Held): string
  customerAddress(present: boolean, attempt: number): string | undefined
  /** Seconds after which an answer of 429 or 503 is repeated; undefined: not at all. */
  waitBeforeRetry(retryAfter: number | undefined, attempt: number): number | undefined
  /** Is what was answered with 429 and Retry-After left out, as if it were empty? */
  skipsWhatIsBusy: boolean
  /** Does a closed connection make it try again? */
  retryAfterClosed(attempt: number): boolean
  stateRefusal(received: string | null, sent: string): string | undefined
  errorRefusal(answer: URLSearchParams): string | undefined
  /** Is the customer sent by the same link again when an error came back? */
  triesTheLinkAgain: boolean
  /** How often the customer is sent again, by another link, when an error came back. */
  visitsAgain: number
  /** Looks at claims and header of an ID token whose signature holds. */
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
    | 'subject',
    boolean
  >
  /** Is an ID token of these audiences, and of this authorised party, for the client? */
  ownAudience(audiences: unknown[], party: unknown, client: string): boolean
  /** May aud be an array? */
  readsAudienceArrays: boolean
  /** Does it take the key that stands in the header of an ID token? */
  takesTheKeyOfTheHeader: boolean
  /** Seconds by which the clock of the bank may be behind. */
  leeway: number
  /** Does it take HS256 under the public key of the bank for a signature? */
  takesHs256: boolean
  /** Is the issuer of an ID token the bank? */
  sameIssuer(named: unknown, bank: string): boolean
  /** Are the checks above made of the ID token of the token endpoint too? */
  checksSecondIdToken: boolean
  /** Are they made of the ID token of a refresh? */
  checksRefreshedIdToken: boolean
  /** Are an answer of the authorisation page and its ID token looked at when a consent is confirmed again? */
  checksReconfirmations: boolean
  /** Is the issuer of the well-known configuration the one that it was given? */
  checksTheConfiguration: boolean
  /** What it does where an answer is a redirect. */
  redirects: 'refused' | 'followed' | 'followed-with-the-token'
  /** Is the JWKS fetched again for a kid that is unknown? */
  refetchesKeys: boolean
  usesRefreshToken: boolean
  /** The refresh token that is kept: the newest there is, the first, or whatever the last answer had. */
  refreshTokenAfter: 'newest' | 'first' | 'as-answered'
  /** Does it forget a refresh token that was refused? */
  forgetsRefusedTokens: boolean
  /** How often a refused code or refresh token is sent again. */
  repeatsGrants: number
  /** How often a refused request for data is sent again. */
  repeatsRefusals: number
  redeemsTwice: boolean
  /** Does it look at the type of an access token, where one is named? */
  readsTokenType: boolean
  /** Does a visit for a consent that exists name it? */
  reconfirmsExisting: boolean
  deletesConsent: boolean
  /** Does it forget the tokens of a consent that it deleted? */
  forgetsAfterDeletion: boolean
  renewsClientToken: boolean
  rememberedAccounts: boolean
  registersEveryTime: boolean
  readsSingleAddresses: 'also' | 'only' | 'never'
  filters(): Record<string, string>
  /** Does the same row need to be what it was? */
  pinsAmounts: boolean
  needs: Needs
  patienceMs: number
  /** When it asks for the status of the consent before it reads; `in-vain`: whatever the answer. */
  asksStatus: 'never' | 'first' | 'beside' | 'in-vain'
  /** Does it leave a consent alone that it saw Revoked? */
  heedsStatus: boolean
  withCertificate: boolean
  /** A transport certificate that it uses instead of its own. */
  otherCertificate(): Promise<{ certificate: string; key: string } | undefined>
  /** Does it continue with the transport certificate that it had first? */
  keepsItsCertificate: boolean
  /** Does the bank have to have the certificate that it had first? */
  pinsTheBank: boolean
  /** Does it speak to whoever is at the address, whatever the certificate? */
  trustsAnybody: boolean
  /** Does it look at the certificate where consents and data are, and nowhere else? */
  verifiesDataAlone: boolean
  /** Does it compare the certificate of the bank with the host that it meant? */
  checksTheHost: boolean
  /** Does it take an interim answer (1xx) for the answer? */
  takesInterimAnswers: boolean
  /** Does it ask for accounts, balances and transactions at the same time? */
  readsAtOnce: boolean
  goesOnAfterRefusedConsent: boolean
  goesOnUnregistered: boolean
  fundsAccount(account: Json): Json
  /** Where a funds confirmation consent is created, or deleted. */
  fundsPath(method: 'POST' | 'DELETE'): string
  deletesFundsConsent: boolean
  productRequest(
    request: { url: string; headers: Record<string, string> },
    tokens: { customers?: string; clients?: string },
  ): {
    url: string
    headers: Headers
  }
  /** Does it say that all went well, for this reason to refuse? */
  claimsSuccess(reason: string, goal: string): boolean
  /** Does it take the first key of a JWKS, whatever the kid? */
  takesFirstKey: boolean
  decompresses: boolean
  /** Does it keep tokens from one goal to the next? */
  keepsTokens: boolean
  /** Does it continue with the tokens of the first consent when there is a second one? */
  keepsFirstTokens: boolean
  /** Does a customer who is connected get to connect again? */
  connectsAgain: boolean
  /** Does it create a consent that nobody is ever asked for, beside the one that it uses? */
  leavesConsents: boolean
  /** What it cannot do, although it says so nowhere. */
  cannot: string[]
}

const random = () => randomBytes(16).toString('base64url')

/** What a right TPP does. */
export const right: Conduct = {
  registrationClaims: (claims) => claims,
  registrationType: 'application/jwt',
  redirectUri: (registered) => registered[0] ?? '',
  visitScope: () => 'openid accounts',
  // "Names of the scopes: not shown": what is good for accounts may do.
  grantScope: (scope, registered) => (registered.split(' ').includes(scope) ? scope : 'accounts'),
  heedsGrantTypes: true,
  jwtHeader: (header) => header,
  assertionClaims: (claims) => claims,
  tokenForm: (form) => form,
  tokenHeaders: (headers) => headers,
  tokenBody: (form) => new URLSearchParams(form).toString(),
  newState: random,
  newNonce: random,
  requestObject: (claims) => claims,
  query: (query) => query,
  consentBody: (body) => body,
  apiHeaders: (headers) => headers,
  dataPath: (path) => path,
  accountIds: (given) => given,
  alsoAsks: [],
  managesItsRegistration: [],
  apiBody: (body) => body,
  keepsTheLink: false,
  reads: ['/accounts', '/balances', '/transactions'],
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
  visitsAgain: 0,
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
  refetchesKeys: true,
  usesRefreshToken: true,
  refreshTokenAfter: 'newest',
  forgetsRefusedTokens: true,
  repeatsGrants: 0,
  repeatsRefusals: 0,
  redeemsTwice: false,
  readsTokenType: true,
  reconfirmsExisting: true,
  deletesConsent: true,
  forgetsAfterDeletion: true,
  renewsClientToken: true,
  rememberedAccounts: false,
  registersEveryTime: false,
  readsSingleAddresses: 'also',
  filters: () => ({
    fromBookingDateTime: new Date(Date.now() - 60 * 86_400_000).toISOString(),
  }),
  pinsAmounts: false,
  needs: nothing,
  patienceMs: 10_000,
  asksStatus: 'never',
  heedsStatus: true,
  withCertificate: true,
  otherCertificate: async () => undefined,
  keepsItsCertificate: false,
  pinsTheBank: false,
  trustsAnybody: false,
  verifiesDataAlone: false,
  checksTheHost: true,
  takesInterimAnswers: false,
  readsAtOnce: false,
  goesOnAfterRefusedConsent: false,
  goesOnUnregistered: false,
  fundsAccount: (account) => account,
  fundsPath: () => '/cbpii/funds-confirmation-consents',
  deletesFundsConsent: true,
  productRequest: (request) => request,
  claimsSuccess: () => false,
  takesFirstKey: false,
  decompresses: true,
  keepsTokens: true,
  keepsFirstTokens: false,
  connectsAgain: true,
  leavesConsents: false,
  cannot: [],
}

/** The right TPP, with some decisions taken otherwise. */
export function conductWith(other: Partial<Conduct>): Conduct {
  return { ...right, ...other }
}

/** The left half of SHA-256, base64url: c_hash and s_hash under PS256. */
export function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

export const newId = () => randomUUID()
