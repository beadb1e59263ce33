import { DAY, now } from '../../../engine/suite-api/clock.ts'
import {
  bookedAt,
  brief,
  type Exchange,
  instantOf,
  member,
  type Row,
  remembered,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { strangersTo, TWO_ACCOUNTS } from '../common/data/asked-account.ts'
import { bookedOf, settled } from '../common/data/booking-times.ts'
import { laterThanNow } from '../common/data/not-in-future.ts'

const BALANCES = { endpoints: ['balances', 'account-balances'] } as const

/** The balances of a successful answer; undefined for an answer about anything else. */
function balancesIn(exchange: Exchange): Row[] | undefined {
  const concerned = exchange.endpoint === 'balances' || exchange.endpoint === 'account-balances'
  return concerned && succeeded(exchange) ? rowsOf(exchange) : undefined
}

/**
 * Every `account-balances` 2xx: every balance's AccountId is about.subject.
 * Only an answer under a consent with two accounts exercises it.
 */
rule(
  'BAL-02/asked-account-only',
  'GET /accounts/{AccountId}/balances answers with balances of that account alone',
  { endpoints: ['account-balances'], ...TWO_ACCOUNTS },
  (exchange, tools) => {
    if (exchange.endpoint !== 'account-balances' || !succeeded(exchange)) return undefined
    return strangersTo(exchange, rowsOf(exchange), tools)
  },
)

/**
 * Every balances 2xx: no DateTime (RFC 3339) is later than the end of the exchange plus the
 * target's clock tolerance.
 */
rule(
  'BAL-21/not-in-future',
  'The DateTime of a balance is not in the future',
  BALANCES,
  (exchange, { clockTolerance }) => {
    const all = balancesIn(exchange)
    if (!all) return undefined
    return laterThanNow(exchange, { rows: all, field: 'DateTime', clockTolerance })
  },
)

/** Every balances 2xx. Fails: the amount of a credit line begins with a minus sign. */
rule(
  'BAL-25/credit-line',
  'The amount of a credit line is not negative',
  { ...BALANCES, unseen: 'no balance has a credit line' },
  (exchange) => {
    const all = balancesIn(exchange)
    if (!all) return undefined
    const lines = all.flatMap(({ CreditLine }) => [CreditLine ?? []].flat())
    if (lines.length === 0) return undefined
    const amounts = lines.map((line) => member(line, 'Amount', 'Amount'))
    const negative = amounts.find((amount) => Number(amount) < 0)
    if (negative === undefined) return []
    const message = `a credit line is ${brief(negative)}`
    return [{ message, expected: 'no minus sign', actual: brief(negative) }]
  },
)

/** An interface like this serves no bank account older than 1990. */
const FIRST_YEAR = Date.parse('1990-01-01T00:00:00Z')

/** Every balances 2xx. Fails: the DateTime of a balance is before 1990. A program without a value may write 1970. */
rule(
  'BAL-26/of-a-time',
  'The DateTime of a balance is a possible time of that balance',
  BALANCES,
  (exchange) => {
    const all = balancesIn(exchange)
    if (!all) return undefined
    const times = all.map(({ DateTime }) => DateTime)
    if (times.length === 0) return undefined
    const early = times.find((time) => (instantOf(String(time)) ?? Infinity) < FIRST_YEAR)
    if (early === undefined) return []
    return [
      { message: `a balance is of ${brief(early)}`, expected: 'its time', actual: brief(early) },
    ]
  },
)

/**
 * Every balances 2xx. Fails: two rows of one account, type, currency and DateTime, which include the same credit lines, have
 * other amounts, unless both are zero.
 */
rule(
  'BAL-27/one-of-each',
  'No two balances of one account and moment contradict each other',
  { ...BALANCES, unseen: 'no answer has a balance with DateTime' },
  (exchange) => {
    const all = balancesIn(exchange)
    if (!all) return undefined
    const rows = all.filter(({ DateTime }) => typeof DateTime === 'string')
    if (rows.length === 0) return undefined
    const amounts = new Map<string, string>()
    for (const [index, row] of rows.entries()) {
      const key = momentOf(row)
      const amount = `${Number(member(row, 'Amount', 'Amount'))} ${row.CreditDebitIndicator}`
      const told = amount.startsWith('0 ') ? '0' : amount
      const before = amounts.get(key) ?? told
      amounts.set(key, before)
      if (before === told) continue
      const message = 'an account has two balances of one moment that differ'
      return [{ message, expected: before, actual: told, place: `/Data/Balance/${index}` }]
    }
    return []
  },
)

/**
 * What tells a balance from others of its account, but for its time. Members that no table has may do so, by words or small
 * numbers; ids, times and amounts tell each row from all others.
 */
function kindOf({ DateTime: _time, CreditDebitIndicator: _side, ...row }: Row): string {
  const { AccountId, Type, Amount, CreditLine, ...others } = row
  const lines = [CreditLine ?? []]
    .flat()
    .map((line) => [member(line, 'Type'), member(line, 'Included')])
  const currency = member(Amount, 'Currency')
  const words = leavesOf(others).filter(tellsPart).map(String)
  return JSON.stringify([AccountId, Type, currency, lines.map(String).sort(), words.sort()])
}

const leavesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]

