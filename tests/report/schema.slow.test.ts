import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { Report } from '../../engine/report/report.ts'
import { hostileRun } from './hostile.ts'
import { copied, recorded } from './recorded.ts'

const every = await recorded('every')

const ajv = new Ajv2020({ allErrors: true })
const compile = (name: string) =>
  ajv.compile(
    JSON.parse(
      readFileSync(new URL(`../../schemas/assay/${name}`, import.meta.url), 'utf8'),
    ) as object,
  )
const report = compile('report.schema.json')
const exchange = compile('exchange.schema.json')

describe('schemas/assay/report.schema.json', () => {
  test('takes a report with every outcome', () => {
    report(every.report)
    expect(report.errors).toBeNull()
    const outcomes = new Set(every.report.checks.map((check) => check.outcome))
    expect(outcomes.size).toBe(8)
  })

  test('takes whatever a bank wrote into it', async () => {
    report((await hostileRun()).report)
    expect(report.errors).toBeNull()
  })

  const wrong: [string, (r: Report) => void][] = [
    ['an unknown outcome', (r) => Object.assign(r.checks[0] as object, { outcome: 'ok' })],
    ['an exit code that is none', (r) => Object.assign(r, { exitCode: 7 })],
    ['a time that is not UTC', (r) => Object.assign(r, { startedAt: '2026-03-02T02:00:00+01:00' })],
    ['no musts', (r) => Object.assign(r, { musts: undefined })],
    ['a summary with another word', (r) => Object.assign(r.summary, { skipped: 1 })],
  ]
  test.each(wrong)('refuses %s', (_, spoil) => {
    const { report: spoilt } = copied(every)
    spoil(spoilt)
    expect(report(JSON.parse(JSON.stringify(spoilt)))).toBe(false)
  })
})

test('schemas/assay/exchange.schema.json takes every line, and no line without its hash', async () => {
  for (const record of [...every.exchanges, ...(await hostileRun()).exchanges]) {
    exchange(record)
    expect(exchange.errors).toBeNull()
  }
  expect(exchange({ ...every.exchanges[0], hash: undefined })).toBe(false)
})
