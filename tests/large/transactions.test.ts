import { afterAll, describe, expect, test } from 'vitest'
import type { Row } from '../../bank/data/transactions.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { Policies } from '../../bank/policies.ts'
import { judgeBank, openProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'

const context = await openProofContext(openDirectory())
afterAll(() => context.directory.close())

const TRANSACTIONS = 100_000
/** The 99,999th: nearly the oldest. */
const LAST = 99_998

/** Does something to one row, far behind, wherever it is answered. */
function atTheLast(
  change: (correct: Policies, is: (row: Row) => boolean) => Partial<Policies>,
): Alteration {
  return {
    id: 'far-behind',
    story: 'Something is wrong with one row, far behind.',
    policies(correct, { fired }) {
      let last: string | undefined
      const is = ({ id }: Row) => {
        if (id !== last) return false
        fired()
        return true
      }
      return {
        rowsBooked(rows, accountId, endpoint) {
          last ??= rows[LAST]?.id
          return correct.rowsBooked(rows, accountId, endpoint)
        },
        ...change(correct, is),
      }
    },
  }
}

/** What `--only` of these finds wrong at a bank with one hundred thousand transactions. */
async function found(alterations: Alteration[], only: string[]) {
  let most = 0
  const { results, firedBy } = await judgeBank(context, alterations, {
    bank: { transactions: TRANSACTIONS },
    scope: { profile: 'full', only },
    onExchange({ endpoint, response }) {
      const { Data } = (response?.json ?? {}) as { Data?: { Transaction?: unknown[] } }
      if (endpoint.endsWith('transactions')) most = Math.max(most, Data?.Transaction?.length ?? 0)
    },
  })
  expect(most).toBeGreaterThan(LAST)
  for (const { id } of alterations) expect(firedBy.get(id)).toBeGreaterThan(0)
  return [...results.values()].filter(({ outcome }) => ['fail', 'warn', 'error'].includes(outcome))
}

const only = ['TXN-16/from-alone', 'TXN-28/second-read', 'TXN-04']

describe('a fault in row 99,999', () => {
  test('none: the rows are judged, and right', async () => {
    expect(await found([], only)).toEqual([])
  })

  test('an amount that is no text', async () => {
    const fault = atTheLast((correct, is) => ({
      transactionView(accountId, row, detail, spelling) {
        const view = correct.transactionView(accountId, row, detail, spelling)
        return is(row) ? { ...view, Amount: { Amount: 12.5, Currency: 'GBP' } } : view
      },
    }))
    const wrong = await found([fault], only)
    expect(wrong.map(({ id }) => id)).toEqual(['TXN-04/amount-string'])
    expect(wrong[0]?.place).toContain(`/${LAST}/`)
  })

  test('a row that the filter fromBookingDateTime lets through', async () => {
    const fault = atTheLast((correct, is) => ({
      bookedWithin: (row, period, endpoint) =>
        correct.bookedWithin(row, period, endpoint) || is(row),
    }))
    const wrong = await found([fault], only)
    expect(wrong.map(({ id }) => id)).toEqual(['TXN-16/from-alone'])
  })

  test('a row that is missing in every other answer', async () => {
    let answers = 0
    const fault = atTheLast((correct, is) => ({
      rowsAnswered(rows, accountId, endpoint) {
        const right = correct.rowsAnswered(rows, accountId, endpoint)
        if (rows.length <= LAST || endpoint !== 'transactions') return right
        answers += 1
        return answers % 2 === 0 ? right.filter((row) => !is(row)) : right
      },
    }))
    const wrong = await found([fault], only)
    expect(wrong.map(({ id }) => id)).toEqual(['TXN-28/second-read'])
  })
})
