/** Consents as a TPP creates, queries and deletes them. Requirements: specs/tpp/consents.yaml */
import { conduct } from '../../engine/suite-api/certification.ts'
import type { Exchange } from '../../engine/suite-api/responses.ts'
import { CONSENTS, CREATIONS, list, seenOf, shown, unless } from './common/messages.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The body of a create request, where it is a JSON object. */
function bodyOf({ endpoint, request }: Exchange): Json | undefined {
  if (!CREATIONS.includes(endpoint)) return undefined
  try {
    const body: unknown = JSON.parse(request.body ?? '')
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

conduct(
  'CONS-18/data-and-risk',
  'a create request has Data with its Permissions, and an empty Risk',
  { endpoints: CREATIONS },
  (exchange) => {
    const body = bodyOf(exchange)
    if (!body) return undefined
    const { Data, Risk } = body
    const needsPermissions = exchange.endpoint === 'create-account-access-consent'
    const data = isObject(Data) && (!needsPermissions || Data.Permissions !== undefined)
    const risk = isObject(Risk) && Object.keys(Risk).length === 0
    return unless(data && risk, {
      message: 'Data or Risk is not as the document shows them',
      expected: needsPermissions ? 'Data.Permissions, and Risk {}' : 'Data, and Risk {}',
      actual: data ? `Risk ${shown(Risk)}` : `Data ${shown(Data)}`,
    })
  },
)

conduct(
  'TCON-01/client-token',
  'consents are managed with an access token of a client_credentials grant',
  { endpoints: CONSENTS },
  (exchange) => {
    const { token } = seenOf(exchange)
    if (!CONSENTS.includes(exchange.endpoint) || !token) return undefined
    return unless(token.kind === 'client', {
      message: 'the access token is the customer’s',
      expected: 'an access token of a client_credentials grant',
      actual: 'an access token of an authorization_code grant',
    })
  },
)

const SUPPORTED = [
  'ReadAccountsBasic',
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadStatementsBasic',
  'ReadStatementsDetail',
  'ReadTransactionsBasic',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
]

conduct(
  'TCON-02/supported',
  'a consent asks for supported permissions',
  { endpoints: ['create-account-access-consent'] },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (exchange.endpoint !== 'create-account-access-consent' || !isObject(data)) return undefined
    if (data.Permissions === undefined) return undefined
    const beyond = list(data.Permissions).filter((each) => !SUPPORTED.includes(String(each)))
    return unless(beyond.length === 0, {
      message: 'a permission is not supported',
      expected: `some of ${SUPPORTED.join(', ')}`,
      actual: beyond.map(shown).join(', '),
    })
  },
)

const DATES = ['ExpirationDateTime', 'TransactionFromDateTime', 'TransactionToDateTime']

conduct(
  'TCON-03/utc',
  'the dates of a consent are date-times in UTC',
  { endpoints: CREATIONS, unseen: 'the client sends no dates: all three are optional' },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (!isObject(data)) return undefined
    const dates = DATES.filter((name) => data[name] !== undefined)
    if (dates.length === 0) return undefined
    const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]00:00)$/i
    const wrong = dates.filter((name) => !form.test(String(data[name])))
    return unless(wrong.length === 0, {
      message: 'a date is no date-time in UTC',
      expected: 'YYYY-MM-DDThh:mm:ssZ',
      actual: wrong.map((name) => `${name} ${shown(data[name])}`).join(', '),
    })
  },
)

conduct(
  'TCON-04/debtor-account',
  'a funds confirmation consent names scheme and the last four digits of the card',
  {
    endpoints: ['create-funds-confirmation-consent'],
    unseen: 'the client confirms no funds',
  },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (exchange.endpoint !== 'create-funds-confirmation-consent' || !isObject(data))
      return undefined
    const account = isObject(data.DebtorAccount) ? data.DebtorAccount : {}
    const { SchemeName, Identification } = account
    const fine = typeof SchemeName === 'string' && /^\d{4}$/.test(String(Identification))
    return unless(fine, {
      message: 'the debtor account is not identified as the document says',
      expected: 'SchemeName, and Identification with the last 4 digits of the card number',
      actual: `SchemeName ${shown(SchemeName)}, Identification of ${String(Identification ?? '').length} characters`,
    })
  },
)
