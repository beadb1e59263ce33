import { isDecimal, member, type Row } from '../../../../engine/suite-api/responses.ts'

/** The balances of one account, and how to compare others with them. */
export interface SteadyBalances {
  accountId: string
  rows: Row[]
  /** The values that must be the same, as one text, in any order. */
  key(rows: Row[]): string
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
    const key = [withAmounts, withoutAmounts]
      .map((fields) => (of: Row[]) => JSON.stringify(of.map(fields).sort()))
      .find((one) => one(rows) === one(of(second)))
    return key ? [{ accountId: accountId as string, rows, key }] : []
  })
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
