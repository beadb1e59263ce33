import { afterEach, describe, expect, test, vi } from 'vitest'
import { directoryOfFile, open, openForFile, shut } from './opened.ts'
import { everything, type Tpp } from './tpp.ts'

const directory = await directoryOfFile()
const opened = await openForFile({ directory })
const { bank, first, second } = opened
const { endpoints } = bank.services
const full = await first.approved()

afterEach(() => expect(bank.problems).toEqual([]))

interface Transaction {
  AccountId: string
  BookingDateTime: string
  CreditDebitIndicator: string
  Status: string
  AddressLine?: string
  MerchantDetails?: { MerchantName: string }
}

const read = async (tpp: Tpp, bearer: string, path: string) =>
  (await tpp.call(path, { bearer })).json.Data
const rows = async (bearer: string, query = ''): Promise<Transaction[]> =>
  (await read(first, bearer, `/aisp/transactions${query}`)).Transaction
const accounts = async (bearer: string): Promise<{ AccountId: string }[]> =>
  (await read(first, bearer, '/aisp/accounts')).Account

test('accounts, single and bulk', async () => {
  const { status, json, headers } = await first.call('/aisp/accounts', { bearer: full.bearer })
  expect(status).toBe(200)
  expect(headers['cache-control']).toBe('no-store')
  expect(json.Links.Self).toBe(`${endpoints.at.api}/open-banking/v3.1/aisp/accounts`)
  expect(json.Meta).toEqual({ TotalPages: 1 })
  expect(json.Risk).toBeUndefined()
  expect(json.Data.Account).toHaveLength(2)
  for (const account of json.Data.Account) {
    expect(account).toMatchObject({
      Currency: 'GBP',
      AccountType: 'Personal',
      AccountSubType: 'CreditCard',
      Account: [
        { SchemeName: 'UK.OBIE.PAN', Identification: expect.stringMatching(/^\*{12}\d{4}$/) },
      ],
    })
    const single = await read(first, full.bearer, `/aisp/accounts/${account.AccountId}`)
    expect(single.Account).toEqual([account])
  }
})

test('a day that ends moves no row, only the day of the balance', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-28T23:59:50Z') })
  try {
    const late = await open({ directory })
    const { bearer } = await late.first.approved()
    const read = async (path: string) => (await late.first.call(path, { bearer })).json.Data
    const [rowsBefore, before] = [await read('/aisp/transactions'), await read('/aisp/balances')]
    vi.setSystemTime(Date.parse('2026-03-29T00:00:20Z'))
    expect(await read('/aisp/transactions')).toEqual(rowsBefore)
    const after = await read('/aisp/balances')
    expect([before, after].map(({ Balance: [{ DateTime }] }) => DateTime.slice(0, 10))).toEqual([
      '2026-03-28',
      '2026-03-29',
    ])
    await shut(late)
  } finally {
    vi.useRealTimers()
  }
})

test('balances and transactions: bulk is the sum of the single', async () => {
  const balances = (await read(first, full.bearer, '/aisp/balances')).Balance
  const all = await rows(full.bearer)
  const singles: Transaction[] = []
  for (const { AccountId } of await accounts(full.bearer)) {
    const { Balance } = await read(first, full.bearer, `/aisp/accounts/${AccountId}/balances`)
    expect(Balance).toEqual(
      balances.filter((one: { AccountId: string }) => one.AccountId === AccountId),
    )
    singles.push(
      ...(await read(first, full.bearer, `/aisp/accounts/${AccountId}/transactions`)).Transaction,
    )
  }
  expect(balances).toHaveLength(2)
  expect(balances[0]).toMatchObject({
    Type: 'OpeningBooked',
    CreditLine: [{ Included: false, Type: 'Credit', Amount: { Currency: 'GBP' } }],
  })
  expect(singles).toEqual(all)
})

