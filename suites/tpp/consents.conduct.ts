/** Consents as a TPP creates, queries and deletes them. Requirements: specs/tpp/consents.yaml */
import { conduct } from '../../engine/suite-api/certification.ts'
import { type Exchange, isDateTime } from '../../engine/suite-api/responses.ts'
import { NINE } from '../values/consent-enumerations.ts'
import {
  CONSENTS,
  CREATIONS,
  list,
  SPELT_OTHERWISE,
  seenOf,
  shown,
  unless,
} from './common/messages.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The body of a create request, if it is a JSON object. */
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
    const { token, otherCredential: other } = seenOf(exchange)
    if (!CONSENTS.includes(exchange.endpoint) || !(token || other)) return undefined
    return unless(token?.kind === 'client', {
      message: token
        ? 'the access token is the customer’s'
        : 'the token in the Authorization header is not an access token',
      expected: 'an access token of a client_credentials grant',
      actual: other ?? 'an access token of an authorization_code grant',
    })
  },
)

conduct(
  'TCON-02/supported',
  'a consent asks for supported permissions',
  { endpoints: ['create-account-access-consent'] },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (exchange.endpoint !== 'create-account-access-consent' || !isObject(data)) return undefined
    if (data.Permissions === undefined) return undefined
    const expected = `an array with some of ${NINE.join(', ')}`
    if (!Array.isArray(data.Permissions)) {
      const actual = shown(data.Permissions)
      return [{ message: 'Permissions is no array of strings', expected, actual }]
    }
    const taken: string[] = [...NINE, SPELT_OTHERWISE]
    const beyond = list(data.Permissions).filter((each) => !taken.includes(String(each)))
    return unless(beyond.length === 0, {
      message: 'a permission is not supported',
      expected,
      actual: beyond.map(shown).join(', '),
    })
  },
)

conduct(
  'TCON-12/spelling',
  'permissions are spelt as in the list of allowed values',
  { endpoints: ['create-account-access-consent'] },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (exchange.endpoint !== 'create-account-access-consent' || !isObject(data)) return undefined
    return unless(!list(data.Permissions).includes(SPELT_OTHERWISE), {
      message: 'a permission is spelt as in the data access text',
      expected: 'ReadAccountsDetail',
      actual: SPELT_OTHERWISE,
    })
  },
)

conduct(
  'TCON-09/some-permission',
  'a consent asks for one permission at least',
  { endpoints: ['create-account-access-consent'] },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (exchange.endpoint !== 'create-account-access-consent' || !isObject(data)) return undefined
    if (!Array.isArray(data.Permissions)) return undefined
    return unless(data.Permissions.length > 0, {
      message: 'the consent asks for nothing',
      expected: 'at least one permission',
      actual: 'an empty array',
    })
  },
)

/** "An optional field that is null has no value": AMB-17. */
const hasValue = (value: unknown) => value !== undefined && value !== null

/** Members that the tables of both consents mark as not part of a request. */
const OF_THE_BANK = ['ConsentId', 'Status', 'StatusUpdateDateTime', 'CreationDateTime']

conduct(
  'TCON-09/members-of-the-bank',
  'a create request leaves to the bank what the bank fills in',
  { endpoints: CREATIONS },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (!isObject(data)) return undefined
    const sent = OF_THE_BANK.filter((name) => hasValue(data[name]))
    return unless(sent.length === 0, {
      message: 'the request has members that only the bank fills in',
      expected: `a request without ${OF_THE_BANK.join(', ')}`,
      actual: sent.join(', '),
    })
  },
)

/** The members of a create request, by the object that holds them. */
const IN_THE_TABLES: Record<string, readonly string[]> = {
  '': ['Data', 'Risk'],
  Data: [
    ...OF_THE_BANK,
    ...['Permissions', 'DebtorAccount'],
    ...['ExpirationDateTime', 'TransactionFromDateTime', 'TransactionToDateTime'],
  ],
  DebtorAccount: ['SchemeName', 'Identification', 'Name', 'SecondaryIdentification'],
}

conduct(
  'TCON-21/members',
  'no member of a create request is nearly one of the document',
  { endpoints: CREATIONS },
  (exchange) => {
    const body = bodyOf(exchange)
    if (!body) return undefined
    const data = isObject(body.Data) ? body.Data : {}
    const account = isObject(data.DebtorAccount) ? data.DebtorAccount : {}
    const held: Record<string, Json> = { '': body, Data: data, DebtorAccount: account }
    const misspelt = Object.entries(held).flatMap(([place, object]) => {
      const known = new Map(IN_THE_TABLES[place]?.map((name) => [lettersOf(name), name]))
      return Object.keys(object).flatMap((name) => {
        const right = known.get(lettersOf(name))
        return right === undefined || right === name ? [] : [{ place, name, right }]
      })
    })
    const [first] = misspelt
    return unless(first === undefined, {
      message: 'a member of the request is spelt in another way, so that it may have no effect',
      expected: [first?.place, first?.right].filter(Boolean).join('.'),
      actual: [first?.place, first?.name.slice(0, 100)].filter(Boolean).join('.'),
    })
  },
)

/** What two spellings of one name have in common. */
const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')

