import { DAY } from '../../../engine/record/durations.ts'
import { nothing } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()

const wrong: WrongTpp[] = [
  {
    id: 'data-with-the-clients-token',
    story: 'The client sends its client_credentials token with data requests.',
    fails: ['DATA-01/consent-token'],
    stops: true,
    conduct: { dataToken: (customers, clients) => clients ?? customers },
  },
  {
    id: 'data-with-the-id-token',
    story: 'The client sends the ID token as access token with data requests.',
    fails: ['DATA-01/consent-token'],
    stops: true,
    conduct: { dataToken: (customers, _clients, { idToken }) => idToken ?? customers },
  },
  {
    id: 'data-with-the-refresh-token',
    story: 'The client sends the refresh token as access token with data requests.',
    fails: ['DATA-01/consent-token'],
    stops: true,
    conduct: { dataToken: (customers, _clients, { refreshToken }) => refreshToken ?? customers },
  },
  {
    id: 'filter-is-a-day',
    story: 'The client sends fromBookingDateTime as a date without a time.',
    fails: ['TDAT-01/filters'],
    stops: true,
    conduct: { filters: () => ({ fromBookingDateTime: daysAgo(30).slice(0, 10) }) },
  },
  {
    id: 'filter-without-a-zone',
    story: 'The client sends fromBookingDateTime without a time zone.',
    fails: ['TDAT-01/filters'],
    conduct: { filters: () => ({ fromBookingDateTime: daysAgo(30).slice(0, 19) }) },
  },
  {
    id: 'filters-backwards',
    story: 'The client sends a fromBookingDateTime that is after toBookingDateTime.',
    warns: ['TDAT-11/in-order'],
    conduct: {
      filters: () => ({ fromBookingDateTime: daysAgo(1), toBookingDateTime: daysAgo(30) }),
    },
  },
  {
    id: 'customer-always-present',
    story:
      'The client always sends x-fapi-customer-ip-address, even without the customer, to avoid the rate limit.',
    fails: ['TDAT-03/absent'],
    conduct: { customerAddress: () => '203.0.113.7' },
  },
  {
    id: 'address-unknown',
    story: 'The client sends "unknown" in x-fapi-customer-ip-address.',
    warns: ['TDAT-04/address'],
    conduct: { customerAddress: (present) => (present ? 'unknown' : undefined) },
  },
  {
    id: 'address-of-nobody',
    story: 'The client sends the constant 0.0.0.0 in x-fapi-customer-ip-address.',
    warns: ['TDAT-04/address'],
    conduct: { customerAddress: (present) => (present ? '0.0.0.0' : undefined) },
  },
  {
    id: 'address-left-empty',
    story: 'Without the customer, the client sends an empty x-fapi-customer-ip-address.',
    fails: ['TDAT-03/absent'],
    warns: ['TDAT-04/address'],
    conduct: { apiHeaders: (headers) => ({ 'x-fapi-customer-ip-address': '', ...headers }) },
  },
  {
    id: 'account-ids-remembered',
    story: 'The client uses the AccountIds of an earlier consent.',
    warns: ['TDAT-05/account-ids'],
    conduct: { rememberedAccounts: true },
  },
  {
    id: 'account-ids-of-its-own',
    story: 'The client makes up its own AccountIds, numbered from 1.',
    warns: ['TDAT-05/account-ids'],
    stops: true,
    conduct: { accountIds: (given) => given.map((_, index) => String(index + 1)) },
  },
  {
    id: 'tokens-of-the-first-consent',
    story: 'The client keeps the tokens of the first authorisation and does not store later ones.',
    warns: ['TDAT-05/second-consent', 'TTOK-18/after-reconfirmation'],
    conduct: { keepsFirstTokens: true },
  },
  {
    id: 'amounts-never-change',
    story: 'The client fails if the amount of a transaction has changed.',
    fails: ['TXN-13/changed-amount'],
    warns: ['TDAT-06/amounts'],
    conduct: { pinsAmounts: true },
  },
  {
    id: 'two-accounts-at-least',
    story: 'The client fails if the customer has fewer than two accounts.',
    warns: ['TDAT-06/fewer-accounts'],
    conduct: { needs: { ...nothing, accounts: 2 } },
  },
  {
    id: 'transactions-at-least-one',
    story: 'The client fails if there are no transactions.',
    warns: ['TDAT-06/no-transactions'],
    conduct: { needs: { ...nothing, transactions: true } },
  },
  {
    id: 'transactions-by-their-id',
    story: 'The client fails if a transaction has no TransactionId.',
    warns: ['TDAT-06/no-transaction-ids'],
    conduct: { needs: { ...nothing, transactionIds: true } },
  },
  {
    id: 'half-a-megabyte-at-most',
    story: 'The client fails if a response is longer than half a megabyte.',
    warns: ['TDAT-06/many-transactions'],
    conduct: { needs: { ...nothing, smallAnswers: true } },
  },
  {
    id: 'names-decoded-like-addresses',
    story: 'The client percent-decodes merchant names, and fails if that is not possible.',
    warns: ['TDAT-06/names'],
    conduct: { needs: { ...nothing, encodedNames: true } },
  },
  {
    id: 'rows-booked-or-pending',
    story: 'The client fails if a transaction is not booked or has no BookingDateTime.',
    warns: ['TDAT-06/pending-rows'],
    conduct: { needs: { ...nothing, booked: true } },
  },
  {
    id: 'classes-generated-once',
    story: 'The client fails if Account or CreditLine is an object instead of an array.',
    warns: ['TDAT-06/shapes'],
    conduct: { needs: { ...nothing, shapes: true } },
  },
  {
    id: 'twelve-asterisks',
    story: 'The client accepts a masked card number only with twelve asterisks.',
    warns: ['TDAT-06/masks'],
    conduct: { needs: { ...nothing, asterisks: true } },
  },
  {
    id: 'credit-line-on-every-card',
    story: 'The client fails if a balance has no CreditLine.',
    warns: ['TDAT-06/no-credit-line'],
    conduct: { needs: { ...nothing, creditLine: true } },
  },
  {
    id: 'members-all-known',
    story: 'The client fails if a response has a member that it does not know.',
    warns: ['TDAT-06/unknown-members'],
    conduct: { needs: { ...nothing, members: true } },
  },
  {
    id: 'date-times-by-pattern',
    story: 'The client reads date-times in one format only.',
    warns: ['TDAT-06/date-times'],
    conduct: { needs: { ...nothing, zulu: true } },
  },
  {
    id: 'interaction-id-required',
    story: 'The client fails if a response has no x-fapi-interaction-id.',
    warns: ['TDAT-06/headers'],
    conduct: { needs: { ...nothing, interactionId: true } },
  },
  {
    id: 'header-names-as-written',
    story: 'The client finds response headers only in one spelling of upper and lower case.',
    warns: ['TDAT-06/headers'],
    conduct: { needs: { ...nothing, headerCase: true } },
  },
  {
    id: 'first-answer-is-the-answer',
    story: 'The client treats an interim response such as 102 as the response.',
    warns: ['TDAT-08/interim'],
    conduct: { takesInterimAnswers: true },
  },
  {
    id: 'compressed-by-surprise',
    story: 'The client accepts gzip but does not decompress the response.',
    warns: ['TDAT-06/compressed'],
    conduct: { decompresses: false },
  },
  {
    id: 'json-by-hand',
    story: 'The client reads JSON only in one layout, because it has no parser.',
    warns: ['TDAT-06/json', 'TDAT-06/names'],
    conduct: { needs: { ...nothing, plainJson: true } },
  },
  {
    id: 'pages-counted-from-one',
    story: 'The client fails if TotalPages is 0 or missing.',
    warns: ['TDAT-06/no-pages', 'TDAT-06/zero-pages'],
    conduct: { needs: { ...nothing, pages: true } },
  },
  {
    id: 'page-after-page',
    story: 'The client adds page=1 to data requests, although there is no pagination.',
    warns: ['TDAT-09/no-pages'],
    conduct: { dataPath: (path) => `${path}${path.includes('?') ? '&' : '?'}page=1` },
  },
  {
    id: 'filter-of-another-name',
    story: 'The client sends fromBookingDate instead of fromBookingDateTime.',
    warns: ['TDAT-09/names-of-filters'],
    conduct: { filters: () => ({ fromBookingDate: daysAgo(30) }) },
  },
  {
    id: 'filter-from',
    story: 'The client sends from instead of fromBookingDateTime.',
    warns: ['TDAT-09/names-of-filters'],
    conduct: { filters: () => ({ from: String(Math.floor(Date.now() / 1000) - 2_592_000) }) },
  },
  {
    id: 'filter-of-a-name-of-its-own',
    story: 'The client sends newerThan instead of fromBookingDateTime.',
    warns: ['TDAT-09/names-of-filters'],
    conduct: { filters: () => ({ newerThan: daysAgo(30).slice(0, 10) }) },
  },
  {
    id: 'filter-in-another-case',
    story: 'The client sends FromBookingDateTime with an upper-case F.',
    warns: ['TDAT-09/names-of-filters'],
    conduct: { filters: () => ({ FromBookingDateTime: daysAgo(30) }) },
  },
  {
    id: 'transactions-without-permission',
    story: 'The client requests transactions under a consent without a transactions permission.',
    warns: ['TDAT-10/permitted'],
    stops: true,
    conduct: {
      consentBody: (body) => ({
        ...body,
        Data: { Permissions: ['ReadAccountsDetail', 'ReadBalances'] },
      }),
    },
  },
  {
    id: 'present-once-the-limit-is-reached',
    story:
      'After a 429, the client sends x-fapi-customer-ip-address without the customer, to avoid the rate limit.',
    fails: ['TDAT-03/absent'],
    conduct: {
      customerAddress: (present, attempt) => (present || attempt > 1 ? '203.0.113.7' : undefined),
    },
  },
  {
    id: 'amounts-with-two-decimals-in-pounds',
    story: 'The client accepts amounts only with two decimals and in GBP.',
    warns: ['TDAT-06/amounts'],
    conduct: { needs: { ...nothing, pence: true } },
  },
  {
    id: 'filter-sent-twice',
    story: 'The client sends fromBookingDateTime twice.',
    fails: ['TDAT-01/filters'],
    stops: true,
    conduct: {
      dataPath: (path) =>
        path.includes('?') ? `${path}&fromBookingDateTime=${daysAgo(10)}` : path,
    },
  },
]

export default wrong
