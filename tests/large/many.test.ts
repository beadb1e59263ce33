import { afterAll, expect, test } from 'vitest'
import { products } from '../../bank/data/products.ts'
import { type BankRun, judgeBank, openProofContext } from '../../proof/run/judge-bank.ts'
import { createTpp } from '../bank/tpp.ts'
import { openDirectory } from '../directory.ts'

const context = await openProofContext(openDirectory())
afterAll(() => context.directory.close())

/** What is not as at the correct bank, each with its message. */
function trouble({ results }: BankRun): string[] {
  return [...results.values()]
    .filter(({ outcome }) => !['pass', 'observed', 'not-applicable'].includes(outcome))
    .map(({ id, outcome, message }) => `${outcome} ${id}: ${message}`)
}

test('a customer with fifty accounts', async () => {
  const run = await judgeBank(context, [], {
    target({ customers }) {
      customers.first.accounts = 50
    },
    prepare({ customers }) {
      const [, card] = customers[0]?.cards ?? []
      if (!card) throw new Error('the first customer has two cards')
      for (let n = 2; n < 50; n += 1) {
        const pan = `492912345${String(n).padStart(6, '0')}`
        customers[0]?.cards.push({
          ...card,
          key: `${card.key}-${n}`,
          pan: pan + checkDigit(pan),
          description: `${card.description} ${n}`,
        })
      }
    },
  })
  expect(trouble(run)).toEqual([])
  expect(run.exitCode).toBe(0)
})

/** The last digit of a card number (ISO/IEC 7812-1). */
function checkDigit(digits: string): number {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return (10 - (sum % 10)) % 10
}

test('five thousand products', async () => {
  const [, one] = products
  const more = Array.from({ length: 5000 - products.length }, (_, n) => ({
    ...one,
    ProductIdentifier: `ARB-CC-${n}`,
    ProductName: `Card ${n}`,
  }))
  products.push(...more)
  try {
    let most = 0
    const run = await judgeBank(context, [], {
      onExchange({ endpoint, response }) {
        const { data } = (response?.json ?? {}) as { data?: unknown[] }
        if (endpoint === 'products' && Array.isArray(data)) most = Math.max(most, data.length)
      },
    })
    expect(trouble(run)).toEqual([])
    expect(most).toBe(5000)
  } finally {
    products.splice(products.length - more.length)
  }
})

test('a customer with two hundred consents', async () => {
  const consents: unknown[] = []
  const run = await judgeBank(context, [], {
    async prepare(bank) {
      const tpp = createTpp(bank)
      await tpp.register()
      for (let n = 0; n < 200; n += 1) consents.push((await tpp.approved()).bearer)
      await tpp.close()
    },
  })
  expect(new Set(consents).size).toBe(200)
  expect(trouble(run)).toEqual([])
  expect(run.exitCode).toBe(0)
})
