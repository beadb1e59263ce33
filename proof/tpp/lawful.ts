import { randomUUID } from 'node:crypto'
import type { Conduct } from './conduct.ts'
import type { LawfulTpp } from './tpp-proof.ts'

type Json = Record<string, unknown>

const counts = new Map<string, number>()

/** 1, 2, 3, … separately for each name. */
function nextOf(name: string): number {
  const next = (counts.get(name) ?? 0) + 1
  counts.set(name, next)
  return next
}

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
        fromBookingDateTime: new Date(Date.now() - 365 * 86_400_000).toISOString(),
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
        fromBookingDateTime: new Date(Date.now() - 30 * 86_400_000)
          .toISOString()
          .replace('Z', '+00:00'),
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
        const moment = new Date(Date.now() - 30 * 86_400_000).toISOString()
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
    story: 'The client may get a token for each request.',
    conduct: { consentToken: (clients) => clients },
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
    id: 'filter-with-a-bare-plus',
    story: 'A + may stand in a query as it is (RFC 3986 3.4).',
    conduct: {
      filters: () => ({
        fromBookingDateTime: new Date(Date.now() - 30 * 86_400_000)
          .toISOString()
          .replace('Z', '+00:00'),
      }),
      dataPath: (path) => path.replaceAll('%2B', '+'),
    },
  },
]

export default lawful
