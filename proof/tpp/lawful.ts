import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { DAY } from '../../engine/record/durations.ts'
import { type Conduct, right } from './conduct.ts'
import { Refusal } from './refusal.ts'
import type { LawfulTpp } from './tpp-proof.ts'

type Json = Record<string, unknown>

const counts = new Map<string, number>()

/** 1, 2, 3, … separately for each name. */
function nextOf(name: string): number {
  const next = (counts.get(name) ?? 0) + 1
  counts.set(name, next)
  return next
}

/** A proof key: 43 characters at least. */
const VERIFIER = randomBytes(32).toString('base64url')

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Filters for some days, which ended so many days ago. */
function daysFrom(ago: number, days: number): Record<string, string> {
  const at = (day: number) => new Date(Date.now() - day * DAY).toISOString()
  return { fromBookingDateTime: at(ago + days), toBookingDateTime: at(ago) }
}

/** Addresses of customers: of a home network, and of IPv6 in three spellings. */
const ADDRESSES = ['10.20.30.40', '::ffff:203.0.113.7', '2001:DB8::1', '2001:db8:0:0::1']

const SCOPES_OF_REFRESHES = ['openid accounts fundsconfirmations', 'accounts']

const reversed = (form: Record<string, string>) =>
  Object.fromEntries(Object.entries(form).toReversed())

/** A client that registers without the grant refresh_token. */
const neverRefreshes: Partial<Conduct> = {
  usesRefreshToken: false,
  registrationClaims: (claims) => ({
    ...claims,
    grant_types: ['authorization_code', 'client_credentials'],
  }),
}

