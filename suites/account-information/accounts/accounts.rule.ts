import {
  brief,
  type Endpoint,
  type Exchange,
  member,
  otherRowsOf,
  type Row,
  remembered,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { strangersTo, TWO_ACCOUNTS } from '../common/data/asked-account.ts'
import { isCardNumber } from '../common/data/card-number.ts'

/** The accounts of a successful answer; undefined where Data.Account is no array. */
function accountsIn(exchange: Exchange): Row[] | undefined {
  const isArray = Array.isArray(member(exchange.response?.json, 'Data', 'Account'))
  return succeeded(exchange) && isArray ? rowsOf(exchange) : undefined
}

/**
 * Every `account` 2xx: all rows have AccountId = about.subject; on a request
 * without deviation there is exactly one row. Not judged where Data.Account is no
 * array (ACC-18). Only an answer under a consent with two accounts exercises it.
 */
rule(
  'ACC-02/asked-account-only',
  'GET /accounts/{AccountId} answers with the account that was asked for, and no other',
  { endpoints: ['account'], ...TWO_ACCOUNTS },
  (exchange, tools) => {
    const rows = exchange.endpoint === 'account' ? accountsIn(exchange) : undefined
    const found = strangersTo(exchange, rows, tools)
    if (!rows || found?.length || exchange.about.deviation !== undefined) return found
    if (rows.length === 1) return found
    const message = `${rows.length} accounts instead of the one that was asked for`
    const actual = `${rows.length} accounts`
    return [{ message, expected: 'one account', actual, place: '/Data/Account' }]
  },
)

/**
 * Every `accounts` 2xx: no AccountId occurs twice in Data.Account.
 * An answer with fewer than two accounts doesn't exercise it.
 */
rule(
  'ACC-03/unique',
  'No two accounts of an answer have the same AccountId',
  { ...TWO_ACCOUNTS, endpoints: ['accounts'], needs: 'two accounts in one answer' },
  (exchange) => {
    const rows = exchange.endpoint === 'accounts' ? accountsIn(exchange) : undefined
    if (!rows || rows.length < 2) return undefined
    const ids = rows.map((row) => row.AccountId)
    const index = ids.findIndex((id, at) => typeof id === 'string' && ids.indexOf(id) < at)
    if (index < 0) return []
    const message = `the AccountId ${brief(ids[index])} occurs twice`
    const place = `/Data/Account/${index}/AccountId`
    return [{ message, expected: 'AccountIds that differ', actual: brief(ids[index]), place }]
  },
)

/**
 * Every `accounts` and `account` 2xx whose about.consent has ReadAccountsDetail:
 * every account has Account, and each entry of it has Identification. If the
 * consent has ReadAccountsBasic too, either all accounts have it or none (AMB-44).
 */
rule(
  'ACC-20/detail-shows-card',
  'Under ReadAccountsDetail an account shows the identification of its card',
  {
    endpoints: ['accounts', 'account'],
    unseen: 'no account was read under ReadAccountsDetail alone',
  },
  (exchange, { earlier }) => {
    if (exchange.endpoint !== 'accounts' && exchange.endpoint !== 'account') return undefined
    const { permissions = [] } = exchange.about.consent ?? {}
    if (!permissions.includes('ReadAccountsDetail')) return undefined
    const level = permissions.includes('ReadAccountsBasic') ? 'both' : 'detail'
    const rows = accountsIn(exchange)
    if (!rows || rows.length === 0) return undefined
    const index = rows.findIndex((row) => !showsCard(row))
    if (index < 0) {
      earlier.set(level, exchange)
      return []
    }
    if (level === 'both' && !earlier.has(level)) return undefined
    return [
      {
        message: 'the account lacks Account with Identification',
        expected: 'Account with Identification',
        actual: brief(rows[index]),
        place: `/Data/Account/${index}/Account`,
      },
    ]
  },
)

function showsCard(row: Row): boolean {
  const cards = [row.Account].flat()
  return (
    cards.length > 0 && cards.every((card) => (member(card, 'Identification') ?? null) !== null)
  )
}

/**
 * Every GET /accounts under one ConsentId: where an AccountId of the first answer is missing, no new
 * one takes its place. Accounts that are missing without a replacement are judged by TXN-28/kept.
 */
rule(
  'ACC-04/kept',
  'No later answer under a consent has other AccountIds in place of those of the first',
  {
    endpoints: ['accounts'],
    follows: [
      'ACC-04/second-call',
      'ACC-04/after-refresh',
      'ACC-04/after-reconfirmation',
      'AUTHZ-30/other-customer',
      'DATA-08/absent',
    ],
  },
  (exchange, { earlier }) => {
    const { consent, deviation } = exchange.about
    if (exchange.endpoint !== 'accounts' || !succeeded(exchange)) return undefined
    if (!consent || deviation !== undefined) return undefined
    const now = rowsOf(exchange).map(({ AccountId }) => String(AccountId))
    const first = earlier.get(consent.id) as readonly string[] | undefined
    if (!first) earlier.set(consent.id, now)
    const gone = first?.find((id) => !now.includes(id))
    const other = now.find((id) => !first?.includes(id))
    if (gone === undefined || other === undefined) return []
    return [
      {
        message: 'the AccountId of an account has changed under the same consent',
        expected: gone,
        actual: other,
      },
    ]
  },
)

/**
 * Every accounts 2xx under one ConsentId: the last four digits of a card's identification, by AccountId. Fails: they are
 * those that another AccountId of the consent had first, where two accounts had other ones.
 */
rule(
  'ACC-04/same-card',
  'An AccountId of a consent does not change from one of its cards to another',
  {
    endpoints: ['accounts', 'account'],
    unseen: 'no consent showed the last digits of the cards of two accounts',
    follows: ['ACC-15/bulk-equals-single', 'AUTHZ-30/other-customer', 'ACC-02/asked-account-only'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation } = exchange.about
    if (exchange.endpoint !== 'accounts' && exchange.endpoint !== 'account') return undefined
    if (!consent || deviation !== undefined) return undefined
    const first = (earlier.get(consent.id) ?? new Map()) as Map<string, string>
    earlier.set(consent.id, first)
    const shown = (accountsIn(exchange) ?? []).flatMap((row) => {
      const digits = lastDigits(row)
      return digits === undefined ? [] : [{ id: String(row.AccountId), digits }]
    })
    const before = new Map(first)
    for (const { id, digits } of shown) if (!first.has(id)) first.set(id, digits)
    if (first.size < 2 || new Set(first.values()).size < first.size) return undefined
    const swapped = shown.find(
      ({ id, digits }) =>
        before.has(id) &&
        before.get(id) !== digits &&
        [...before].some(([other, others]) => other !== id && others === digits),
    )
    if (!swapped) return []
    const message = `the AccountId ${brief(swapped.id)} is that of another card than before`
    const expected = `a card that ends in ${before.get(swapped.id)}`
    return [{ message, expected, actual: `one that ends in ${swapped.digits}` }]
  },
)

/** The last four digits of the card of an account; undefined where they are masked, also by one digit. */
function lastDigits(row: Row): string | undefined {
  const [card] = [row.Account].flat()
  return endingOf(card)
}

/** A mask without any sign for what it leaves out may end after the digits of the issuer. */
const ENDING = /(?:^|\D|\d{8})(?!(\d)\1{3})(\d{4})$/

function endingOf(card: unknown): string | undefined {
  const text = member(card, 'Identification')
  return typeof text === 'string' ? ENDING.exec(text)?.[2] : undefined
}

const isShown = (ending: string | undefined) => ending !== undefined

/**
 * Every list of accounts under ReadAccountsDetail. Fails: each of two or more accounts shows the same last four digits.
 * Two cards share them by chance once in ten thousand times. Not judged: cards that are masked otherwise.
 */
rule(
  'ACC-22/own-card',
  'The accounts of a list do not all show one card',
  {
    endpoints: ['accounts'],
    unseen: 'no list shows the last digits of the cards of two accounts',
    follows: ['ACC-03/unique', 'ACC-15/bulk-equals-single', 'ACC-04/same-card'],
  },
  (exchange) => {
    const rows = exchange.endpoint === 'accounts' ? (accountsIn(exchange) ?? []) : []
    const endings = rows.map(lastDigits)
    const [first] = endings
    const ids = new Set(rows.map(({ AccountId }) => AccountId))
    if (ids.size < 2 || ids.size < rows.length || endings.includes(undefined)) return undefined
    if (endings.some((digits) => digits !== first)) return []
    const message = `each of ${ids.size} accounts shows the card that ends in ${first}`
    const place = '/Data/Account/1/Account'
    return [{ message, expected: 'the card of each account', actual: String(first), place }]
  },
)

/**
 * Every answer with accounts. Fails: one account shows the last four digits of two cards. That of an additional holder, or one
 * that was replaced, is not the primary card. Not judged: cards that are masked otherwise.
 */
rule(
  'ACC-22/one-card',
  'One account shows one card',
  { endpoints: ['accounts', 'account'], unseen: 'no account shows the last digits of a card' },
  (exchange) => {
    const all = (accountsIn(exchange) ?? []).map(({ Account }) => [Account ?? []].flat())
    const endings = all.map((cards) => [...new Set(cards.map(endingOf))].filter(isShown))
    if (endings.every((shown) => shown.length === 0)) return undefined
    const index = endings.findIndex((shown) => shown.length > 1)
    if (index < 0) return []
    const actual = `cards that end in ${endings[index]?.join(' and ')}`
    const place = `/Data/Account/${index}/Account`
    return [{ message: 'one account shows several cards', expected: 'one card', actual, place }]
  },
)

/**
 * Every list of accounts. Fails: two or more accounts show different numbers of as many digits as a card, each with the check
 * digit of one. ACC-09 takes zeros or nines in a row for a mask; numbers of cards may have them too.
 */
rule(
  'ACC-24/no-card-numbers',
  'Accounts whose numbers have zeros or nines in a row do not all show whole card numbers',
  {
    endpoints: ['accounts'],
    unseen: 'no list shows the cards of two accounts',
    follows: ['ACC-09/masked'],
  },
  (exchange) => {
    const rows = exchange.endpoint === 'accounts' ? (accountsIn(exchange) ?? []) : []
    const cards = rows.flatMap(({ Account }) => [Account ?? []].flat())
    const numbers = new Set(cards.map((card) => String(member(card, 'Identification') ?? '')))
    if (numbers.size < 2) return undefined
    const whole = [...numbers].filter((number) => /^[\d -]{13,}$/.test(number))
    const areCards = whole.every((number) => isCardNumber(number.replace(/\D/g, '')))
    if (whole.length < 2 || !areCards) return []
    return [
      {
        message: `each of ${whole.length} numbers is that of a card, by its check digit`,
        expected: 'masked numbers',
        actual: 'as many digits as a card number has, with a valid check digit',
        place: '/Data/Account/0/Account',
      },
    ]
  },
)

/** The digits of a card that the masks of an account have shown so far, by their places. */
type Places = (string | undefined)[]

/**
 * Every answer with accounts, of which each shows one card, masked by other signs than digits. Fails: what the answers under
 * one consent have shown of the card of an account leaves one digit hidden, or none. The check digit of a card tells one.
 * Not judged: masks of another length, and those that show other digits at the same places, which are of another card.
 */
rule(
  'ACC-25/put-together',
  'A digit that is masked in one answer is not visible in another one',
  {
    endpoints: ['accounts', 'account'],
    unseen: 'no account shows a card of which some digits are masked',
    follows: ['ACC-09/masked', 'ACC-15/bulk-equals-single', 'ACC-04/same-card'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation } = exchange.about
    if (!consent || deviation !== undefined) return undefined
    let isJudged = false
    for (const [index, { AccountId, Account }] of (accountsIn(exchange) ?? []).entries()) {
      const now = placesIn([Account ?? []].flat())
      if (!now) continue
      isJudged = true
      const key = `${consent.id} ${String(AccountId)}`
      const before = (earlier.get(key) ?? now) as Places
      if (!isOfSameCard(before, now)) continue
      const both = now.map((digit, at) => digit ?? before[at])
      earlier.set(key, both)
      const hidden = both.filter((digit) => digit === undefined).length
      if (hidden > 1) continue
      const message =
        'the masks of one card hide different digits, and together they show its number'
      const place = `/Data/Account/${index}/Account`
      const actual =
        hidden === 0
          ? 'no digit is hidden in all of them'
          : 'one hidden digit, which the other digits determine'
      return [{ message, expected: 'digits that each answer hides', actual, place }]
    }
    return isJudged ? [] : undefined
  },
)

/** The digits of the one card of an account, undefined where they are masked; none where no sign masks them. */
function placesIn(cards: readonly unknown[]): Places | undefined {
  const text = cards.length === 1 ? member(cards[0], 'Identification') : undefined
  const signs = typeof text === 'string' ? [...text.replace(/[ -]/g, '')] : []
  const places = signs.map((sign) => (/\d/.test(sign) ? sign : undefined))
  const isMasked = places.includes(undefined) && places.length >= 15 && places.length <= 16
  return isMasked ? places : undefined
}

const isOfSameCard = (one: Places, other: Places): boolean =>
  one.length === other.length &&
  one.every((digit, at) => [digit, undefined].includes(other[at]) || digit === undefined)

/** Endpoints that must not describe accounts under a consent without a permission for accounts. */
const OTHERS: readonly Endpoint[] = [
  'balances',
  'account-balances',
  'transactions',
  'account-transactions',
]

/**
 * Every balance and transaction 2xx whose consent has neither ReadAccountsBasic nor ReadAccountsDetail. Fails: a row is or
 * holds an object with the members of an account, and its description or card. AccountIds and types alone are none.
 */
rule(
  'ACC-23/nowhere-else',
  'Without a permission for accounts no other answer describes accounts',
  { endpoints: OTHERS, unseen: 'no consent without a permission for accounts was asked' },
  (exchange) => {
    if (!OTHERS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    const { permissions } = exchange.about.consent ?? {}
    if (!permissions || permissions.some((one) => one.startsWith('ReadAccounts'))) return undefined
    const [row] = [...rowsOf(exchange), ...otherRowsOf(exchange)].filter(describesAccount)
    if (!row) return rowsOf(exchange).length > 0 ? [] : undefined
    const message = `the answer of ${exchange.endpoint} describes an account`
    return [{ message, expected: 'no accounts', actual: brief(row) }]
  },
)

/** Does a row hold an account, or is it one? Answers share rows: each is searched once. */
const describesAccount = remembered((row: object) => holdsAccount(row))

function holdsAccount(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isOne = ['AccountId', 'AccountType', 'AccountSubType'].every((name) => name in value)
  // A transaction has an amount, and may have a description of its own.
  if (isOne && ('Account' in value || ('Description' in value && !('Amount' in value)))) return true
  return Object.values(value).some(holdsAccount)
}