test('the rows of card one: enough of every kind, over 18 months', async () => {
  const [account] = await accounts(full.bearer)
  const all = (await rows(full.bearer)).filter((row) => row.AccountId === account?.AccountId)
  expect(all.length).toBeGreaterThanOrEqual(60)
  const count = (test: (row: Transaction) => unknown) => all.filter(test).length
  expect(count((row) => row.Status === 'Pending')).toBe(2)
  expect(count((row) => row.CreditDebitIndicator === 'Credit')).toBeGreaterThan(8)
  expect(count((row) => !row.MerchantDetails)).toBeGreaterThan(8)
  expect(count((row) => row.AddressLine)).toBeGreaterThan(10)
  expect(
    count((row) => /[^\x20-\x7e]/.test(row.MerchantDetails?.MerchantName ?? '')),
  ).toBeGreaterThan(4)
  const bare = all.map((row) => JSON.stringify({ ...row, TransactionId: undefined }))
  expect(new Set(bare).size).toBe(all.length - 1)
  const oldest = Date.parse(all.at(-1)?.BookingDateTime ?? '')
  expect(Date.now() - oldest).toBeGreaterThan(548 * 86_400_000)
  expect(all.every((row) => Date.parse(row.BookingDateTime) <= Date.now())).toBe(true)
})

test('permissions open endpoints, and nothing else does', async () => {
  const opens: Record<string, string[]> = {
    ReadAccountsBasic: ['/aisp/accounts'],
    ReadAccountsDetail: ['/aisp/accounts'],
    ReadBalances: ['/aisp/balances'],
    ReadTransactionsBasic: ['/aisp/transactions'],
    ReadTransactionsDetail: ['/aisp/transactions'],
    ReadTransactionsCredits: [],
    ReadStatementsDetail: [],
  }
  for (const [permission, paths] of Object.entries(opens)) {
    const { bearer } = await first.approved({ Permissions: [permission] })
    for (const path of ['/aisp/accounts', '/aisp/balances', '/aisp/transactions']) {
      const { status } = await first.call(path, { bearer })
      expect([permission, path, status]).toEqual([
        permission,
        path,
        paths.includes(path) ? 200 : 403,
      ])
    }
  }
})

test('basic shows neither card number nor merchant', async () => {
  const Permissions = [
    'ReadAccountsBasic',
    'ReadTransactionsBasic',
    'ReadTransactionsDebits',
    'ReadTransactionsCredits',
  ]
  const { bearer } = await first.approved({ Permissions })
  for (const account of await accounts(bearer)) expect(account).not.toHaveProperty('Account')
  for (const row of await rows(bearer)) expect(row).not.toHaveProperty('MerchantDetails')
})

test('credits, debits, both, neither', async () => {
  const kinds = async (...more: string[]) => {
    const { bearer } = await first.approved({ Permissions: ['ReadTransactionsDetail', ...more] })
    return [...new Set((await rows(bearer)).map((row) => row.CreditDebitIndicator))].sort()
  }
  expect(await kinds('ReadTransactionsCredits')).toEqual(['Credit'])
  expect(await kinds('ReadTransactionsDebits')).toEqual(['Debit'])
  expect(await kinds('ReadTransactionsCredits', 'ReadTransactionsDebits')).toEqual([
    'Credit',
    'Debit',
  ])
  expect(await kinds()).toEqual(['Credit', 'Debit'])
})

describe('the period', () => {
  const instant = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const from = instant(300)
  const to = instant(100)

  test('filters, alone and together, inclusive', async () => {
    const all = await rows(full.bearer)
    const after = all.filter((row) => row.BookingDateTime >= from)
    const before = all.filter((row) => row.BookingDateTime <= to)
    expect(await rows(full.bearer, `?fromBookingDateTime=${from}`)).toEqual(after)
    expect(await rows(full.bearer, `?toBookingDateTime=${to}`)).toEqual(before)
    const both = await rows(full.bearer, `?fromBookingDateTime=${from}&toBookingDateTime=${to}`)
    expect(both).toEqual(after.filter((row) => before.includes(row)))
    expect(both.length).toBeGreaterThan(5)
    const edge = all[20]?.BookingDateTime
    const exact = await rows(full.bearer, `?fromBookingDateTime=${edge}&toBookingDateTime=${edge}`)
    expect(exact).toContainEqual(all[20])
    expect(await rows(full.bearer, `?fromBookingDateTime=${to}&toBookingDateTime=${from}`)).toEqual(
      [],
    )
    const offset = new Date(Date.parse(from) + 7_200_000).toISOString().replace('Z', '%2B02:00')
    expect(await rows(full.bearer, `?fromBookingDateTime=${offset}`)).toEqual(after)
    expect(await rows(full.bearer, `?fromBookingDateTime=${from.slice(0, -1)}`)).toEqual(after)
  })

  test.each([
    'yesterday',
    '2025-01-01',
    '2025-13-01T00:00:00Z',
    '',
    '2025-01-01T00:00:00Z&fromBookingDateTime=2025-01-01T00:00:00Z',
  ])('malformed: %s', async (value) => {
    const path = `/aisp/transactions?fromBookingDateTime=${value}`
    expect((await first.call(path, { bearer: full.bearer })).status).toBe(400)
  })

  test('the consent’s own period restricts, whatever the query says', async () => {
    const data = {
      Permissions: everything,
      TransactionFromDateTime: from,
      TransactionToDateTime: to,
    }
    const { bearer } = await first.approved(data)
    const inside = await rows(bearer)
    expect(inside.length).toBeGreaterThan(5)
    expect(inside.every((row) => row.BookingDateTime >= from && row.BookingDateTime <= to)).toBe(
      true,
    )
    expect(await rows(bearer, '?fromBookingDateTime=2020-01-01T00:00:00Z')).toEqual(inside)
  })
})