/** Could a value name a part of a card, such as "Plan 1", 2 or true? */
function tellsPart(value: unknown): boolean {
  if (typeof value !== 'string') return typeof value === 'boolean' || Math.abs(Number(value)) < 100
  return /\p{L}/u.test(value) && value.replace(/\D/g, '').length <= 2
}

const momentOf = (row: Row) => `${kindOf(row)} ${instantOf(String(row.DateTime))}`

/** Every balances 2xx. Fails: two rows are of one account, type and currency, and include the same credit lines. */
rule(
  'BAL-29/one-alone',
  'An answer has one balance of an account, the current one',
  {
    ...BALANCES,
    unseen: 'no answer has a balance',
    follows: ['BAL-27/one-of-each', 'BAL-14/bulk-equals-single', 'DATA-08/absent'],
  },
  (exchange) => {
    const all = balancesIn(exchange)
    if (!all || all.length === 0) return undefined
    const kinds = all.map(kindOf)
    const index = kinds.findIndex((kind, at) => kinds.indexOf(kind) < at)
    if (index < 0) return []
    const message = 'an account has several balances of one type'
    const [actual, place] = [brief(all[index]), `/Data/Balance/${index}`]
    return [{ message, expected: 'the current balance', actual, place }]
  },
)

/**
 * Every list with balances of two accounts, each with one credit line that is not included, of which two have other
 * amounts. Fails: each balance is as high as its credit line. One card may be used up to its limit by chance.
 */
rule(
  'BAL-30/not-the-line',
  'The amounts of balances are not all those of the credit lines',
  {
    endpoints: ['balances'],
    unseen: 'no list has two accounts with different credit lines that are not included',
    follows: ['BAL-14/bulk-equals-single'],
  },
  (exchange) => {
    const all = exchange.endpoint === 'balances' ? (balancesIn(exchange) ?? []) : []
    const told = all.flatMap(({ CreditLine, Amount }) => {
      const [line, ...others] = [CreditLine ?? []].flat()
      if (others.length > 0 || member(line, 'Included') !== false) return []
      const [owed, limit] = [member(Amount, 'Amount'), member(line, 'Amount', 'Amount')].map(Number)
      return [{ owed, limit }]
    })
    if (new Set(told.map(({ limit }) => limit || undefined)).size < 2) return undefined
    if (told.length < all.length || told.some(({ owed, limit }) => owed !== limit)) return []
    const message = 'each balance is as high as the credit line, which it does not include'
    const actual = told.map(({ owed }) => owed).join(', ')
    return [{ message, expected: 'current balances', actual, place: '/Data/Balance' }]
  },
)

/** AccountIds of a consent: those of cards that are in use for long, and those whose last answer had no balance. */
interface Cards {
  used: Set<unknown>
  empty: Set<unknown>
}

/** A statement covers a month or a quarter, and some days pass until it is made. */
const STATED = 100 * DAY

/**
 * The accounts with bookings before the last statement and after it. Byte-identical answers share their rows, which are
 * searched once.
 */
const usedIn = remembered((rows: Row[]) => {
  const booked = settled(bookedOf(rows))
  const stated = now() - STATED
  const isOld = (row: Row) => (bookedAt(row) ?? Infinity) < stated
  const old = new Set(booked.filter(isOld).map(({ AccountId }) => AccountId))
  const later = booked.filter((row) => !isOld(row)).map(({ AccountId }) => AccountId)
  return new Set(later.filter((id) => old.has(id)))
})

/**
 * Single balances under ReadBalances, and transactions under the same consent. Fails: an account with bookings of a quarter
 * ago and newer ones has no balance. A card may have none before its first statement, and after it was closed.
 */
