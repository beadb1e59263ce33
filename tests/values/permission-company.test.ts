import { expect, test } from 'vitest'
import {
  accountsOnly,
  basicCredits,
  debitsInPeriod,
  everything,
  narrowOfSeconds,
  noAccounts,
} from '../../suites/consents.ts'
import { NINE } from '../../suites/values/consent-enumerations.ts'
import { DATA_ENDPOINTS, opens, permissionCompany } from '../../suites/values/permission-company.ts'
import { rowsOf } from '../../suites/values/value-type.ts'
import { divided, madeOf, rowOf } from './rows.ts'

const { wrong, lawful } = divided(permissionCompany)

const RIGHT = { allowed: NINE }

/** Which of its four parts a set has; in the words of the sentences. */
const partsOf = (set: readonly string[]) =>
  [
    /^ReadAccounts/,
    /^ReadBalances$/,
    /^ReadTransactions(Basic|Detail)$/,
    /^ReadTransactions(Cre|Deb)/,
  ].map((pattern) => set.some((one) => pattern.test(one)))

test('a lawful row is a set of allowed permissions, and no two the same', () => {
  const made = madeOf(lawful, RIGHT)
  expect(made.length).toBe(lawful.length)
  for (const [id, set] of made) {
    expect(set.length, id).toBeGreaterThan(0)
    expect(new Set(set).size, id).toBe(set.length)
    for (const one of set) expect(NINE, id).toContain(one)
  }
  const sets = made.map(([id, set]) => [id, [...set].sort().join()])
  const twice = sets.filter(([, set], index) => sets.findIndex(([, one]) => one === set) !== index)
  expect(twice).toEqual([])
})

test('a wrong row is of none, or has one that is not allowed beside those that are', () => {
  const made = madeOf(wrong, RIGHT)
  expect(made.length).toBe(wrong.length)
  for (const [id, set] of made) {
    expect(set.filter((one) => !(NINE as readonly string[]).includes(one)).length, id).toBe(
      set.length === 0 ? 0 : 1,
    )
  }
})

test('each of the nine stands alone, with each other one, and is left out once', () => {
  const sets = madeOf(lawful, RIGHT).map(([, set]) => new Set<string>(set))
  const has = (...set: string[]) =>
    sets.some((one) => one.size === set.length && set.every((each) => one.has(each)))
  for (const one of NINE) {
    expect(has(one), one).toBe(true)
    expect(has(...NINE.filter((other) => other !== one)), one).toBe(true)
    for (const other of NINE)
      if (other !== one) expect(has(one, other), `${one} ${other}`).toBe(true)
  }
})

test('each choice of accounts, balances, level and direction stands in a row', () => {
  const choices = madeOf(lawful, RIGHT).map(([, set]) => partsOf(set).map(Number).join(''))
  expect([...new Set(choices)].sort()).toEqual(
    Array.from({ length: 16 }, (_, index) => index.toString(2).padStart(4, '0')),
  )
})

test('what both readings allow must be taken, and nothing else', () => {
  for (const { id, level, make } of lawful) {
    const [accounts, , transactions, direction] = partsOf(make(RIGHT) ?? [])
    expect(level === 'must', id).toBe(accounts === true && transactions === direction)
  }
  for (const each of [everything, accountsOnly, basicCredits, debitsInPeriod, narrowOfSeconds]) {
    const [accounts, , transactions, direction] = partsOf(each.permissions)
    expect([accounts, transactions === direction], each.name).toEqual([true, true])
  }
})

test('of a bank that allows fewer, rows with the others are none', () => {
  const allowed = NINE.filter((one) => !one.startsWith('ReadStatements'))
  for (const [id, set] of madeOf(rowsOf(permissionCompany), { allowed })) {
    expect(set.join(), id).not.toContain('ReadStatements')
  }
  expect(
    rowOf(permissionCompany, 'pan-beside-accounts').make({ allowed: [...NINE, 'ReadPAN'] }),
  ).toBeUndefined()
})

const ACCOUNTS = ['/accounts', '/accounts/{AccountId}'] as const
const BALANCES = ['/balances', '/accounts/{AccountId}/balances'] as const
const TRANSACTIONS = ['/transactions', '/accounts/{AccountId}/transactions'] as const

test.each([
  ['ReadAccountsBasic', 'open', 'not-shown', 'closed'],
  ['ReadAccountsDetail ReadBalances', 'open', 'open', 'closed'],
  ['ReadBalances', 'closed', 'not-shown', 'closed'],
  ['ReadStatementsBasic ReadStatementsDetail', 'closed', 'not-shown', 'closed'],
  ['ReadTransactionsBasic ReadTransactionsCredits', 'closed', 'not-shown', 'open'],
  ['ReadTransactionsDetail', 'closed', 'not-shown', 'not-shown'],
  [
    'ReadAccountsBasic ReadTransactionsCredits ReadTransactionsDebits',
    'open',
    'not-shown',
    'closed',
  ],
  [NINE.join(' '), 'open', 'open', 'open'],
  ['', 'closed', 'not-shown', 'closed'],
  ['readaccountsbasic', 'closed', 'not-shown', 'closed'],
])(
  '%s opens accounts %s, balances %s, transactions %s',
  (set, accounts, balances, transactions) => {
    const opened = opens(set.split(' '))
    for (const endpoint of ACCOUNTS) expect(opened[endpoint]).toBe(accounts)
    for (const endpoint of BALANCES) expect(opened[endpoint]).toBe(balances)
    for (const endpoint of TRANSACTIONS) expect(opened[endpoint]).toBe(transactions)
  },
)

test('the single address of an endpoint opens as the bulk one does, whatever the company', () => {
  for (const [id, set] of madeOf(lawful, RIGHT)) {
    const opened = opens(set)
    expect(Object.keys(opened)).toEqual([...DATA_ENDPOINTS])
    for (const [bulk, single] of [ACCOUNTS, BALANCES, TRANSACTIONS]) {
      expect(opened[single], id).toBe(opened[bulk])
    }
  }
})

test('the approvals of the suites open what their checks rely on', () => {
  expect(opens(accountsOnly.permissions)).toMatchObject({
    '/accounts': 'open',
    '/transactions': 'closed',
  })
  expect(opens(noAccounts.permissions)).toMatchObject({
    '/accounts': 'closed',
    '/balances': 'not-shown',
    '/transactions': 'open',
  })
  for (const each of [everything, basicCredits, debitsInPeriod]) {
    expect(Object.values(opens(each.permissions)), each.name).toEqual(Array(6).fill('open'))
  }
})
