import { DAY } from '../../../engine/record/durations.ts'
import { nothing } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

type Json = Record<string, unknown>

const data = (body: Json, change: (data: Json) => Json): Json => ({
  ...body,
  Data: change(body.Data as Json),
})

const aYearAgo = () => new Date(Date.now() - 365 * DAY).toISOString()

const wrong: WrongTpp[] = [
  {
    id: 'consent-without-risk',
    story: 'An empty object is left out by the serialiser.',
    fails: ['CONS-18/data-and-risk'],
    stops: true,
    conduct: { consentBody: ({ Risk: _, ...body }) => body },
  },
  {
    id: 'risk-with-a-channel',
    story: 'The Risk of the payment interface was copied along.',
    fails: ['CONS-18/data-and-risk'],
    stops: true,
    conduct: { consentBody: (body) => ({ ...body, Risk: { PaymentContextCode: 'BillPayment' } }) },
  },
  {
    id: 'consents-with-the-customers-token',
    story: 'There is one place that adds the access token, and it adds the customer’s.',
    fails: ['TCON-01/client-token'],
    conduct: { consentToken: (clients, customers) => customers ?? clients },
  },
  {
    id: 'consents-with-the-token-of-the-registration',
    story: 'The registration returned an access token, so it is used.',
    fails: ['TCON-01/client-token'],
    stops: true,
    conduct: {
      consentToken: (clients, _customers, { client }) =>
        client?.registration_access_token ?? clients,
    },
  },
  {
    id: 'consents-with-the-assertion',
    story: 'The signed JWT goes where a signed JWT goes elsewhere: into the header.',
    fails: ['TCON-01/client-token'],
    stops: true,
    conduct: { consentToken: (clients, _customers, { assertion }) => assertion ?? clients },
  },
  {
    id: 'permission-of-another-bank',
    story: 'The list of permissions is that of the whole specification.',
    fails: ['TCON-02/supported'],
    stops: true,
    conduct: {
      consentBody: (body) =>
        data(body, ({ Permissions, ...rest }) => ({
          ...rest,
          Permissions: [...(Permissions as string[]), 'ReadDirectDebits'],
        })),
    },
  },
  {
    id: 'consent-in-summer-time',
    story: 'The dates of the consent are those of the clock on the wall.',
    fails: ['TCON-03/utc'],
    conduct: {
      consentBody: (body) =>
        data(body, (rest) => ({ ...rest, ExpirationDateTime: '2036-07-01T00:00:00+01:00' })),
    },
  },
  {
    id: 'period-backwards',
    story: 'The two arguments of a function are swapped.',
    warns: ['TCON-15/period'],
    stops: true,
    conduct: {
      consentBody: (body) =>
        data(body, ({ TransactionFromDateTime: from, TransactionToDateTime: to, ...rest }) => ({
          ...rest,
          TransactionFromDateTime: to,
          TransactionToDateTime: from,
        })),
    },
  },
  {
    id: 'expired-a-year-ago',
    story: 'The year of the consent’s end stands in a file of settings.',
    warns: ['TCON-15/expiration'],
    stops: true,
    conduct: {
      consentBody: (body) => data(body, (rest) => ({ ...rest, ExpirationDateTime: aYearAgo() })),
    },
  },
  {
    id: 'expires-on-a-day',
    story: 'The date picker gives a date.',
    fails: ['TCON-03/utc'],
    stops: true,
    conduct: {
      consentBody: (body) => data(body, (rest) => ({ ...rest, ExpirationDateTime: '2036-07-01' })),
    },
  },
  {
    id: 'whole-card-number',
    story: 'Identification is the card number, as in the payment interface.',
    fails: ['TCON-04/debtor-account'],
    conduct: {
      fundsAccount: (account) => ({ ...account, Identification: '4929123456084417' }),
    },
  },
  {
    id: 'consent-kept-after-goodbye',
    story: 'The account is removed from the app, and the bank never hears of it.',
    fails: ['CLC-20/deletes'],
    conduct: { deletesConsent: false },
  },
  {
    id: 'goodbye-whatever-the-bank-says',
    story: 'The deletion is sent, and its answer goes into the log.',
    warns: ['TCON-13/refused', 'TCON-13/unavailable'],
    conduct: { claimsSuccess: (_reason, goal) => goal === 'disconnect' },
  },
  {
    id: 'tokens-kept-after-goodbye',
    story: 'The consent is deleted at the bank, and its tokens stay in the table.',
    warns: ['TCON-11/data-after-deletion'],
    conduct: { forgetsAfterDeletion: false },
  },
  {
    id: 'client-token-for-ever',
    story: 'The token of the client is fetched when the server starts.',
    fails: ['CLC-21/new-token'],
    conduct: { renewsClientToken: false },
  },
  {
    id: 'token-for-funds-for-ever',
    story: 'The token for funds is fetched when the service starts.',
    fails: ['CLC-21/funds'],
    conduct: { keepsFundsToken: true },
  },
  {
    id: 'funds-whatever-the-bank-says',
    story: 'Both requests about funds are sent, and their answers go into the log.',
    warns: ['TCON-13/funds-refused', 'TCON-13/funds-unavailable', 'TCON-20/refused'],
    conduct: { claimsSuccess: (_reason, goal) => goal === 'confirm-funds' },
  },
  {
    id: 'customer-sent-without-a-consent',
    story: 'The ConsentId is made by the client, and the bank will know it later.',
    warns: ['TCON-05/no-consent-id', 'TCON-05/refused', 'TCON-05/unavailable'],
    conduct: { goesOnAfterRefusedConsent: true },
  },
  {
    id: 'asks-again-and-again',
    story: 'A refused request is tried twenty times.',
    warns: ['TCON-06/ninety-days', 'TRES-05/refused-again'],
    conduct: { repeatsRefusals: 20 },
  },
  {
    id: 'shows-old-data',
    story: 'Where nothing can be read, what was read last is shown as if it were new.',
    warns: [
      'TCON-06/deleted',
      'TCON-06/expired',
      'TCON-06/ninety-days',
      'TCON-06/revoked',
      'TCON-06/status-revoked',
      'TCON-11/data-after-deletion',
      'TGEN-05/other-host',
      'TGEN-05/stranger',
      'TIDT-15/audience-at-refresh',
      'TIDT-15/issuer-at-refresh',
      'TIDT-15/subject-at-refresh',
      'TTOK-13/refresh-refused',
    ],
    because: 'It says of every later reading that it went well.',
    conduct: { claimsSuccess: (_reason, goal) => goal === 'read' },
  },
  {
    id: 'revoked-is-not-believed',
    story: 'The status of the consent goes into the log, and the request is repeated.',
    warns: ['TCON-06/status-revoked'],
    conduct: { heedsStatus: false },
  },
  {
    id: 'status-for-the-display-alone',
    story: 'The status is asked for and shown; the job that reads does not know of it.',
    warns: ['TCON-06/status-revoked'],
    conduct: { asksStatus: 'in-vain' },
  },
  {
    id: 'funds-consent-kept',
    story: 'Consents of funds are created, and nobody deletes them.',
    warns: ['TCON-07/funds'],
    conduct: { deletesFundsConsent: false },
  },
  {
    id: 'permissions-in-one-string',
    story: 'A single permission is sent without brackets, as the serialiser likes it.',
    fails: ['TCON-02/supported'],
    stops: true,
    conduct: {
      consentBody: (body) => data(body, (rest) => ({ ...rest, Permissions: 'ReadBalances' })),
    },
  },
  {
    id: 'consent-for-nothing',
    story: 'The customer ticked no box.',
    warns: ['TCON-09/some-permission'],
    stops: true,
    conduct: { consentBody: (body) => data(body, (rest) => ({ ...rest, Permissions: [] })) },
  },
  {
    id: 'consent-sent-back',
    story: 'Request and response are one class, and the status is set before the request is sent.',
    warns: ['TCON-09/members-of-the-bank'],
    conduct: {
      consentBody: (body) => data(body, (rest) => ({ ...rest, Status: 'AwaitingAuthorisation' })),
    },
  },
  {
    id: 'expires-on-the-thirtieth-of-february',
    story: 'The consent ends in so many months, on the same day of the month.',
    fails: ['TCON-03/utc'],
    stops: true,
    conduct: {
      consentBody: (body) =>
        data(body, (rest) => ({ ...rest, ExpirationDateTime: '2036-02-30T00:00:00Z' })),
    },
  },
  {
    id: 'deletion-with-a-body',
    story: 'The HTTP client sends an empty object with whatever is no GET.',
    fails: ['TCON-08/no-body'],
    conduct: { apiBody: (body, { method }) => (method === 'DELETE' ? {} : body) },
  },
  {
    id: 'query-with-a-body',
    story: 'The query of a consent is made of the request that created it.',
    fails: ['TCON-08/no-body'],
    conduct: {
      apiBody: (body, { method, path }) =>
        method === 'GET' && path.includes('consents') ? { Data: {}, Risk: {} } : body,
    },
  },
  {
    id: 'digits-of-the-card-as-a-number',
    story: 'Four digits are a number.',
    fails: ['TCON-04/debtor-account'],
    conduct: {
      fundsAccount: (account) => ({ ...account, Identification: Number(account.Identification) }),
    },
  },
  {
    id: 'first-four-digits-of-the-card',
    story: 'The substring begins at the wrong end.',
    fails: ['TCON-04/debtor-account'],
    conduct: { fundsAccount: (account) => ({ ...account, Identification: '5301' }) },
  },
  {
    id: 'funds-by-sort-code',
    story: 'The scheme is that of current accounts.',
    fails: ['TCON-04/debtor-account'],
    conduct: {
      fundsAccount: (account) => ({ ...account, SchemeName: 'UK.OBIE.SortCodeAccountNumber' }),
    },
  },
  {
    id: 'name-of-the-card-is-null',
    story: 'What the customer did not name is null.',
    warns: ['TCON-17/no-null'],
    conduct: { fundsAccount: (account) => ({ ...account, Name: null }) },
  },
  {
    id: 'dates-that-nobody-set-are-null',
    story: 'The serialiser writes every member of the class.',
    warns: ['TCON-17/no-null'],
    conduct: {
      consentBody: (body) =>
        data(body, (rest) => ({
          ...rest,
          ...{ ExpirationDateTime: null, TransactionFromDateTime: null, Status: null },
        })),
    },
  },
  {
    id: 'name-of-the-card-in-an-object',
    story: 'The name of a card has a language.',
    fails: ['TCON-04/optional-members'],
    conduct: { fundsAccount: (account) => ({ ...account, Name: { en: 'Everyday card' } }) },
  },
  {
    id: 'one-consent-for-all-customers',
    story: 'The consent belongs to the bank, and there is one row for each bank.',
    fails: ['TCON-16/own-consent'],
    conduct: { customerRows: 'last-stays', sharesConsents: true },
  },
  {
    id: 'tokens-of-the-first-customer',
    story: 'There is one row of tokens for each bank, and it is written once.',
    fails: ['CLC-20/own', 'TAUT-11/own-intent', 'TCON-16/own-consent'],
    conduct: { customerRows: 'first-stays' },
  },
  {
    id: 'tokens-of-the-last-customer',
    story: 'There is one row of tokens for each bank, and whoever connects writes it.',
    fails: ['CLC-20/own', 'TAUT-11/own-intent'],
    warns: ['TCON-19/own-data'],
    conduct: { customerRows: 'last-stays' },
  },
  {
    id: 'revokes-the-newest-consent',
    story: 'The consent to delete is found by the bank, and is the newest one there.',
    fails: ['CLC-20/own'],
    conduct: { consentOf: (own, last, goal) => (goal === 'disconnect' ? (last ?? own) : own) },
  },
  {
    id: 'end-of-the-consent-misspelt',
    story: 'A serialiser writes names in its own way: ExpirationDatetime.',
    warns: ['TCON-21/members'],
    conduct: {
      consentBody({ Data: given, ...body }) {
        const { ExpirationDateTime: end, ...data } = given as Json
        return { ...body, Data: { ...data, ExpirationDatetime: end } }
      },
    },
  },
  {
    id: 'permissions-as-answered',
    story: 'What the customer is told to approve is what the answer to the creation repeats.',
    warns: ['TCON-18/little'],
    conduct: { needs: { ...nothing, permissions: true } },
  },
  {
    id: 'consent-ids-as-they-are',
    story: 'Addresses are put together as text.',
    warns: ['TCON-10/consent-ids', 'TDAT-06/account-ids'],
    conduct: { escapes: false },
  },
]

export default wrong
