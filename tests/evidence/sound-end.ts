import { join } from 'node:path'
import { expect } from 'vitest'
import { readJournal } from '../../engine/run/journal.ts'
import { filesIn, reportOf } from './cli.ts'

const REPORTS = [
  'report.json',
  'report.html',
  'exchanges.jsonl',
  'junit.xml',
  'ctrf.json',
  'step-summary.md',
  'observations.json',
  'test-result.intoto.json',
  'assay.prom',
]

/** Nothing of a correct bank is held against it. */
export const BLAMELESS = { fail: 0, warn: 0, error: 0 }

/**
 * What holds however a run ends: reports are there, no result is lost, nobody reads our code.
 *
 * @param said what was written to the terminal, by the name of the stream.
 */
export function soundEnd(out: string, said: Record<string, string>) {
  const texts = filesIn(out).map(
    ([file, content]) => [file.slice(out.length + 1), content] as const,
  )
  const names = texts.map(([name]) => name)
  expect(names, said.stderr).toEqual(expect.arrayContaining(REPORTS))
  expect(names.some((name) => name.startsWith('allure-results/'))).toBe(true)
  for (const [name, text] of [...Object.entries(said), ...texts]) {
    expect(text, name).not.toMatch(/\n\s+at .+:\d+:\d+\)?/)
  }
  const report = reportOf(out)
  const outcomes = new Map(report.checks.map(({ id, outcome }) => [id, outcome]))
  const journal = join(out, 'judged.jsonl')
  const judged = readJournal(journal, 'judged').map(({ result }) => result)
  const planned = readJournal(journal, 'start').flatMap(({ checks }) => checks)
  expect(planned.filter((id) => !outcomes.has(id))).toEqual([])
  // Only a rule over the same sentence, or what a later check shows, takes something away.
  for (const { id, outcome } of judged) {
    if (outcome === 'pass') expect(['pass', 'fail', 'warn'], id).toContain(outcomes.get(id))
    else if (outcome !== 'blocked') expect(outcomes.get(id), id).toBe(outcome)
  }
  const { summary } = report
  expect(Object.values(summary).reduce((sum, n) => sum + n, 0)).toBe(report.checks.length)
  return { report, judged }
}
