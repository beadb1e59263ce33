import { beforeAll, describe, expect, test } from 'vitest'
import { causesOf } from '../../engine/report/causes.ts'
import { createEvidence } from '../../engine/report/evidence-index.ts'
import type { CheckResult, ExchangeRecord } from '../../engine/report/report.ts'
import { type Recording, recorded } from './recorded.ts'

let run: Recording

beforeAll(async () => {
  run = await recorded('correct')
}, 900_000)

/** The causes of a real run, with some of its exchanges and checks otherwise. */
function causes(
  change: (exchange: ExchangeRecord) => ExchangeRecord,
  broken: (exchange: ExchangeRecord) => Partial<CheckResult> | undefined,
) {
  const evidence = createEvidence()
  const exchanges = run.exchanges.map(change)
  for (const exchange of exchanges) evidence.note(exchange)
  // One check of its own for each exchange that is condemned.
  const free = run.report.checks.filter(({ kind }) => kind === 'check')
  const found = exchanges.flatMap((exchange) => {
    const more = broken(exchange)
    const check = more && free.shift()
    return check ? [{ ...check, outcome: 'fail' as const, exchanges: [exchange.id], ...more }] : []
  })
  return causesOf([...found, ...free], evidence)
}

const answered = (exchange: ExchangeRecord, status: number, body = '{}'): ExchangeRecord => ({
  ...exchange,
  response: { status, headers: [], body, bytes: body.length },
})

const correct = ({ about }: ExchangeRecord) => about.deviation === undefined
const some = (endpoints: string[]) => {
  const left = new Set(endpoints)
  return (exchange: ExchangeRecord) => correct(exchange) && left.delete(exchange.endpoint)
}

describe('one cause', () => {
  test('a clock that is an hour ahead, wherever it shows', () => {
    const created = some(['create-account-access-consent', 'create-funds-confirmation-consent'])
    const [cause, ...others] = causes(
      (exchange) => {
        if (!exchange.endpoint.startsWith('create-') || !exchange.response) return exchange
        const at = new Date(Date.parse(exchange.startedAt) + 3_600_000).toISOString()
        const body = exchange.response.body.replace(
          /"CreationDateTime":"[^"]*"/,
          `"CreationDateTime":"${at}"`,
        )
        return { ...exchange, response: { ...exchange.response, body } }
      },
      (exchange) =>
        created(exchange) ? { place: '/Data/CreationDateTime', message: 'not now' } : undefined,
    )
    expect(cause).toMatchObject({ title: 'the bank’s clock is 3600 s ahead', whose: 'bank' })
    expect(cause?.findings).toHaveLength(2)
    expect(others).toEqual([])
  })

  test('one answer to correct requests at several endpoints', () => {
    const endpoints = ['accounts', 'balances', 'transactions']
    const picked = some(endpoints)
    const ids = new Set(run.exchanges.filter(picked).map(({ id }) => id))
    const body = '{"error":"busy"}'
    const [cause, ...others] = causes(
      (exchange) => (ids.has(exchange.id) ? answered(exchange, 429, body) : exchange),
      ({ id }) =>
        ids.has(id) ? { expected: '200', actual: '429', message: 'answered 429' } : undefined,
    )
    expect(cause).toMatchObject({
      title: 'correct requests are answered 429 (busy)',
    })
    expect(cause?.where?.split(', ').sort()).toEqual([
      'GET /accounts',
      'GET /balances',
      'GET /transactions',
    ])
    expect(others).toEqual([])
  })

  test('two findings about one exchange that went wrong', () => {
    const picked = some(['discovery'])
    const id = run.exchanges.find(picked)?.id
    const [cause, ...others] = causes(
      (exchange) => (exchange.id === id ? answered(exchange, 500, '') : exchange),
      (exchange) => (exchange.id === id ? { message: 'answered 500' } : undefined),
    )
    expect([cause?.title, cause?.findings.length]).toEqual(['answered 500', 1])
    expect(others).toEqual([])
  })

  test('the same member, wrong in the same way', () => {
    const picked = some(['accounts', 'balances', 'transactions'])
    const [cause, ...others] = causes(
      (exchange) => exchange,
      (exchange) =>
        picked(exchange)
          ? { place: '/Data/Row/0/AccountId', expected: 'a text', message: 'AccountId is 7' }
          : undefined,
    )
    expect([cause?.title, cause?.findings.length]).toEqual(['AccountId is 7', 3])
    expect(others).toEqual([])
  })
})

describe('not one cause', () => {
  test('different members of one answer', () => {
    const picked = some(['accounts'])
    const id = run.exchanges.find(picked)?.id
    let n = 0
    const found = causes(
      (exchange) => exchange,
      (exchange) =>
        exchange.id === id
          ? { place: `/Data/Account/0/M${n++}`, expected: 'x', message: 'wrong' }
          : undefined,
    )
    expect(found).toHaveLength(1)
    const other = causesOf(
      ['Currency', 'AccountType'].map((member, i) => ({
        ...(run.report.checks[i] as CheckResult),
        outcome: 'fail' as const,
        exchanges: [id ?? ''],
        place: `/Data/Account/0/${member}`,
        expected: member,
        message: `${member} is wrong`,
      })),
      createEvidence(),
    )
    expect(other).toHaveLength(2)
  })

  test('different deviations that are accepted', () => {
    const deviations = new Map(
      run.exchanges
        .filter(({ about }) => typeof about.deviation === 'string')
        .map((exchange) => [exchange.about.deviation, exchange.id]),
    )
    const ids = [...deviations.values()].slice(0, 2)
    const found = causes(
      (exchange) => (ids.includes(exchange.id) ? answered(exchange, 200) : exchange),
      ({ id }) => (ids.includes(id) ? { message: 'not refused' } : undefined),
    )
    expect(found).toHaveLength(2)
  })
})

test('AccountIds that change from call to call explain what seems to lack data', {
  timeout: 300_000,
}, async () => {
  const { report } = await recorded('unstable')
  expect(report.summary.blocked).toBeGreaterThan(10)
  expect(report.causes.map(({ findings }) => findings)).toEqual([['ACC-04/second-call']])
  expect(report.causes[0]?.blocks).toHaveLength(report.summary.blocked)
})
