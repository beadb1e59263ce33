import type { Conduct } from './conduct.ts'
import { Refusal } from './refusal.ts'

type Json = Record<string, unknown>

interface Read {
  json: Json
  text: string
  headers: Record<string, unknown>
  /** Names of its headers as they were written. */
  names: string[]
}

/**
 * Checks an answer for what a reader with too high expectations does not accept. `amounts` has the amounts of earlier
 * answers by transaction; those of this answer are added.
 *
 * @throws Refusal
 */
export function inspected(
  { json, text, headers, names }: Read,
  { needs, pinsAmounts }: Conduct,
  amounts: Record<string, string>,
): Json {
  const fail = (why: string): never => {
    throw new Refusal(`the answer cannot be read: ${why}`)
  }
  if (typeof json.Data !== 'object' || json.Data === null) fail('no Data')
  const rows = Object.values(json.Data as Json).flat() as Json[]
  if (needs.transactions && 'Transaction' in (json.Data as Json) && rows.length === 0)
    fail('no transactions')
  if (needs.interactionId && !headers['x-fapi-interaction-id']) fail('no interaction id')
  if (needs.headerCase && !names.some((name) => TYPE.includes(name))) fail('no Content-Type')
  if (needs.plainJson && /\n|\\u/.test(text)) fail('JSON in an unknown form')
  if (needs.smallAnswers && text.length > 500_000) fail('it is too long')
  const { Meta: meta } = json as { Meta?: Json }
  if (needs.pages && !meta?.TotalPages) fail('no page')
  for (const row of rows) {
    if (
      needs.booked &&
      'Status' in row &&
      (row.BookingDateTime === undefined || !['Booked', 'Pending'].includes(String(row.Status)))
    )
      fail('an unknown kind of row')
    if (needs.asterisks && !masksOf(row).every((each) => /^\*{12}\d{4}$/.test(each)))
      fail('a card number that is not masked')
    if (needs.shapes && 'Account' in row && !Array.isArray(row.Account)) fail('Account is no array')
    const isBalance = 'CreditDebitIndicator' in row && 'Type' in row
    const { CreditLine: line } = row
    if (needs.shapes && isBalance && line !== undefined && !Array.isArray(line))
      fail('CreditLine is no array')
    if (needs.creditLine && isBalance && line === undefined) fail('no CreditLine')
    if (
      needs.zulu &&
      row.BookingDateTime !== undefined &&
      !/^[\d-]+T[\d:.]{8,12}Z$/.test(String(row.BookingDateTime))
    )
      fail('a date-time that does not end in Z')
    if (needs.members && Object.keys(row).some((name) => !/^[A-Z]/.test(name) || name.length > 24))
      fail('an unknown member')
    if (needs.transactionIds && 'Status' in row && row.TransactionId === undefined)
      fail('a transaction without a TransactionId')
    const { MerchantName: name } = (row.MerchantDetails ?? {}) as Json
    if (needs.encodedNames && !isEncoded(String(name))) fail('the name of a merchant')
    const id = String(row.TransactionId)
    if (needs.pence && 'Status' in row && !isPence(row.Amount))
      fail('an amount in no pounds and pence')
    const { Amount: amount } = (row.Amount ?? {}) as { Amount?: string }
    if (!pinsAmounts || row.TransactionId === undefined || amount === undefined) continue
    if ((amounts[id] ?? amount) !== amount) fail('the amount of a transaction changed')
    amounts[id] = amount
  }
  return json
}

/** The card numbers of a row of accounts; Account is an object or an array of them. */
const masksOf = ({ Account: given }: Json): string[] =>
  ([given].flat() as (Json | undefined)[])
    .map((card) => card?.Identification)
    .filter((each) => typeof each === 'string')

function isPence(amount: unknown): boolean {
  const { Amount, Currency } = amount as Json
  return Currency === 'GBP' && /^\d+\.\d\d$/.test(String(Amount))
}

function isEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** The header name in its usual spelling. */
const TYPE = ['Content-Type', 'content-type']

/** RFC 6749 4.1.2 and OpenID Connect Core 3.3.2.5. */
const ANSWER_PARAMETERS = ['code', 'id_token', 'state', 'error', 'error_description']

/**
 * Checks the answer of the authorisation page for what this TPP requires.
 * @throws Refusal with the parameter that is unknown
 */
export function inspectAnswer(answer: URLSearchParams, { needs }: Conduct): void {
  const unknown = [...answer.keys()].find((name) => !ANSWER_PARAMETERS.includes(name))
  if (needs.answerParameters && unknown) throw new Refusal(`unknown parameter ${unknown}`)
}

/** RFC 6749 5.1 and OpenID Connect Core 3.3.3.3. */
const TOKEN_MEMBERS = new Set([
  'access_token',
  'expires_in',
  'id_token',
  'refresh_token',
  'scope',
  'token_type',
])

/**
 * Checks a token response for what this TPP requires.
 * @throws Refusal with the member that is missing or unknown
 */
export function inspectTokens(tokens: Json, { needs, readsTokenType }: Conduct): void {
  const { token_type: type = 'Bearer' } = tokens
  if (readsTokenType && String(type).toLowerCase() !== 'bearer')
    throw new Refusal(`an access token of the type ${type}`)
  if (needs.capitalBearer && type !== 'Bearer') throw new Refusal(`token_type is ${type}`)
  if (needs.tokenType && tokens.token_type === undefined) throw new Refusal('no token_type')
  if (needs.refreshToken && !tokens.refresh_token) throw new Refusal('no refresh token')
  if (needs.idToken && !tokens.id_token) throw new Refusal('no ID token')
  if (needs.shortTokens && String(tokens.access_token).length > 1000)
    throw new Refusal('the access token is too long')
  const unknown = Object.keys(tokens).find((name) => !TOKEN_MEMBERS.has(name))
  if (needs.tokenMembers && unknown !== undefined) throw new Refusal(`unknown member ${unknown}`)
}

/**
 * Checks a list of products for what this TPP requires.
 * @throws Refusal with what is missing or unknown
 */
export function inspectProducts(list: unknown, { needs }: Conduct): void {
  if (!Array.isArray(list)) throw new Refusal('products: the answer holds no list')
  const itemOf = ({ Details }: Json) =>
    (Details as { ConsumerCreditCardItem: Json }).ConsumerCreditCardItem
  const products = list as Json[]
  if (needs.overLimitFees && products.every((each) => itemOf(each).OverLimitFee === undefined))
    throw new Refusal('no OverLimitFee')
  for (const product of products) {
    const unknown = Object.keys(product).find((name) => !PRODUCT_MEMBERS.has(name))
    if (needs.productMembers && unknown) throw new Refusal(`unknown member ${unknown}`)
    const [url] = product.ProductURL as string[]
    if (needs.productUrls && url === undefined) throw new Refusal('a product without a URL')
    const rate = String(itemOf(product).APRRate)
    if (needs.numericRates && !/^\d+(\.\d+)?%?$/.test(rate)) throw new Refusal(`a rate of ${rate}`)
  }
}

const PRODUCT_MEMBERS = new Set([
  'Description',
  'Details',
  'Eligibility',
  'KeyFeatures',
  'Organisation',
  'OtherKeyFeatures',
  'PaymentHoliday',
  'ProductIdentifier',
  'ProductName',
  'ProductSegment',
  'ProductType',
  'ProductURL',
  'TsandCs',
])
