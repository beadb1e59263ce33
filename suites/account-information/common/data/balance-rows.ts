import { isDecimal, member, type Row } from '../../../../engine/suite-api/responses.ts'

/** The balances of one account, and how to compare others with them. */
export interface SteadyBalances {
  accountId: string
  rows: Row[]
  /** The values that must be the same, as one text, in any order. */
  key(rows: Row[]): string
  /** The same for a third answer: without amounts where it says another time, because it may be older. */
  keyFor(third: Row[]): (rows: Row[]) => string
}

/**
 * The accounts whose balances are the same in two answers. Amounts and
 * indicators change: they are compared only where both answers agree on them.
 */
export function steadyBalances(first: Row[], second: Row[]): SteadyBalances[] {
  const ids = new Set(first.map((row) => row.AccountId).filter((id) => typeof id === 'string'))
  return [...ids].flatMap((accountId) => {
    const of = (rows: Row[]) => rows.filter((row) => row.AccountId === accountId)
    const rows = of(first)
    const again = of(second)
    const keys = [keyBy(withAmounts), keyBy(withoutAmounts)]
    const key = keys.find((one) => one(rows) === one(again))
    if (!key) return []
    const keyFor = (third: Row[]) => {
      const isOld = timesOf(rows) === timesOf(again) && timesOf(third) !== timesOf(rows)
      return isOld ? keyBy(withoutAmounts) : key
    }
    return [{ accountId: accountId as string, rows, key, keyFor }]
  })
}

const keyBy = (fields: (row: Row) => string) => (rows: Row[]) =>
  JSON.stringify(rows.map(fields).sort())

/** The times of balances as one text, in any order. */
export function timesOf(rows: Row[]): string {
  return rows
    .map(({ DateTime }) => String(DateTime))
    .sort()
    .join()
}

/** The rows of two answers, without CreditLine where one of them shows none: no requirement says that it is shown. */
export function alikeInCreditLine(one: Row[], other: Row[]): [Row[], Row[]] {
  const shows = (rows: Row[]) => rows.some(({ CreditLine }) => [CreditLine ?? []].flat().length > 0)
  if (shows(one) === shows(other)) return [one, other]
  const lean = (rows: Row[]) => rows.map(({ CreditLine: _line, ...row }) => row)
  return [lean(one), lean(other)]
}

function withoutAmounts(row: Row): string {
  const lines = [row.CreditLine ?? []].flat().map((line) => {
    const { Included, Type } = (line ?? {}) as Row
    return JSON.stringify([Included, Type, member(line, 'Amount', 'Currency')])
  })
  return JSON.stringify([row.Type, member(row, 'Amount', 'Currency'), lines.sort()])
}

/** 12.5 and 12.50 are the same amount. */
function amountOf(of: unknown): unknown {
  const amount = member(of, 'Amount', 'Amount')
  return typeof amount === 'string' && isDecimal(amount) ? Number(amount) : amount
}

function withAmounts(row: Row): string {
  const lines = [row.CreditLine ?? []].flat().map(amountOf)
  const amounts = [amountOf(row), row.CreditDebitIndicator, lines.sort()]
  return `${withoutAmounts(row)} ${JSON.stringify(amounts)}`
}
