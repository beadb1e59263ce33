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

/** Members of a credit line: no requirement says that they, or the line itself, are shown. */
const OF_A_LINE = ['Type', 'Included', 'Amount']

/** The rows of two answers, with what both show of credit lines. */
export function alikeInCreditLine(one: Row[], other: Row[]): [Row[], Row[]] {
  const lean = leanIn(one, other)
  return [one.map(lean), other.map(lean)]
}

/**
 * Leaves in a balance what two answers show of credit lines: those of the same types, and the same members of them. A line
 * that one of them shows, while the other shows another in its place, is not left out.
 */
export function leanIn(one: Row[], other: Row[]): (row: Row) => Row {
  const [here, there] = [shownOfLines(one), shownOfLines(other)]
  const names = here.names.filter((name) => there.names.includes(name))
  const types = here.types.filter((type) => there.types.includes(type))
  const isMore = types.length === Math.min(here.types.length, there.types.length)
  return (row) => ({
    ...row,
    CreditLine: linesOf(row)
      .filter((line) => !isMore || types.includes(typeOf(line)))
      .map((line) => Object.fromEntries(names.map((name) => [name, member(line, name)]))),
  })
}

const linesOf = ({ CreditLine }: Row): unknown[] => [CreditLine ?? []].flat()

const typeOf = (line: unknown) => JSON.stringify(member(line, 'Type'))

/** The types of the credit lines, and the names of their members, each once. */
function shownOfLines(rows: Row[]): { types: string[]; names: string[] } {
  const lines = rows.flatMap(linesOf)
  const isShown = (name: string) => lines.some((line) => (member(line, name) ?? null) !== null)
  return { types: [...new Set(lines.map(typeOf))], names: OF_A_LINE.filter(isShown) }
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
