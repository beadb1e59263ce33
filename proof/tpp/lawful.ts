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
      '"Consent, data and registration endpoints are reached over mutual TLS": the token endpoint is not named.',
    conduct: { tokensWithCertificate: false },
  },
  {
    id: 'least-of-everything',
    story:
      'No dates in the consent, no filters, nobody present, one redirect URI, one scope: all of it is optional.',
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
    story: 'A jti is any string that is unique: a counter and the time.',
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
    story: 'What was not processed may be sent once more as it is (RFC 9110 15.6.4).',
    conduct: { repeatsTheRegistration: 3, repeatsItAt: (status) => status >= 500 },
  },
  {
    id: 'filter-of-a-year',
    story:
      'A year is asked for, whatever the customer agreed to: the bank gives what may be given.',
    conduct: {
      filters: () => ({
        fromBookingDateTime: new Date(Date.now() - 365 * DAY).toISOString(),
      }),
    },
  },
  {
    id: 'registration-of-few-claims',
    story:
      'Which claims a registration has the documents do not show: iat, exp and jti are optional.',
    conduct: { registrationClaims: ({ iat: _, exp: __, jti: ___, ...claims }) => claims },
  },
  {
    id: 'form-in-another-order',
    story: 'The order of the fields of a form means nothing.',
    conduct: { tokenForm: reversed },
  },
  {
    id: 'form-with-empty-fields',
    story:
      'A parameter without a value counts as omitted (RFC 6749 3.2): the form has every field of the table.',
    conduct: {
      tokenForm: (form) => ({
        ...{ client_secret: '', code: '', refresh_token: '', redirect_uri: '' },
        ...form,
      }),
    },
  },
  {
    id: 'query-in-another-order',
    story: 'Neither does that of a query; nonce may be repeated in it.',
    conduct: { query: (query, { nonce }) => reversed({ ...query, nonce }) },
  },
  {
    id: 'registers-every-time',
    story: 'Whether a client registers once or again for each customer no sentence says.',
    conduct: { registersEveryTime: true },
    goals: ['connect', 'confirm-funds', 'products'],
  },
  {
    id: 'never-refreshes',
    story: 'A client need not register for the grant refresh_token: the customer connects again.',
    conduct: neverRefreshes,
  },
  {
    id: 'refreshes-for-less-then-for-all',
    story: 'A refresh may ask for less; the refresh token is still for all that was granted.',
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
    story: 'Balances and transactions are read account by account.',
    conduct: { readsSingleAddresses: 'only' },
  },
  {
    id: 'bulk-addresses-only',
    story: 'No single account is ever asked for.',
    conduct: { readsSingleAddresses: 'never' },
  },
  {
    id: 'reads-at-once',
    story: 'Accounts, balances and transactions may be asked for at the same time.',
    conduct: { readsAtOnce: true, readsSingleAddresses: 'never' },
  },
  {
    id: 'reads-accounts-twice-at-once',
    story: 'Two parts of a page read the same: neither knows that the other met a limit.',
    conduct: {
      reads: ['/accounts', '/accounts', '/balances', '/transactions'],
      readsAtOnce: true,
      readsSingleAddresses: 'never',
    },
  },
  {
    id: 'refreshes-at-once',
    story:
      'Each part of a page refreshes by itself: what is on its way when one of them is answered may end the approval.',
    goals: ['connect', 'connect-another', 'read'],
    conduct: { refreshesAtOnce: true, readsAtOnce: true, readsSingleAddresses: 'never' },
  },
  {
    id: 'bodies-in-chunks-on-new-connections',
    story: 'A body may come in chunks (RFC 9112 7.1), and each request on a connection of its own.',
    conduct: { saysLengths: false, keepsConnections: false },
  },
  {
    id: 'tidies-up',
    story:
      'Which consents a TPP deletes is its affair: one that was denied, one before the newest, and one more time.',
    conduct: { tidiesUp: true, deletesTimes: 2 },
  },
  {
    id: 'headers-of-the-whole-specification',
    story:
      'The scheme has no case (RFC 9110 11.1); other headers, and a length of no body, may be sent.',
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
    story: 'scope is optional in a token request (RFC 6749 4.4.2).',
    conduct: { tokenForm: ({ scope: _, ...form }) => form },
  },
  {
    id: 'filters-in-small-letters-and-of-india',
    story:
      'RFC 3339 5.6 allows t and z in small letters, and every offset; the future may be named.',
    conduct: {
      filters: () => ({
        fromBookingDateTime: new Date(Date.now() - 60 * DAY).toISOString().toLowerCase(),
        toBookingDateTime: new Date(Date.now() + DAY).toISOString().replace('Z', '+05:30'),
      }),
    },
  },
  {
    id: 'customers-at-home-and-abroad',
    story: 'A customer may be in a network of their own, or on IPv6 in whatever spelling.',
    conduct: {
      customerAddress: (present) =>
        present ? ADDRESSES[nextOf('addresses') % ADDRESSES.length] : undefined,
    },
  },
  {
    id: 'permissions-twice-and-of-statements',
    story: 'No sentence forbids to name a permission twice, or one that is never used.',
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
      'What was asked for at the same time may come after the bank has said that consent is revoked.',
    conduct: { readsAtOnce: true, readsSingleAddresses: 'never', ...neverRefreshes },
  },
  {
    id: 'asks-the-customer-once-more',
    story: 'Who came back with an error may be asked once more, by another link.',
    conduct: { visitsAgain: () => 1 },
  },
  {
    id: 'status-asked-first',
    story: 'The status of the consent may be asked for before anything is read.',
    conduct: { asksStatus: 'first' },
  },
  {
    id: 'status-asked-beside',
    story: 'Data may be asked for at the same time: what is on its way then comes all the same.',
    conduct: { asksStatus: 'beside', readsAtOnce: true, readsSingleAddresses: 'never' },
  },
  {
    id: 'second-redirect-uri',
    story: 'Any of the registered redirect URIs may be used.',
    conduct: { redirectUri: (registered) => registered.at(-1) ?? '' },
  },
  {
    id: 'works-with-what-it-asked-for-alone',
    story:
      'Whoever needs one redirect URI and both scopes may stop where the bank stored others: it uses no other value.',
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
      'No sentence names application_type: an app is native (OpenID Connect Registration 2), or mobile elsewhere.',
    conduct: {
      registrationClaims: (claims) => ({ ...claims, application_type: 'native' }),
    },
  },
  {
    id: 'reads-day-by-day',
    story:
      'Transactions may be asked for in as many requests as the client likes, and who meets a limit may give up.',
    conduct: {
      alsoReadsWhileAway: Array<string>(65).fill('/transactions'),
      filters: () => daysFrom(nextOf('days') % 60, 1),
      waitBeforeRetry: () => undefined,
    },
  },
  {
    id: 'reads-its-weeks-at-once',
    story:
      'Transactions of several weeks may be asked for at the same time: they are on their way when one meets a limit.',
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
      '"Create an AccountAccessConsent for each customer": who has one is told so, and is not connected again.',
    conduct: { connectsAgain: false },
  },
  {
    id: 're-confirms-and-reads-in-the-night',
    story:
      'What follows a re-confirmation, and when, no sentence says: the next nightly job reads.',
    conduct: { readsAtReconfirmation: false },
  },
  {
    id: 'assertion-for-the-issuer',
    story:
      'The issuer identifies the authorisation server too (RFC 7523 3): aud may be it, or a list with it.',
    conduct: {
      assertionClaims: (claims) => ({
        ...claims,
        aud: [String(claims.aud), 'https://also.example'],
      }),
    },
  },
  {
    id: 'no-client-id-in-the-form',
    story: 'client_id is not required in the form: the assertion says who it is.',
    conduct: { tokenForm: ({ client_id: _, ...form }) => form },
  },
  {
    id: 'tries-at-two-layers',
    story:
      'The library tries each request twice, and the program that uses it three times: six attempts are not without end.',
    conduct: {
      waitBeforeRetry: (stated, attempt) => (attempt > 5 ? undefined : (stated ?? 0.02)),
      retryAfterClosed: (attempt) => attempt < 6,
      repeatsUnavailable: 5,
      repeatsTheRest: 5,
    },
  },
  {
    id: 'gives-up-at-once',
    story: 'Nobody is obliged to try again.',
    conduct: { waitBeforeRetry: () => undefined, retryAfterClosed: () => false },
  },
  {
    id: 'accepts-much',
    story: 'accept may name more than JSON, and Content-Type may have a charset.',
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
    story: 'RFC 3339 knows every offset, and fractions of any length.',
    conduct: {
      filters: () => ({
        fromBookingDateTime: new Date(Date.now() - 30 * DAY).toISOString().replace('Z', '+00:00'),
        toBookingDateTime: new Date().toISOString().replace(/\.\d+Z/, 'Z'),
      }),
    },
  },
  {
    id: 'one-end-of-a-period',
    story: 'Both ends of a period are optional, as are both filters: one of them may come alone.',
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
    story: 'Whether a filter includes its own moment is not said: both may name the same one.',
    conduct: {
      filters() {
        const moment = new Date(Date.now() - 30 * DAY).toISOString()
        return { fromBookingDateTime: moment, toBookingDateTime: moment }
      },
    },
  },
  {
    id: 'customer-on-ipv6',
    story: 'The address of a customer may be an IPv6 address.',
    conduct: { customerAddress: (present) => (present ? '2001:db8::1893:25c8:1946' : undefined) },
  },
  {
    id: 'state-and-nonce-of-the-session',
    story:
      'state and nonce are hashes of the session cookie, as RFC 6749 10.12 and OpenID Connect Core 15.5.2 suggest.',
    conduct: {
      newState: (session) => hashOf(`state ${session}`),
      newNonce: (session) => hashOf(`nonce ${session}`),
    },
  },
  {
    id: 'state-without-a-value',
    story:
      'state is not required, and a parameter without a value counts as omitted (RFC 6749 3.1).',
    conduct: {
      stateRefusal: (received) => (received ? 'nobody sent a state' : undefined),
      requestObject: ({ state: _, ...claims }) => claims,
      query: (query) => ({ ...query, state: '' }),
    },
  },
  {
    id: 'scope-of-the-query-is-openid',
    story:
      'The query has the scope openid, and the request object has all of it (OpenID Connect Core 6.1).',
    conduct: { query: (query) => ({ ...query, scope: 'openid' }) },
  },
  {
    id: 'no-state',
    story: 'state is not required; the nonce ties the answer to the session.',
    conduct: {
      stateRefusal: (received) => (received === null ? undefined : 'nobody sent a state'),
      requestObject: ({ state: _, ...claims }) => claims,
      query: ({ state: _, ...query }) => query,
    },
  },
  {
    id: 'more-headers',
    story: 'x-fapi-interaction-id, x-fapi-auth-date and a user agent may be sent.',
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
    story: 'A request object may say more: max_age, prompt, ui_locales.',
    conduct: {
      requestObject: (claims: Json) => ({ ...claims, max_age: 3600, ui_locales: 'cy en' }),
    },
  },
  {
    id: 'no-headers-of-fapi',
    story: 'x-fapi-interaction-id and x-fapi-auth-date may be sent, and need not be.',
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
    story: 'A UUID may be written as a URN (RFC 4122 3).',
    conduct: {
      apiHeaders: (headers) => ({
        ...headers,
        'x-fapi-interaction-id': `urn:uuid:${randomUUID().toUpperCase()}`,
      }),
    },
  },
  {
    id: 'no-level-of-authentication',
    story: 'acr need not be asked for, and who did not ask for one compares none.',
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
    story:
      'A request may ask for a login, for the time of it, and for the response mode that is used anyway.',
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
    story: 'A code may have a proof key (RFC 7636).',
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
    story: 'typ tells what a JWT is for (RFC 9101 4, RFC 8725 3.11).',
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
      'Names of headers have no case and no order; a space in a form may be %20; a trace may be sent.',
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
    story: 'Whoever stores the refresh token alone refreshes whenever something is read again.',
    conduct: { refreshesFirst: true },
  },
  {
    id: 'one-interaction-id-for-ever',
    story: 'No sentence says when x-fapi-interaction-id becomes another one.',
    conduct: {
      apiHeaders: (headers) => ({
        ...headers,
        'x-fapi-interaction-id': 'c770aef3-6784-41f7-8e0e-ff5f97bddb3a',
      }),
    },
  },
  {
    id: 'redirects-followed-without-the-token',
    story: 'A redirect may be followed: to another host without Authorization (RFC 9110 15.4).',
    conduct: { redirects: 'followed' },
  },
  {
    id: 'products-with-the-token-of-the-client',
    story: '"Authentication requirements: not shown": the client may say who it is.',
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
      'The client may get a token for each request: where that is refused, it may try again later.',
    conduct: { freshClientTokens: true, renewsClientToken: false },
    goals: ['connect', 'disconnect'],
  },
  {
    id: 'accept-in-two-lines',
    story: 'Two lines of accept are one list (RFC 9110 5.3).',
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
    story: 'accept may name a charset beside JSON, which has none.',
    conduct: {
      apiHeaders: (headers) => ({ ...headers, accept: 'application/json;charset=UTF-8' }),
    },
  },
  {
    id: 'jti-counts-from-one',
    story: 'A jti is unique among the assertions of a client; each bank has a client of its own.',
    conduct: { assertionClaims: (claims) => ({ ...claims, jti: `${nextOf(String(claims.iss))}` }) },
  },
  {
    id: 'headers-of-jwts-without-kid',
    story: 'kid is optional (RFC 7515 4.1.4); there is one key.',
    conduct: { jwtHeader: ({ alg }) => ({ alg }) },
  },
  {
    id: 'response-type-in-another-order',
    story: 'The order of the words of a response type means nothing (RFC 6749 3.1.1).',
    conduct: {
      registrationClaims: (claims) => ({ ...claims, response_types: ['id_token code'] }),
      query: (query) => ({ ...query, response_type: 'id_token code' }),
      requestObject: (claims) => ({ ...claims, response_type: 'id_token code' }),
    },
  },
  {
    id: 'registration-type-in-capitals',
    story: 'The case of a media type means nothing (RFC 9110 8.3.1).',
    conduct: { registrationType: 'Application/JWT' },
  },
  {
    id: 'intent-in-userinfo-too',
    story: 'The examples of the specification name the intent under userinfo as well.',
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
      'registration_client_uri is for "future registration queries": the client asks whether the future has come.',
    conduct: { managesItsRegistration: ['GET'] },
  },
  {
    id: 'looks-at-its-funds-consent',
    story:
      'Version 3.1.2 has a query of funds confirmation consents; statements have permissions: the bank serves neither.',
    conduct: {
      alsoAsks: [
        { method: 'GET', path: '/cbpii/funds-confirmation-consents/any' },
        { method: 'GET', path: '/aisp/statements' },
      ],
    },
  },
  {
    id: 'funds-by-the-scope-of-accounts',
    story: '"Names of the scopes: not shown": the client knows one, and uses it for all consents.',
    conduct: { grantScope: () => 'accounts' },
  },
  {
    id: 'accounts-alone',
    story: 'Nobody is obliged to read balances or transactions.',
    conduct: { reads: ['/accounts'], readsSingleAddresses: 'never' },
  },
  {
    id: 'gives-up-on-tokens-at-once',
    story: 'A token request that met 503 need not be tried again.',
    conduct: { repeatsUnavailable: 0 },
  },
  {
    id: 'assertion-for-an-hour-rounded-up',
    story: 'An hour from now, in whole seconds, is a part of a second more.',
    conduct: {
      assertionClaims: (claims) => ({ ...claims, exp: Math.ceil(Date.now() / 1000) + 3600 }),
    },
  },
  {
    id: 'consents-left-behind',
    story:
      'A consent is created when the page opens, and another when the customer comes back to it: which of them is used is the TPP’s affair.',
    conduct: { leavesConsents: true },
  },
  {
    id: 'scheme-as-in-the-document',
    story: '"The only supported value is UK.STD.PAN": what stands for an acronym is sent as it is.',
    conduct: { fundsAccount: (account) => ({ ...account, SchemeName: 'UK.STD.PAN' }) },
  },
  {
    id: 'funds-deleted-below-aisp',
    story: 'The sample request of the deletion "places it under the aisp prefix".',
    conduct: {
      fundsPath: (method) =>
        `/${method === 'DELETE' ? 'aisp' : 'cbpii'}/funds-confirmation-consents`,
    },
  },
  {
    id: 'funds-below-both-prefixes',
    story: 'The table has /cbpii/funds-confirmation-consents, below the prefix of all consents.',
    conduct: { fundsPath: () => '/aisp/cbpii/funds-confirmation-consents' },
  },
  {
    id: 'balances-without-their-permission',
    story: '"Permission needed for balance endpoints: not shown."',
    conduct: {
      consentBody: (body) => ({
        ...body,
        Data: { Permissions: ['ReadAccountsDetail', 'ReadTransactionsDetail'] },
      }),
    },
  },
  {
    id: 'detail-with-an-s',
    story: 'Data endpoints 2 spells the permission ReadAccountsDetails.',
    conduct: {
      consentBody: (body) => ({
        ...body,
        Data: { Permissions: ['ReadAccountsDetails', 'ReadBalances', 'ReadTransactionsBasic'] },
      }),
    },
  },
  {
    id: 'registration-by-the-organisation',
    story: '"Registration request claims: not shown": iss may be whoever signs.',
    conduct: { registrationClaims: (claims) => ({ ...claims, iss: 'Tally Holdings' }) },
  },
  {
    id: 'products-with-a-charset',
    story: 'A media type of accept may have parameters (RFC 9110 12.5.1).',
    conduct: {
      productRequest: ({ url, headers }) => ({
        url,
        headers: { ...headers, accept: 'application/json; charset=utf-8' },
      }),
    },
  },
  {
    id: 'accepts-json-of-a-profile',
    story: 'Any parameter may stand beside a media type, a weight too.',
    conduct: {
      apiHeaders: (headers) => ({ ...headers, accept: 'application/json;profile="x";q=0.8' }),
    },
  },
  {
    id: 'host-of-the-products-is-checked',
    story:
      'A browser sends a preflight, and a monitor checks whether the host is up: neither asks for products.',
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
    story: 'A + may stand in a query as it is (RFC 3986 3.4).',
    conduct: {
      filters: () => ({
        fromBookingDateTime: new Date(Date.now() - 30 * DAY).toISOString().replace('Z', '+00:00'),
      }),
      dataPath: (path) => path.replaceAll('%2B', '+'),
    },
  },
]

export default lawful