rule(
  'BAL-31/of-a-used-card',
  'An account with bookings has a balance',
  {
    endpoints: ['account-balances'],
    also: ['transactions', 'account-transactions'],
    unseen: 'no account has transactions that were booked a quarter ago, and newer ones',
    follows: ['BAL-14/bulk-equals-single', 'TXN-03/of-the-consent', 'BAL-16/array'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation, subject } = exchange.about
    if (!consent?.permissions.includes('ReadBalances')) return undefined
    if (deviation !== undefined || !succeeded(exchange)) return undefined
    const known = earlier.get(consent.id) as Cards | undefined
    const cards = known ?? { used: new Set(), empty: new Set() }
    earlier.set(consent.id, cards)
    if (exchange.endpoint.endsWith('transactions')) {
      for (const id of usedIn(rowsOf(exchange))) cards.used.add(id)
    } else if (exchange.endpoint === 'account-balances') {
      const listed = member(exchange.response?.json, 'Data', 'Balance')
      if (Array.isArray(listed) && listed.length === 0) cards.empty.add(subject)
      else cards.empty.delete(subject)
    }
    if (cards.used.size === 0) return undefined
    const without = [...cards.empty].find((id) => cards.used.has(id))
    if (without === undefined) return []
    const message = `the account ${brief(without)} has bookings, and no balance`
    return [{ message, expected: 'a balance', actual: 'an empty Data.Balance' }]
  },
)

/** A statement covers a month or a quarter, and a card may have none for a time. */
const A_YEAR = 366 * DAY

/** By AccountId: the time of its oldest balance, and that of its newest booking of more than a quarter ago. */
interface Times {
  balances: Map<unknown, number>
  bookings: Map<unknown, number>
}

/** Sets the times of accounts, where `isBeyond` says that they are older, or newer, than what is known. */
function note(
  known: Map<unknown, number>,
  times: Iterable<readonly [unknown, number]>,
  isBeyond: (at: number, known: number) => boolean,
): Map<unknown, number> {
  for (const [id, at] of times) {
    const before = known.get(id)
    if (!Number.isNaN(at) && (before === undefined || isBeyond(at, before))) known.set(id, at)
  }
  return known
}

const isNewer = (at: number, known: number) => at > known
const isOlder = (at: number, known: number) => at < known

/**
 * The newest booking of each account of which a statement has been made. Byte-identical answers share their rows, which
 * are searched once.
 */
const newestIn = remembered((rows: Row[]) => {
  const all = bookedOf(rows)
    .map((row) => [row.AccountId, bookedAt(row) ?? NaN] as const)
    .filter(([, at]) => at < now() - STATED)
  return note(new Map(), all, isNewer)
})

/**
 * Balances and transactions under one consent. Fails: an account was used more than a year after the DateTime of one of
 * its balances. A card that nobody uses keeps its old balance.
 */
rule(
  'BAL-32/of-these-days',
  'No balance is a year older than the bookings of its account',
  {
    ...BALANCES,
    also: ['transactions', 'account-transactions'],
    unseen:
      'no account has a balance with DateTime and transactions that were booked a quarter ago',
    follows: ['BAL-26/of-a-time', 'BAL-28/one-time', 'BAL-14/bulk-equals-single'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation } = exchange.about
    if (!consent || deviation !== undefined || !succeeded(exchange)) return undefined
    const known = earlier.get(consent.id) as Times | undefined
    const times = known ?? { balances: new Map(), bookings: new Map() }
    earlier.set(consent.id, times)
    const balances = balancesIn(exchange)?.map(
      ({ AccountId, DateTime }) => [AccountId, instantOf(String(DateTime))] as const,
    )
    if (balances) note(times.balances, balances, isOlder)
    else if (exchange.endpoint.endsWith('transactions'))
      note(times.bookings, newestIn(rowsOf(exchange)), isNewer)
    const both = [...times.balances].flatMap(([id, at]) => {
      const booked = times.bookings.get(id)
      return booked === undefined ? [] : [{ id, at, booked }]
    })
    if (both.length === 0) return undefined
    const old = both.find(({ at, booked }) => booked - at > A_YEAR)
    if (!old) return []
    const [at, booked] = [old.at, old.booked].map((time) => new Date(time).toISOString())
    const message = `a balance of ${brief(old.id)} is of ${at}, and the card was used at ${booked}`
    return [{ message, expected: 'the current balance', actual: `the balance of ${at}` }]
  },
)
