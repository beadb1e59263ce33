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
    story: 'The client creates a consent without Risk.',
    fails: ['CONS-18/data-and-risk'],
    stops: true,
    conduct: { consentBody: ({ Risk: _, ...body }) => body },
  },
  {
    id: 'risk-with-a-channel',
    story: 'The client creates a consent whose Risk is not empty, as in the payment interface.',
    fails: ['CONS-18/data-and-risk'],
    stops: true,
    conduct: { consentBody: (body) => ({ ...body, Risk: { PaymentContextCode: 'BillPayment' } }) },
  },
  {
    id: 'consents-with-the-customers-token',
    story:
      'The client sends the customer’s access token with consent requests, not one of the client_credentials grant.',
    fails: ['TCON-01/client-token'],
    conduct: { consentToken: (clients, customers) => customers ?? clients },
  },
  {
    id: 'consents-with-the-token-of-the-registration',
    story:
      'The client sends the registration_access_token with consent requests, not a token of the client_credentials grant.',
    fails: ['TCON-01/client-token'],
    stops: true,
    conduct: {
      consentToken: (clients, _customers, { client }) =>
        client?.registration_access_token ?? clients,
    },
  },
  {
    id: 'consents-with-the-assertion',
    story: 'The client sends its client assertion as access token with consent requests.',
    fails: ['TCON-01/client-token'],
    stops: true,
    conduct: { consentToken: (clients, _customers, { assertion }) => assertion ?? clients },
  },
  {
    id: 'permission-of-another-bank',
    story: 'The client asks for a permission that is not supported, ReadDirectDebits.',
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
    story: 'The client sends the dates of a consent with the offset +01:00 instead of UTC.',
    fails: ['TCON-03/utc'],
    conduct: {
      consentBody: (body) =>
        data(body, (rest) => ({ ...rest, ExpirationDateTime: '2036-07-01T00:00:00+01:00' })),
    },
  },
  {
    id: 'period-backwards',
    story: 'The client exchanges the start and the end of the transaction period.',
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
    story: 'The client creates a consent whose ExpirationDateTime was a year ago.',
    warns: ['TCON-15/expiration'],
    stops: true,
    conduct: {
      consentBody: (body) => data(body, (rest) => ({ ...rest, ExpirationDateTime: aYearAgo() })),
    },
  },
  {
    id: 'expires-on-a-day',
    story: 'The client sends ExpirationDateTime as a date without a time.',
    fails: ['TCON-03/utc'],
    stops: true,
    conduct: {
      consentBody: (body) => data(body, (rest) => ({ ...rest, ExpirationDateTime: '2036-07-01' })),
    },
  },
  {
    id: 'whole-card-number',
    story: 'The client sends the whole card number as Identification instead of the last 4 digits.',
    fails: ['TCON-04/debtor-account'],
    conduct: {
      fundsAccount: (account) => ({ ...account, Identification: '4929123456084417' }),
    },
  },
  {
    id: 'consent-kept-after-goodbye',
    story: 'The client does not delete the consent at the bank when the customer disconnects.',
    fails: ['CLC-20/deletes'],
    conduct: { deletesConsent: false },
  },
  {
    id: 'goodbye-whatever-the-bank-says',
    story:
      'The client tells the customer that the consent is deleted, even if the bank refuses the delete.',
    warns: ['TCON-13/refused', 'TCON-13/unavailable'],
    conduct: { claimsSuccess: (_reason, goal) => goal === 'disconnect' },
  },
  {
    id: 'tokens-kept-after-goodbye',
    story: 'The client still uses the tokens after it has deleted the consent.',
    warns: ['TCON-11/data-after-deletion'],
    conduct: { forgetsAfterDeletion: false },
  },
  {
    id: 'client-token-for-ever',
    story: 'The client does not get a new client_credentials token when the old one has expired.',
    fails: ['CLC-21/new-token'],
    conduct: { renewsClientToken: false },
  },
  {
    id: 'token-for-funds-for-ever',
    story:
      'The client does not get a new token for funds confirmation when the old one has expired.',
    fails: ['CLC-21/funds'],
    conduct: { keepsFundsToken: true },
  },
  {
    id: 'funds-whatever-the-bank-says',
    story: 'The client reports success for funds confirmation, even if the bank refuses a request.',
    warns: ['TCON-13/funds-refused', 'TCON-13/funds-unavailable', 'TCON-20/refused'],
    conduct: { claimsSuccess: (_reason, goal) => goal === 'confirm-funds' },
  },
  {
    id: 'customer-sent-without-a-consent',
    story:
      'The client sends the customer to the bank with a ConsentId of its own, even if the creation of the consent failed.',
    warns: ['TCON-05/no-consent-id', 'TCON-05/refused', 'TCON-05/unavailable'],
    conduct: { goesOnAfterRefusedConsent: true },
  },
  {
    id: 'asks-again-and-again',
    story: 'The client repeats a refused request twenty times.',
    warns: ['TCON-06/ninety-days', 'TRES-05/refused-again'],
    conduct: { repeatsRefusals: 20 },
  },
  {
    id: 'shows-old-data',
    story: 'If reading fails, the client shows old data as if they were new.',
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
    story: 'The client goes on to request data after the query has shown Revoked.',
    warns: ['TCON-06/status-revoked'],
    conduct: { heedsStatus: false },
  },
  {
    id: 'status-for-the-display-alone',
    story:
      'The client queries and shows the Status of the consent, but its job still requests data after Revoked.',
    warns: ['TCON-06/status-revoked'],
    conduct: { asksStatus: 'in-vain' },
  },
  {
    id: 'funds-consent-kept',
    story: 'The client does not delete its funds confirmation consents.',
    warns: ['TCON-07/funds'],
    conduct: { deletesFundsConsent: false },
  },
  {
    id: 'permissions-in-one-string',
    story: 'The client sends Permissions as a string instead of an array.',
    fails: ['TCON-02/supported'],
    stops: true,
    conduct: {
      consentBody: (body) => data(body, (rest) => ({ ...rest, Permissions: 'ReadBalances' })),
    },
  },
  {
    id: 'consent-for-nothing',
    story: 'The client sends an empty list of Permissions.',
    warns: ['TCON-09/some-permission'],
    stops: true,
    conduct: { consentBody: (body) => data(body, (rest) => ({ ...rest, Permissions: [] })) },
  },
  {
    id: 'consent-sent-back',
    story: 'The client sends Status in a consent request.',
    warns: ['TCON-09/members-of-the-bank'],
    conduct: {
      consentBody: (body) => data(body, (rest) => ({ ...rest, Status: 'AwaitingAuthorisation' })),
    },
  },
  {
    id: 'expires-on-the-thirtieth-of-february',
    story: 'The client sends an ExpirationDateTime on 30 February.',
    fails: ['TCON-03/utc'],
    stops: true,
    conduct: {
      consentBody: (body) =>
        data(body, (rest) => ({ ...rest, ExpirationDateTime: '2036-02-30T00:00:00Z' })),
    },
  },
  {
    id: 'deletion-with-a-body',
    story: 'The client sends a body with DELETE.',
    fails: ['TCON-08/no-body'],
    conduct: { apiBody: (body, { method }) => (method === 'DELETE' ? {} : body) },
  },
  {
    id: 'query-with-a-body',
    story: 'The client sends a body with the query of a consent.',
    fails: ['TCON-08/no-body'],
    conduct: {
      apiBody: (body, { method, path }) =>
        method === 'GET' && path.includes('consents') ? { Data: {}, Risk: {} } : body,
    },
  },
  {
    id: 'digits-of-the-card-as-a-number',
    story: 'The client sends Identification as a number instead of a string.',
    fails: ['TCON-04/debtor-account'],
    conduct: {
      fundsAccount: (account) => ({ ...account, Identification: Number(account.Identification) }),
    },
  },
  {
    id: 'first-four-digits-of-the-card',
    story: 'The client sends the first four digits of the card number as Identification.',
    fails: ['TCON-04/debtor-account'],
    conduct: { fundsAccount: (account) => ({ ...account, Identification: '5301' }) },
  },
  {
    id: 'funds-by-sort-code',
    story:
      'The client sends the SchemeName of sort code and account number, which is not supported.',
    fails: ['TCON-04/debtor-account'],
    conduct: {
      fundsAccount: (account) => ({ ...account, SchemeName: 'UK.OBIE.SortCodeAccountNumber' }),
    },
  },
  {
    id: 'name-of-the-card-is-null',
    story: 'The client sends Name null instead of leaving it out.',
    warns: ['TCON-17/no-null'],
    conduct: { fundsAccount: (account) => ({ ...account, Name: null }) },
  },
  {
    id: 'dates-that-nobody-set-are-null',
    story: 'The client sends null for members without a value instead of leaving them out.',
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
    story: 'The client sends Name as an object instead of a string.',
    fails: ['TCON-04/optional-members'],
    conduct: { fundsAccount: (account) => ({ ...account, Name: { en: 'Everyday card' } }) },
  },
  {
    id: 'one-consent-for-all-customers',
    story: 'The client uses one consent for all customers.',
    fails: ['TCON-16/own-consent'],
    conduct: { customerRows: 'last-stays', sharesConsents: true },
  },
  {
    id: 'tokens-of-the-first-customer',
    story:
      'The client stores the consent and tokens of its first customer only, and uses them for all customers.',
    fails: ['CLC-20/own', 'TAUT-11/own-intent', 'TCON-16/own-consent'],
    conduct: { customerRows: 'first-stays' },
  },
  {
    id: 'tokens-of-the-last-customer',
    story:
      'The client stores the consent and tokens of the customer who connected last, and uses them for all customers.',
    fails: ['CLC-20/own', 'TAUT-11/own-intent'],
    warns: ['TCON-19/own-data'],
    conduct: { customerRows: 'last-stays' },
  },
  {
    id: 'revokes-the-newest-consent',
    story: 'The client deletes its newest consent at the bank, not the one of the customer.',
    fails: ['CLC-20/own'],
    conduct: { consentOf: (own, last, goal) => (goal === 'disconnect' ? (last ?? own) : own) },
  },
  {
    id: 'end-of-the-consent-misspelt',
    story: 'The client spells ExpirationDateTime as ExpirationDatetime.',
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
    story: 'The client fails if the response to the creation of a consent has no Permissions.',
    warns: ['TCON-18/little'],
    conduct: { needs: { ...nothing, permissions: true } },
  },
  {
    id: 'consent-ids-as-they-are',
    story: 'The client does not encode ConsentIds and AccountIds in a path.',
    warns: ['TCON-10/consent-ids', 'TDAT-06/account-ids'],
    conduct: { escapes: false },
  },
]

export default wrong