conduct(
  'TCON-08/no-body',
  'a query and a deletion of a consent have no body',
  {
    endpoints: CONSENTS.filter((each) => !CREATIONS.includes(each)),
    unseen: 'the client neither queries nor deletes a consent',
  },
  (exchange) => {
    if (!CONSENTS.includes(exchange.endpoint) || CREATIONS.includes(exchange.endpoint))
      return undefined
    const { body, method } = exchange.request
    return unless(!body, {
      message: `${method} of a consent has a body`,
      expected: 'no body',
      actual: `a body of ${body?.length} characters`,
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
    const dates = DATES.filter((name) => hasValue(data[name]))
    if (dates.length === 0) return undefined
    const inUtc = (text: string) => isDateTime(text) && /(Z|[+-]00:00)$/i.test(text)
    const wrong = dates.filter((name) => !inUtc(String(data[name])))
    return unless(wrong.length === 0, {
      message: 'a date is not a date-time in UTC',
      expected: 'YYYY-MM-DDThh:mm:ssZ',
      actual: wrong.map((name) => `${name} ${shown(data[name])}`).join(', '),
    })
  },
)

/** A date of a create request, in milliseconds since 1970; NaN for none. */
const dateIn = (data: Json, name: string) => Date.parse(String(data[name]))

conduct(
  'TCON-15/period',
  'the period of a consent begins before it ends',
  {
    endpoints: ['create-account-access-consent'],
    unseen: 'no consent has both ends of a period: both are optional',
  },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (exchange.endpoint !== 'create-account-access-consent' || !isObject(data)) return undefined
    const from = dateIn(data, 'TransactionFromDateTime')
    const to = dateIn(data, 'TransactionToDateTime')
    if (Number.isNaN(from) || Number.isNaN(to)) return undefined
    return unless(from <= to, {
      message: 'the period of the consent ends before it begins',
      expected: 'TransactionFromDateTime before TransactionToDateTime',
      actual: `from ${data.TransactionFromDateTime} to ${data.TransactionToDateTime}`,
    })
  },
)

/** Milliseconds by which clocks may differ. */
const TOLERANCE = 60_000

conduct(
  'TCON-15/expiration',
  'a consent has not expired when it is created',
  { endpoints: CREATIONS, unseen: 'no consent has an ExpirationDateTime: it is optional' },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (!isObject(data)) return undefined
    const until = dateIn(data, 'ExpirationDateTime')
    if (Number.isNaN(until)) return undefined
    return unless(until > Date.parse(exchange.startedAt) - TOLERANCE, {
      message: 'the consent has expired before it is created',
      expected: 'an ExpirationDateTime after the request',
      actual: `ExpirationDateTime ${data.ExpirationDateTime} at ${exchange.startedAt}`,
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
    // "The middle segment stands for the acronym of the body that publishes the specification."
    const scheme = typeof SchemeName === 'string' && /^UK\.[A-Z]+\.PAN$/.test(SchemeName)
    const digits = typeof Identification === 'string' && /^\d{4}$/.test(Identification)
    const ofACard = seenOf(exchange).endsACard !== false
    const form =
      typeof Identification === 'string'
        ? `a string of ${Identification.length} characters`
        : `a ${Identification === null ? 'null' : typeof Identification}`
    const what = digits && !ofACard ? 'four digits in which no card of a customer ends' : form
    return unless(scheme && digits && ofACard, {
      message: 'the debtor account is not identified as the document says',
      expected: 'SchemeName UK.….PAN, and Identification a string of the last 4 digits of the card',
      actual: `SchemeName ${shown(SchemeName)}, Identification ${what}`,
    })
  },
)

/** Optional members of a debtor account. */
const OF_AN_ACCOUNT = ['Name', 'SecondaryIdentification']

conduct(
  'TCON-17/no-null',
  'a create request leaves out what has no value',
  { endpoints: CREATIONS },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (!isObject(data)) return undefined
    const account = isObject(data.DebtorAccount) ? data.DebtorAccount : {}
    const empty = [
      ...[...DATES, ...OF_THE_BANK].filter((name) => data[name] === null),
      ...OF_AN_ACCOUNT.filter((name) => account[name] === null),
    ]
    return unless(empty.length === 0, {
      message: 'a member without a value is null',
      expected: 'a request without such members',
      actual: empty.join(', '),
    })
  },
)

conduct(
  'TCON-04/optional-members',
  'the optional members of a debtor account are strings where they are sent',
  {
    endpoints: ['create-funds-confirmation-consent'],
    unseen: 'the client confirms no funds, or sends no optional members',
  },
  (exchange) => {
    const data = bodyOf(exchange)?.Data
    if (exchange.endpoint !== 'create-funds-confirmation-consent' || !isObject(data))
      return undefined
    const account = isObject(data.DebtorAccount) ? data.DebtorAccount : {}
    const sent = OF_AN_ACCOUNT.filter((name) => hasValue(account[name]))
    if (sent.length === 0) return undefined
    const wrong = sent.filter((name) => typeof account[name] !== 'string')
    return unless(wrong.length === 0, {
      message: 'an optional member is not a string',
      expected: 'a string, or no such member',
      actual: wrong.map((name) => `${name} ${JSON.stringify(account[name])}`).join(', '),
    })
  },
)