test('only what the customer ticked, and only the customer’s own', async () => {
  const one = await first.approved({}, { only: 1 })
  expect(await accounts(one.bearer)).toHaveLength(1)
  expect(new Set((await rows(one.bearer)).map((row) => row.AccountId)).size).toBe(1)
  const two = await first.approved({}, { customer: 'second' })
  const [foreign] = await accounts(two.bearer)
  for (const tail of ['', '/balances', '/transactions']) {
    const path = `/aisp/accounts/${foreign?.AccountId}${tail}`
    expect((await first.call(path, { bearer: two.bearer })).status).toBe(200)
    expect((await first.call(path, { bearer: full.bearer })).status).toBe(403)
    expect(
      (await first.call(`/aisp/accounts/unknown${tail}`, { bearer: full.bearer })).status,
    ).toBe(400)
  }
  const balances = (await read(first, two.bearer, '/aisp/balances')).Balance
  expect(balances[0].CreditDebitIndicator).toBe('Credit')
})

test('tokens: none, another client’s certificate, a client’s own token', async () => {
  expect((await first.call('/aisp/accounts')).status).toBe(401)
  expect((await second.call('/aisp/accounts', { bearer: full.bearer })).status).toBe(401)
  expect((await first.call('/aisp/accounts', { bearer: await first.clientToken() })).status).toBe(
    401,
  )
  expect((await first.call('/aisp/accounts', { bearer: full.tokens.refresh_token })).status).toBe(
    401,
  )
})

test('AccountIds are opaque, and others under another consent', async () => {
  const other = await first.approved()
  const ids = (await accounts(full.bearer)).map((one) => one.AccountId)
  for (const { AccountId } of await accounts(other.bearer)) expect(ids).not.toContain(AccountId)
})

test('the rate limit: the absent customer only, per client', async () => {
  const limited = await open({
    directory,
    settings: { rateLimit: { threshold: 3, window: 60, retryAfter: true } },
  })
  const { bearer } = await limited.first.approved()
  const other = await limited.second.approved()
  const get = (absent: boolean) => limited.first.call('/aisp/accounts', { bearer, absent })
  for (let times = 0; times < 3; times += 1) expect((await get(true)).status).toBe(200)
  const refused = await get(true)
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
  expect((await get(false)).status).toBe(200)
  const others = { bearer: other.bearer, absent: true }
  expect((await limited.second.call('/aisp/accounts', others)).status).toBe(200)
  const ipv6 = { 'x-fapi-customer-ip-address': '2001:db8::1' }
  const present = { bearer, absent: true, headers: ipv6 }
  expect((await limited.first.call('/aisp/accounts', present)).status).toBe(200)
  await shut(limited)
})

test('a poor bank, and a rich one', async () => {
  const poor = await open({ directory, settings: { data: { accounts: 1, transactions: 0 } } })
  const { bearer } = await poor.first.approved()
  expect((await read(poor.first, bearer, '/aisp/accounts')).Account).toHaveLength(1)
  expect((await read(poor.first, bearer, '/aisp/transactions')).Transaction).toEqual([])
  await shut(poor)

  const rich = await open({ directory, transactions: 10_000 })
  const { bearer: token } = await rich.first.approved({}, { only: 1 })
  const { Transaction } = await read(rich.first, token, '/aisp/transactions')
  expect(Transaction).toHaveLength(10_000)
  await shut(rich)
}, 120_000)