const lawful: LawfulTpp[] = [
  {
    id: 'token-requests-without-a-certificate',
    story:
      'The client sends token requests without a transport certificate. "Consent, data and registration endpoints are reached over mutual TLS": the token endpoint is not named.',
    conduct: { tokensWithCertificate: false },
  },
  {
    id: 'least-of-everything',
    story:
      'The client uses the minimum: no dates in the consent, no filters, no x-fapi-customer-ip-address, one redirect URI and only the scopes openid and accounts. All of the rest is optional.',
    goals: ['connect', 'read'],
    conduct: {
      filters: () => ({}),
      customerAddress: () => undefined,
      consentBody: () => ({
        Data: {
          Permissions: [
            'ReadAccountsBasic',
            'ReadBalances',
            'ReadTransactionsBasic',
            'ReadTransactionsDebits',
            'ReadTransactionsCredits',
          ],
        },
        Risk: {},
      }),
      registrationClaims: (claims) => ({
        ...claims,
        redirect_uris: (claims.redirect_uris as string[]).slice(0, 1),
        scope: 'openid accounts',
      }),
    },
  },
  {
    id: 'jti-of-another-form',
    story: 'The jti of a JWT is not a UUID, or is a URN. It is any string that is unique.',
    conduct: {
      assertionClaims: (claims) => ({
        ...claims,
        jti: `${process.pid}-${performance.now()}-${Math.random()}`,
      }),
      registrationClaims: (claims) => ({ ...claims, jti: `urn:uuid:${randomUUID()}` }),
    },
  },
  {
    id: 'registration-sent-again-after-a-503',
    story:
      'The client repeats a registration that got a 5xx response with the same JWT (RFC 9110 15.6.4), because it was not processed.',
    conduct: { repeatsTheRegistration: 3, repeatsItAt: (status) => status >= 500 },
  },
  {
    id: 'filter-of-a-year',
    story:
      'The client sends a fromBookingDateTime one year ago, even if the consent has a shorter period.',
    conduct: {
      filters: () => ({
        fromBookingDateTime: new Date(Date.now() - 365 * DAY).toISOString(),
      }),
    },
  },
  {
    id: 'registration-of-few-claims',
    story:
      'The registration has no iat, exp and jti. The documents do not show which claims it needs.',
    conduct: { registrationClaims: ({ iat: _, exp: __, jti: ___, ...claims }) => claims },
  },
  {
    id: 'form-in-another-order',
    story: 'The client sends the fields of the token request in another order.',
    conduct: { tokenForm: reversed },
  },
  {
    id: 'form-with-empty-fields',
    story:
      'The client sends unused fields of the token request without a value. They count as omitted (RFC 6749 3.2).',
    conduct: {
      tokenForm: (form) => ({
        ...{ client_secret: '', code: '', refresh_token: '', redirect_uri: '' },
        ...form,
      }),
    },
  },
  {
    id: 'query-in-another-order',
    story:
      'The client sends the parameters of the authorisation request in another order, and also sends nonce in the query.',
    conduct: { query: (query, { nonce }) => reversed({ ...query, nonce }) },
  },
  {
    id: 'registers-every-time',
    story:
      'The client registers again for each customer. The document does not say how often a client registers.',
    conduct: { registersEveryTime: true },
    goals: ['connect', 'confirm-funds', 'products'],
  },
  {
    id: 'never-refreshes',
    story: 'The client does not register the refresh_token grant, so the customer connects again.',
    conduct: neverRefreshes,
  },
  {
    id: 'refreshes-for-less-then-for-all',
    story:
      'The client asks for fewer scopes in one refresh and for all granted scopes in the next.',
    conduct: {
      visitScope: (registered) => registered,
      tokenForm: (form) =>
        form.grant_type === 'refresh_token'
          ? { ...form, scope: SCOPES_OF_REFRESHES[nextOf('refreshes') % 2] ?? '' }
          : form,
    },
  },
  {
    id: 'single-addresses-only',
    story: 'The client reads balances and transactions only by account.',
    conduct: { readsSingleAddresses: 'only' },
  },
  {
    id: 'bulk-addresses-only',
    story: 'The client reads only the bulk endpoints, never those of one account.',
    conduct: { readsSingleAddresses: 'never' },
  },
  {
    id: 'reads-at-once',
    story: 'The client requests accounts, balances and transactions at the same time.',
    conduct: { readsAtOnce: true, readsSingleAddresses: 'never' },
  },
  {
    id: 'reads-accounts-twice-at-once',
    story:
      'Two parts of a page request the same accounts at the same time, so one does not know that the other reached the rate limit.',
    conduct: {
      reads: ['/accounts', '/accounts', '/balances', '/transactions'],
      readsAtOnce: true,
      readsSingleAddresses: 'never',
    },
  },
  {
    id: 'refreshes-at-once',
    story:
      'Each part of a page refreshes the token at the same time. A refresh may end the approval while others are being processed.',
    goals: ['connect', 'connect-another', 'read'],
    conduct: { refreshesAtOnce: true, readsAtOnce: true, readsSingleAddresses: 'never' },
  },
  {
    id: 'bodies-in-chunks-on-new-connections',
    story:
      'The client sends bodies in chunks (RFC 9112 7.1) and uses a new connection for each request.',
    conduct: { saysLengths: false, keepsConnections: false },
  },
  {
    id: 'tidies-up',
    story:
      'The client deletes a denied consent and an earlier one, and deletes a consent twice. Which consents a TPP deletes is its choice.',
    conduct: { tidiesUp: true, deletesTimes: 2 },
  },
  {
    id: 'headers-of-the-whole-specification',
    story:
      'The client writes bearer in lower case (RFC 9110 11.1), adds other headers, and sends Content-Length 0 without a body.',
    conduct: {
      apiHeaders: ({ authorization = '', ...headers }, { method }) => ({
        ...headers,
        authorization: authorization.replace('Bearer', 'bearer'),
        'x-idempotency-key': randomUUID(),
        'x-fapi-financial-id': '0015800001041RHAAY',
        ...(method !== 'POST' && { 'content-type': 'application/json', 'content-length': '0' }),
      }),
      registrationType: 'application/jwt; charset=utf-8',
      tokenHeaders: (headers) => ({
        ...headers,
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      }),
      fundsAccount: (account) => ({ ...account, Name: 'Cerdyn bob dydd – ŵ 💳' }),
    },
  },
  {
    id: 'scope-of-a-client-token-left-out',
    story:
      'The client sends client_credentials requests without scope, which is optional (RFC 6749 4.4.2).',
    conduct: { tokenForm: ({ scope: _, ...form }) => form },
  },
  {
    id: 'filters-in-small-letters-and-of-india',
    story:
      'The client sends date filters with t and z in lower case, with the offset +05:30, and in the future. RFC 3339 5.6 allows these.',
    conduct: {
      filters: () => ({
        fromBookingDateTime: new Date(Date.now() - 60 * DAY).toISOString().toLowerCase(),
        toBookingDateTime: new Date(Date.now() + DAY).toISOString().replace('Z', '+05:30'),
      }),
    },
  },
  {
    id: 'customers-at-home-and-abroad',
    story:
      'The client sends private and IPv6 addresses in x-fapi-customer-ip-address, in several spellings.',
    conduct: {
      customerAddress: (present) =>
        present ? ADDRESSES[nextOf('addresses') % ADDRESSES.length] : undefined,
    },
  },
  {
    id: 'permissions-twice-and-of-statements',
    story:
      'The client names a permission twice, and one that it never uses. The document does not forbid this.',
    conduct: {
      consentBody({ Data: given, ...body }) {
        const { Permissions, ...data } = given as { Permissions: string[] }
        const more = ['ReadBalances', 'ReadStatementsDetail', 'ReadAccountsBasic']
        return { ...body, Data: { ...data, Permissions: [...Permissions, ...more] } }
      },
    },
  },
  {
    id: 'reads-at-once-without-refresh',
    story:
      'The client requests data at the same time, so some requests arrive after the bank has said that the consent is revoked.',
    conduct: { readsAtOnce: true, readsSingleAddresses: 'never', ...neverRefreshes },
  },
  {
    id: 'asks-the-customer-once-more',
    story: 'After an error, the client sends the customer to the bank once more with another link.',
    conduct: { visitsAgain: () => 1 },
  },
  {
    id: 'status-asked-first',
    story: 'The client queries the Status of the consent before it reads data.',
    conduct: { asksStatus: 'first' },
  },
  {
    id: 'status-asked-beside',
    story:
      'The client queries the Status of the consent and requests data at the same time, so data requests may arrive after Revoked was shown.',
    conduct: { asksStatus: 'beside', readsAtOnce: true, readsSingleAddresses: 'never' },
  },
  {
    id: 'second-redirect-uri',
    story: 'The client uses the last of its registered redirect URIs.',
    conduct: { redirectUri: (registered) => registered.at(-1) ?? '' },
  },
  {
    id: 'works-with-what-it-asked-for-alone',
    story:
      'The client stops if the bank did not register its redirect URI and both scopes; it uses no other values.',
    conduct: {
      redirectUri: (registered, [own = '']) => {
        if (!registered.includes(own)) throw new Refusal('its redirect URI is not registered')
        return own
      },
      visitScope: (registered, wanted) => {
        if (!/fundsconfirmations/.test(registered)) throw new Refusal('a scope is not registered')
        return wanted
      },
    },
  },
  {
    id: 'app-registers-as-native',
    story:
      'The client registers application_type native (OpenID Connect Registration 2), which the document does not mention.',
    conduct: {
      registrationClaims: (claims) => ({ ...claims, application_type: 'native' }),
    },
  },
  {
    id: 'reads-day-by-day',
    story: 'The client reads transactions day by day in many requests, and stops at a 429.',
    conduct: {
      alsoReadsWhileAway: Array<string>(65).fill('/transactions'),
      filters: () => daysFrom(nextOf('days') % 60, 1),
      waitBeforeRetry: () => undefined,
    },
  },
  {
    id: 'reads-its-weeks-at-once',
    story:
      'The client requests the transactions of several weeks at the same time, so some requests arrive after a 429.',
    conduct: {
      reads: Array<string>(7).fill('/transactions'),
      readsAtOnce: true,
      readsSingleAddresses: 'never',
      filters: () => daysFrom(7 * (nextOf('weeks') % 7), 7),
    },
  },
  {
    id: 'connects-a-customer-once',
    story:
      'The client does not connect a customer again who has a consent. "Create an AccountAccessConsent for each customer".',
    conduct: { connectsAgain: false },
  },
  {
    id: 're-confirms-and-reads-in-the-night',
    story:
      'After a re-confirmation, the client reads data only in the next nightly job. The document does not say what follows.',
    conduct: { readsAtReconfirmation: false },
  },
  {
    id: 'assertion-for-the-issuer',
    story:
      'The aud of the client assertion is a list with one more address. The issuer identifies the authorisation server too (RFC 7523 3).',
    conduct: {
      assertionClaims: (claims) => ({
        ...claims,
        aud: [String(claims.aud), 'https://also.example'],
      }),
    },
  },
  {
    id: 'no-client-id-in-the-form',
    story: 'The client sends no client_id in the form, because the client assertion names it.',
    conduct: { tokenForm: ({ client_id: _, ...form }) => form },
  },
  {
    id: 'tries-at-two-layers',
    story:
      'The client repeats a failed request up to six times, because a library and the program both repeat it. That is not without end.',
    conduct: {
      waitBeforeRetry: (stated, attempt) => (attempt > 5 ? undefined : (stated ?? 0.02)),
      retryAfterClosed: (attempt) => attempt < 6,
      repeatsUnavailable: 5,
      repeatsTheRest: 5,
    },
  },
  {
    id: 'gives-up-at-once',
    story: 'The client never repeats a failed request.',
    conduct: { waitBeforeRetry: () => undefined, retryAfterClosed: () => false },
  },
  {
    id: 'accepts-much',
    story: 'The accept header names more than JSON, and Content-Type has a charset.',
    conduct: {
      apiHeaders: (headers) => ({
        ...headers,
        accept: 'application/json, text/plain;q=0.5, */*;q=0.1',
        ...(headers['content-type'] && { 'content-type': 'application/json; charset=utf-8' }),
      }),
    },
  },
  {
    id: 'filters-with-an-offset',
    story:
      'The client sends date filters with +00:00 and without fractions of a second (RFC 3339).',
    conduct: {
      filters: () => ({
        fromBookingDateTime: new Date(Date.now() - 30 * DAY).toISOString().replace('Z', '+00:00'),
        toBookingDateTime: new Date().toISOString().replace(/\.\d+Z/, 'Z'),
      }),
    },
  },
  {
    id: 'one-end-of-a-period',
    story:
      'The client sends only TransactionToDateTime and only toBookingDateTime. All of these dates are optional.',
    conduct: {
      consentBody({ Data: given, ...body }) {
        const { TransactionFromDateTime: _, ...rest } = given as Json
        return { ...body, Data: rest }
      },
      filters: () => ({ toBookingDateTime: new Date().toISOString() }),
    },
  },
  {
    id: 'filters-of-one-moment',
    story:
      'fromBookingDateTime and toBookingDateTime are the same time. Whether a filter includes that time is not said.',
    conduct: {
      filters() {
        const moment = new Date(Date.now() - 30 * DAY).toISOString()
        return { fromBookingDateTime: moment, toBookingDateTime: moment }
      },
    },
  },
  {
    id: 'customer-on-ipv6',
    story: 'The client sends an IPv6 address in x-fapi-customer-ip-address.',
    conduct: { customerAddress: (present) => (present ? '2001:db8::1893:25c8:1946' : undefined) },
  },
  {
    id: 'state-and-nonce-of-the-session',
    story:
      'The state and the nonce are hashes of the session cookie, as RFC 6749 10.12 and OpenID Connect Core 15.5.2 suggest.',
    conduct: {
      newState: (session) => hashOf(`state ${session}`),
      newNonce: (session) => hashOf(`nonce ${session}`),
    },
  },
  {
    id: 'state-without-a-value',
    story:
      'The client sends state without a value. It counts as omitted (RFC 6749 3.1), and state is not required.',
    conduct: {
      stateRefusal: (received) => (received ? 'nobody sent a state' : undefined),
      requestObject: ({ state: _, ...claims }) => claims,
      query: (query) => ({ ...query, state: '' }),
    },
  },
  {
    id: 'scope-of-the-query-is-openid',
    story:
      'The scope in the query is only openid; the request object has all scopes (OpenID Connect Core 6.1).',
    conduct: { query: (query) => ({ ...query, scope: 'openid' }) },
  },
  {
    id: 'no-state',
    story:
      'The client sends no state, which is not required. The nonce connects the response with the session.',
    conduct: {
      stateRefusal: (received) => (received === null ? undefined : 'nobody sent a state'),
      requestObject: ({ state: _, ...claims }) => claims,
      query: ({ state: _, ...query }) => query,
    },
  },
  {
    id: 'more-headers',
    story: 'The client sends x-fapi-interaction-id, x-fapi-auth-date and User-Agent.',
    conduct: {
      apiHeaders: (headers) => ({
        ...headers,
        'x-fapi-interaction-id': randomUUID(),
        'x-fapi-auth-date': new Date().toUTCString(),
        'user-agent': 'Tally/4.2',
      }),
    },
  },
  {
    id: 'request-object-with-more',
    story: 'The request object has more claims, such as max_age and ui_locales.',
    conduct: {
      requestObject: (claims: Json) => ({ ...claims, max_age: 3600, ui_locales: 'cy en' }),
    },
  },
  {
    id: 'no-headers-of-fapi',
    story:
      'The client sends neither x-fapi-interaction-id nor x-fapi-auth-date, which are optional.',
    conduct: {
      apiHeaders: ({
        'x-fapi-interaction-id': _,
        'x-fapi-auth-date': __,
        ...headers
      }): Record<string, string> => headers,
    },
  },
  {
    id: 'interaction-id-is-a-urn',
    story: 'The x-fapi-interaction-id is a UUID written as a URN (RFC 4122 3).',
    conduct: {
      apiHeaders: (headers) => ({
        ...headers,
        'x-fapi-interaction-id': `urn:uuid:${randomUUID().toUpperCase()}`,
      }),
    },
  },
  {
    id: 'no-level-of-authentication',
    story: 'The client does not ask for acr and does not compare it.',
    conduct: {
      requestObject({ claims, ...rest }) {
        const { openbanking_intent_id } = (claims as { id_token: Json }).id_token
        return { ...rest, claims: { id_token: { openbanking_intent_id } } }
      },
      idTokenChecks: { ...right.idTokenChecks, acr: false },
    },
  },
  {
    id: 'asks-for-a-fresh-login',
    story: 'The request object asks for a new login, for auth_time and for response_mode fragment.',
    conduct: {
      requestObject({ claims, ...rest }) {
        const { id_token } = claims as { id_token: Json }
        const more = { ...id_token, auth_time: { essential: true } }
        return {
          ...rest,
          ...{ prompt: 'login', response_mode: 'fragment', max_age: 3600 },
          claims: { id_token: more },
        }
      },
      query: (query) => ({ ...query, response_mode: 'fragment' }),
    },
  },
  {
    id: 'proof-key-of-the-code',
    story: 'The client uses a proof key for the code (RFC 7636).',
    conduct: {
      requestObject: (claims) => ({
        ...claims,
        ...{ code_challenge: hashOf(VERIFIER), code_challenge_method: 'S256' },
      }),
      tokenForm: (form) =>
        form.grant_type === 'authorization_code' ? { ...form, code_verifier: VERIFIER } : form,
    },
  },
  {
    id: 'jwts-with-their-types',
    story: 'The header of each JWT has a typ that names its use (RFC 9101 4, RFC 8725 3.11).',
    conduct: {
      jwtHeader: (header, use) => ({
        ...header,
        ...(use === 'assertion' && { typ: 'client-authentication+jwt' }),
        ...(use === 'request' && { typ: 'oauth-authz-req+jwt' }),
      }),
    },
  },
  {
    id: 'spellings-of-another-platform',
    story:
      'The client sends header names in upper case and another order, %20 for a space in a form, and a traceparent header.',
    conduct: {
      apiHeaders: (headers) =>
        Object.fromEntries(
          Object.entries({ ...headers, traceparent: `00-${'4b'.repeat(16)}-${'a3'.repeat(8)}-01` })
            .map(([name, value]): [string, string] => [name.toUpperCase(), value])
            .toReversed(),
        ),
      tokenBody: (form) => new URLSearchParams(form).toString().replaceAll('+', '%20'),
    },
  },
  {
    id: 'keeps-no-access-tokens',
    story: 'The client stores only the refresh token and refreshes before each reading.',
    conduct: { refreshesFirst: true },
  },
  {
    id: 'one-interaction-id-for-ever',
    story:
      'The client always sends the same x-fapi-interaction-id. The document does not say when it changes.',
    conduct: {
      apiHeaders: (headers) => ({
        ...headers,
        'x-fapi-interaction-id': 'c770aef3-6784-41f7-8e0e-ff5f97bddb3a',
      }),
    },
  },
  {
    id: 'redirects-followed-without-the-token',
    story: 'The client follows redirects, to another host without Authorization (RFC 9110 15.4).',
    conduct: { redirects: 'followed' },
  },
  {
    id: 'products-with-the-token-of-the-client',
    story:
      'The client sends its client_credentials token to the product interface. "Authentication requirements: not shown".',
    conduct: {
      productRequest: ({ url, headers }, { clients }) => ({
        url,
        headers: { ...headers, ...(clients && { authorization: `Bearer ${clients}` }) },
      }),
    },
  },
  {
    id: 'new-client-token-each-time',
    story:
      'The client gets a new client_credentials token for each request, and tries again later if that is refused.',
    conduct: { freshClientTokens: true, renewsClientToken: false },
    goals: ['connect', 'disconnect'],
  },
  {
    id: 'accept-in-two-lines',
    story: 'The client sends two accept headers, which are one list (RFC 9110 5.3).',
    conduct: {
      apiHeaders: (headers) => ({ ...headers, accept: ['text/plain;q=0.1', 'application/json'] }),
      productRequest: ({ url, headers }) => ({
        url,
        headers: { ...headers, accept: ['text/plain;q=0.1', 'application/json'] },
      }),
    },
  },
  {
    id: 'accepts-json-with-a-charset',
    story: 'The accept header names a charset for JSON.',
    conduct: {
      apiHeaders: (headers) => ({ ...headers, accept: 'application/json;charset=UTF-8' }),
    },
  },
  {
    id: 'jti-counts-from-one',
    story: 'The jti of client assertions counts from 1 for each client.',
    conduct: { assertionClaims: (claims) => ({ ...claims, jti: `${nextOf(String(claims.iss))}` }) },
  },
  {
    id: 'headers-of-jwts-without-kid',
    story: 'The header of JWTs has no kid, which is optional (RFC 7515 4.1.4); there is one key.',
    conduct: { jwtHeader: ({ alg }) => ({ alg }) },
  },
  {
    id: 'response-type-in-another-order',
    story:
      'The client uses response type id_token code. The order of the words has no meaning (RFC 6749 3.1.1).',
    conduct: {
      registrationClaims: (claims) => ({ ...claims, response_types: ['id_token code'] }),
      query: (query) => ({ ...query, response_type: 'id_token code' }),
      requestObject: (claims) => ({ ...claims, response_type: 'id_token code' }),
    },
  },
  {
    id: 'registration-type-in-capitals',
    story:
      'The client writes the media type of its registration as Application/JWT. Its case has no meaning (RFC 9110 8.3.1).',
    conduct: { registrationType: 'Application/JWT' },
  },
  {
    id: 'intent-in-userinfo-too',
    story:
      'The request object names the ConsentId also under userinfo, as the examples of the specification do.',
    conduct: {
      requestObject({ claims, ...rest }) {
        const { id_token } = claims as { id_token: Json }
        return { ...rest, claims: { userinfo: id_token, id_token } }
      },
    },
  },
  {
    id: 'looks-at-its-registration',
    story:
      'The client reads its registration at registration_client_uri, which is for "future registration queries".',
    conduct: { managesItsRegistration: ['GET'] },
  },
  {
    id: 'looks-at-its-funds-consent',
    story:
      'The client queries a funds confirmation consent and statements, which version 3.1.2 has and this bank does not serve.',
    conduct: {
      alsoAsks: [
        { method: 'GET', path: '/cbpii/funds-confirmation-consents/any' },
        { method: 'GET', path: '/aisp/statements' },
      ],
    },
  },
  {
    id: 'funds-by-the-scope-of-accounts',
    story:
      'The client uses the scope accounts for funds confirmation consents too. "Names of the scopes: not shown".',
    conduct: { grantScope: () => 'accounts' },
  },
  {
    id: 'accounts-alone',
    story: 'The client reads only accounts, neither balances nor transactions.',
    conduct: { reads: ['/accounts'], readsSingleAddresses: 'never' },
  },
  {
    id: 'gives-up-on-tokens-at-once',
    story: 'The client does not repeat a token request that got 503.',
    conduct: { repeatsUnavailable: 0 },
  },
  {
    id: 'assertion-for-an-hour-rounded-up',
    story: 'The client assertion is valid for one hour, rounded up to a whole second.',
    conduct: {
      assertionClaims: (claims) => ({ ...claims, exp: Math.ceil(Date.now() / 1000) + 3600 }),
    },
  },
  {
    id: 'consents-left-behind',
    story:
      'The client creates another consent when the customer opens the page again, and uses only one of them.',
    conduct: { leavesConsents: true },
  },
  {
    id: 'scheme-as-in-the-document',
    story:
      'The client sends the SchemeName UK.STD.PAN exactly as in the document: "The only supported value is UK.STD.PAN".',
    conduct: { fundsAccount: (account) => ({ ...account, SchemeName: 'UK.STD.PAN' }) },
  },
  {
    id: 'funds-deleted-below-aisp',
    story:
      'The client deletes funds confirmation consents under aisp. The sample request "places it under the aisp prefix".',
    conduct: {
      fundsPath: (method) =>
        `/${method === 'DELETE' ? 'aisp' : 'cbpii'}/funds-confirmation-consents`,
    },
  },
  {
    id: 'funds-below-both-prefixes',
    story:
      'The client uses the path /aisp/cbpii/funds-confirmation-consents, because the table has /cbpii/funds-confirmation-consents below the prefix of all consents.',
    conduct: { fundsPath: () => '/aisp/cbpii/funds-confirmation-consents' },
  },
  {
    id: 'balances-without-their-permission',
    story:
      'The client requests balances under a consent without ReadBalances. "Permission needed for balance endpoints: not shown."',
    conduct: {
      consentBody: (body) => ({
        ...body,
        Data: { Permissions: ['ReadAccountsDetail', 'ReadTransactionsDetail'] },
      }),
    },
  },
  {
    id: 'detail-with-an-s',
    story: 'The client asks for the permission ReadAccountsDetails, as Data endpoints 2 spells it.',
    conduct: {
      consentBody: (body) => ({
        ...body,
        Data: { Permissions: ['ReadAccountsDetails', 'ReadBalances', 'ReadTransactionsBasic'] },
      }),
    },
  },
  {
    id: 'registration-by-the-organisation',
    story:
      'The iss of the registration is the name of the organisation. "Registration request claims: not shown".',
    conduct: { registrationClaims: (claims) => ({ ...claims, iss: 'Tally Holdings' }) },
  },
  {
    id: 'products-with-a-charset',
    story: 'The accept header of the product request has a charset (RFC 9110 12.5.1).',
    conduct: {
      productRequest: ({ url, headers }) => ({
        url,
        headers: { ...headers, accept: 'application/json; charset=utf-8' },
      }),
    },
  },
  {
    id: 'accepts-json-of-a-profile',
    story: 'The accept header has parameters, such as a profile and a weight.',
    conduct: {
      apiHeaders: (headers) => ({ ...headers, accept: 'application/json;profile="x";q=0.8' }),
    },
  },
  {
    id: 'host-of-the-products-is-checked',
    story:
      'The client sends a browser preflight and a health check to the product host; these do not request products.',
    conduct: {
      alsoAsksForProducts: [
        { method: 'OPTIONS', path: '/open-banking/v1/consumer-credit-cards' },
        { method: 'HEAD', path: '/' },
        { method: 'GET', path: '/health' },
      ],
    },
  },
  {
    id: 'filter-with-a-bare-plus',
    story: 'The client sends + in a date filter without percent-encoding (RFC 3986 3.4).',
    conduct: {
      filters: () => ({
        fromBookingDateTime: new Date(Date.now() - 30 * DAY).toISOString().replace('Z', '+00:00'),
      }),
      dataPath: (path) => path.replaceAll('%2B', '+'),
    },
  },
]

export default lawful
