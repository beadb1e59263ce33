import { allure2 } from '@allurereport/reader'
import { BufferResultFile } from '@allurereport/reader-api'
import { describe, expect, test } from 'vitest'
import { allureResults } from '../../engine/report/allure.ts'
import type { Report } from '../../engine/report/report.ts'
import { hostileRun } from './hostile.ts'
import { copied, recorded } from './recorded.ts'

const every = await recorded('every')

interface Read {
  name: string
  status: string
  historyId: string
  message?: string
  trace?: string
  labels: { name: string; value: string }[]
  links: { name: string; url: string; type: string }[]
  steps: { type: string; originalFileName: string; name: string }[]
}

/** The results as Allure 3 reads them, and the attachment files that it found. */
async function read(files: Map<string, string>) {
  const results: Read[] = []
  const attachments: string[] = []
  const metadata: object[] = []
  const visitor = {
    visitTestResult: async (result: Read) => void results.push(result),
    visitAttachmentFile: async (file: BufferResultFile) =>
      void attachments.push(file.getOriginalFileName()),
    visitMetadata: async (facts: object) => void metadata.push(facts),
  }
  for (const [name, content] of files) {
    const file = new BufferResultFile(Buffer.from(content), name)
    expect(allure2.matches?.(file)).toBe(true)
    expect(await allure2.read(visitor as never, file)).toBe(true)
  }
  return { results, attachments, metadata }
}

const outcomeOf = (result: Read) => result.labels.find(({ name }) => name === 'tag')?.value

describe('allure-results/', () => {
  test('is read by Allure, each outcome as the table says', async () => {
    const { results, metadata } = await read(allureResults(every.report, every.exchanges))
    const found = new Set(results.map((result) => `${outcomeOf(result)} ${result.status}`))
    expect([...found].sort()).toEqual([
      'blocked broken',
      'blocked skipped', // of a should
      'error broken',
      'fail failed',
      'fail skipped', // covered by a known deviation
      'not-applicable skipped',
      'not-run skipped',
      'observed skipped',
      'pass passed',
      'warn passed',
    ])
    expect(JSON.stringify(metadata)).toContain('Musts without a verdict')
    expect(
      results.filter(({ status }) => status !== 'passed').every(({ message }) => message),
    ).toBe(true)
  })

  test('names epic, feature, story, and links the requirement', async () => {
    const { results } = await read(allureResults(every.report, every.exchanges))
    const result = results.find(({ name }) => name.startsWith('TXN-17/to-alone '))
    const label = (name: string) => result?.labels.find((l) => l.name === name)?.value
    expect([label('epic'), label('feature'), label('story'), label('severity')]).toEqual([
      'account-information',
      'transactions',
      'TXN-17',
      'critical',
    ])
    expect(result?.links).toMatchObject([
      { name: 'TXN-17', url: 'report.html#TXN-17', type: 'tms' },
    ])
  })

  test('shows the lines of the body around what is wrong', async () => {
    const { results } = await read(allureResults(every.report, every.exchanges))
    const failed = results.find(({ name }) => name.startsWith('ACC-05/gbp '))
    expect(failed?.trace).toMatch(/\n> *\d+ +"Currency": "EUR",\n/)
  })

  test('keeps the history id from run to run, whatever else changes', async () => {
    const ids = async (report: Report) =>
      (await read(allureResults(report, []))).results.map(({ historyId }) => historyId).sort()
    const { report: later } = copied(every, { startedAt: '2027-01-01T00:00:00.000Z' })
    for (const check of later.checks) Object.assign(check, { title: 'other', outcome: 'pass' })
    const first = await ids(every.report)
    expect(new Set(first).size).toBe(first.length)
    expect(await ids(later)).toEqual(first)
  })

  test('attaches exchange, control and curl to what did not pass, and every file is there', async () => {
    const files = allureResults(every.report, every.exchanges)
    const { results, attachments } = await read(files)
    const steps = results.flatMap((result) =>
      result.steps.filter(({ type }) => type === 'attachment'),
    )
    expect(new Set(steps.map((step) => step.originalFileName))).toEqual(new Set(attachments))
    const failed = results.find(({ name }) => name.startsWith('SEC-01/no-certificate '))
    // One more for each other cell that broke.
    expect(new Set(failed?.steps.map(({ name }) => name.split(' ')[0]))).toEqual(
      new Set(['exchange', 'more', 'control', 'curl']),
    )
  })

  test('stays readable whatever a bank sends', async () => {
    const { report, exchanges } = await hostileRun()
    const { results } = await read(allureResults(report, exchanges))
    expect(results).toHaveLength(report.checks.length)
    expect(results.some(({ message }) => message?.includes('\u001b'))).toBe(false)
  })
})
