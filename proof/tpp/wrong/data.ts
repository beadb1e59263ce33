import { DAY } from '../../../engine/record/durations.ts'
import { nothing } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()

const wrong: WrongTpp[] = [
  {
    id: 'data-with-the-clients-token',
    story: 'There is one place that adds the access token, and it adds the client’s.',
    fails: ['DATA-01/consent-token'],
    stops: true,
    conduct: { dataToken: (customers, clients) => clients ?? customers },
  },
  {
    id: 'data-with-the-id-token',
    story: 'Elsewhere the ID token is the key to everything.',
    fails: ['DATA-01/consent-token'],
    stops: true,
    conduct: { dataToken: (customers, _clients, { idToken }) => idToken ?? customers },
  },
  {
    id: 'data-with-the-refresh-token',
    story: 'Two columns of the table of tokens were swapped.',
    fails: ['DATA-01/consent-token'],
    stops: true,
    conduct: { dataToken: (customers, _clients, { refreshToken }) => refreshToken ?? customers },
  },
  {
    id: 'filter-is-a-day',
    story: 'The filter comes from the date picker.',
    fails: ['TDAT-01/filters'],
    stops: true,
    conduct: { filters: () => ({ fromBookingDateTime: daysAgo(30).slice(0, 10) }) },
  },
  {
    id: 'filter-without-a-zone',
    story: 'The filter is a date-time of the server.',
    fails: ['TDAT-01/filters'],
    conduct: { filters: () => ({ fromBookingDateTime: daysAgo(30).slice(0, 19) }) },
  },
  {
    id: 'filters-backwards',
    story: 'The newest transactions come first, so the filters do too.',
    warns: ['TDAT-11/in-order'],
    conduct: {
      filters: () => ({ fromBookingDateTime: daysAgo(1), toBookingDateTime: daysAgo(30) }),
    },
  },
  {
    id: 'customer-always-present',
    story: 'The header is sent always: it keeps the rate limit away.',
    fails: ['TDAT-03/absent'],
    conduct: { customerAddress: () => '203.0.113.7' },
  },
  {
    id: 'address-unknown',
    story: 'Behind the proxy nobody knows the address of the customer.',
    warns: ['TDAT-04/address'],
    conduct: { customerAddress: (present) => (present ? 'unknown' : undefined) },
  },
  {
    id: 'address-of-nobody',
    story: 'Where the address of the customer is not known, there is a constant for it.',
    warns: ['TDAT-04/address'],
    conduct: { customerAddress: (present) => (present ? '0.0.0.0' : undefined) },
  },
  {
    id: 'address-left-empty',
    story: 'The header is always there, and its value is what is known of the customer.',
    fails: ['TDAT-03/absent'],
    warns: ['TDAT-04/address'],
    conduct: { apiHeaders: (headers) => ({ 'x-fapi-customer-ip-address': '', ...headers }) },
  },
  {
    id: 'account-ids-remembered',
    story: 'AccountIds are the primary key of the accounts of a customer.',
    warns: ['TDAT-05/account-ids'],
    conduct: { rememberedAccounts: true },
  },
  {
    id: 'account-ids-of-its-own',
    story: 'Accounts are numbered from one.',
    warns: ['TDAT-05/account-ids'],
    stops: true,
    conduct: { accountIds: (given) => given.map((_, index) => String(index + 1)) },
  },
  {
    id: 'tokens-of-the-first-consent',
    story: 'The row of a customer has its tokens, so those of the second consent are not stored.',
    warns: ['TDAT-05/second-consent', 'TTOK-18/after-reconfirmation'],
    conduct: { keepsFirstTokens: true },
  },
  {
    id: 'amounts-never-change',
    story: 'A transaction that was stored is compared with what comes.',
    fails: ['TXN-13/changed-amount'],
    warns: ['TDAT-06/amounts'],
    conduct: { pinsAmounts: true },
  },
  {
    id: 'two-accounts-at-least',
    story: 'The test customer has two accounts, so have all.',
    warns: ['TDAT-06/fewer-accounts'],
    conduct: { needs: { ...nothing, accounts: 2 } },
  },
  {
    id: 'transactions-at-least-one',
    story: 'The first row tells the currency.',
    warns: ['TDAT-06/no-transactions'],
    conduct: { needs: { ...nothing, transactions: true } },
  },
  {
    id: 'transactions-by-their-id',
    story: 'TransactionId is the primary key of the table of transactions.',
    warns: ['TDAT-06/no-transaction-ids'],
    conduct: { needs: { ...nothing, transactionIds: true } },
  },
  {
    id: 'half-a-megabyte-at-most',
    story: 'The HTTP client of the framework holds so much of an answer, and throws beyond.',
    warns: ['TDAT-06/many-transactions'],
    conduct: { needs: { ...nothing, smallAnswers: true } },
  },
  {
    id: 'names-decoded-like-addresses',
    story: 'One function decodes whatever comes from outside, names of merchants too.',
    warns: ['TDAT-06/names'],
    conduct: { needs: { ...nothing, encodedNames: true } },
  },
  {
    id: 'rows-booked-or-pending',
    story: 'Status is an enumeration, and every row has been booked at some time.',
    warns: ['TDAT-06/pending-rows'],
    conduct: { needs: { ...nothing, booked: true } },
  },
  {
    id: 'classes-generated-once',
    story: 'The classes are generated from the specification, with arrays.',
    warns: ['TDAT-06/shapes'],
    conduct: { needs: { ...nothing, shapes: true } },
  },
  {
    id: 'twelve-asterisks',
    story: 'What is no masked card number, as the sandbox masked it, is taken for a leak.',
    warns: ['TDAT-06/masks'],
    conduct: { needs: { ...nothing, asterisks: true } },
  },
  {
    id: 'credit-line-on-every-card',
    story: 'A credit card has a limit, so the page shows it without checking whether it came.',
    warns: ['TDAT-06/no-credit-line'],
    conduct: { needs: { ...nothing, creditLine: true } },
  },
  {
    id: 'members-all-known',
    story: 'The parser throws at a member that it does not know.',
    warns: ['TDAT-06/unknown-members'],
    conduct: { needs: { ...nothing, members: true } },
  },
  {
    id: 'date-times-by-pattern',
    story: 'Date-times are read by one pattern.',
    warns: ['TDAT-06/date-times'],
    conduct: { needs: { ...nothing, zulu: true } },
  },
  {
    id: 'interaction-id-required',
    story: 'The log needs the interaction id of every answer.',
    warns: ['TDAT-06/headers'],
    conduct: { needs: { ...nothing, interactionId: true } },
  },
  {
    id: 'header-names-as-written',
    story: 'Headers are kept in a map whose keys have a case.',
    warns: ['TDAT-06/headers'],
    conduct: { needs: { ...nothing, headerCase: true } },
  },
  {
    id: 'first-answer-is-the-answer',
    story: 'The HTTP of the platform knows 100 Continue and no other interim answer.',
    warns: ['TDAT-08/interim'],
    conduct: { takesInterimAnswers: true },
  },
  {
    id: 'compressed-by-surprise',
    story: 'The library says that it takes gzip, and does not unpack it.',
    warns: ['TDAT-06/compressed'],
    conduct: { decompresses: false },
  },
  {
    id: 'json-by-hand',
    story: 'The JSON is taken apart line by line.',
    warns: ['TDAT-06/json', 'TDAT-06/names'],
    conduct: { needs: { ...nothing, plainJson: true } },
  },
  {
    id: 'pages-counted-from-one',
    story: 'What a list has is on its pages, and without a page there is no list.',
    warns: ['TDAT-06/no-pages', 'TDAT-06/zero-pages'],
    conduct: { needs: { ...nothing, pages: true } },
  },
  {
    id: 'page-after-page',
    story: 'Whatever is a list is asked for page by page.',
    warns: ['TDAT-09/no-pages'],
    conduct: { dataPath: (path) => `${path}${path.includes('?') ? '&' : '?'}page=1` },
  },
  {
    id: 'filter-of-another-name',
    story: 'The parameter was named from memory.',
    warns: ['TDAT-09/names-of-filters'],
    conduct: { filters: () => ({ fromBookingDate: daysAgo(30) }) },
  },
  {
    id: 'filter-from',
    story: 'Every other API calls it from.',
    warns: ['TDAT-09/names-of-filters'],
    conduct: { filters: () => ({ from: String(Math.floor(Date.now() / 1000) - 2_592_000) }) },
  },
  {
    id: 'filter-of-a-name-of-its-own',
    story: 'The parameter is named as the field of the form.',
    warns: ['TDAT-09/names-of-filters'],
    conduct: { filters: () => ({ newerThan: daysAgo(30).slice(0, 10) }) },
  },
  {
    id: 'filter-in-another-case',
    story: 'The generator of the client writes every name with a capital.',
    warns: ['TDAT-09/names-of-filters'],
    conduct: { filters: () => ({ FromBookingDateTime: daysAgo(30) }) },
  },
  {
    id: 'transactions-without-permission',
    story: 'The consent was cut down to balances, and the job still asks for everything.',
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
    story: 'After a 429 the header is sent: it keeps the rate limit away.',
    fails: ['TDAT-03/absent'],
    conduct: {
      customerAddress: (present, attempt) => (present || attempt > 1 ? '203.0.113.7' : undefined),
    },
  },
  {
    id: 'amounts-with-two-decimals-in-pounds',
    story: 'Every amount is so many pounds and pence.',
    warns: ['TDAT-06/amounts'],
    conduct: { needs: { ...nothing, pence: true } },
  },
  {
    id: 'filter-sent-twice',
    story: 'The default filter is appended to the one that was asked for.',
    fails: ['TDAT-01/filters'],
    stops: true,
    conduct: {
      dataPath: (path) =>
        path.includes('?') ? `${path}&fromBookingDateTime=${daysAgo(10)}` : path,
    },
  },
]

export default wrong
