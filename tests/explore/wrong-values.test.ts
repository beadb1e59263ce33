import { expect, test } from 'vitest'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { WRONG_VALUES } from '../../suites/wrong-values.ts'

const asked = WRONG_VALUES.flatMap(({ name, checks }) =>
  Object.entries(checks).map(([operation, check]) => ({ name, operation, check })),
)

test('every wrong value of a history is judged by a check that there is', () => {
  const { owners } = loadCatalogue()
  expect(asked.filter(({ check }) => !owners.has(check))).toEqual([])
})

test('a name, a request and a check are one value', () => {
  const keys = asked.map(({ name, operation, check }) => `${name} ${operation} ${check}`)
  expect(keys).toEqual([...new Set(keys)])
})

test('no part of the table of wrong values is without rows', () => {
  const checks = new Set(asked.map(({ check }) => check))
  expect([...checks]).toEqual(
    expect.arrayContaining([
      ...['SEC-01/no-certificate', 'SEC-02/forwarded', 'SEC-03/query-without', 'SEC-07/account'],
      ...['ACC-13/unknown-id', 'CONS-23/invalid-id', 'CLC-07/invalid-token', 'SEC-12/in-the-query'],
      ...['TOK-07/audience', 'TOK-24/other-tokens', 'AUTHZ-08/similar', 'AUTHZ-11/rs256'],
    ]),
  )
  expect(asked.length).toBeGreaterThan(900)
})
