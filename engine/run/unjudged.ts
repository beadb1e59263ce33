import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalogue } from '../catalogue/catalogue.ts'
import type { Result } from '../judge/results.ts'
import type { PreflightLine } from '../report/report.ts'
import type { SuiteCheck } from '../suite-api/check.ts'
import { composeReport, writeReport } from './compose.ts'
import { type Assignment, targetOf } from './judging-process.ts'
import { addNotRun } from './not-run.ts'
import { checkInScope } from './scope.ts'
import { loadSuites } from './suites.ts'

/** Writes the report of a run that could not begin: nothing in it is judged, and it says why. */
export async function writeUnjudged(
  assignment: Assignment,
  preflight: PreflightLine[],
  startedAt: Date,
): Promise<void> {
  const { scope, out, version } = assignment
  const catalogue = loadCatalogue()
  const suites = await loadSuites(assignment.suites, catalogue)
  const why = preflight.find(({ level }) => level === 'wrong')?.text ?? 'the bank was not reached'
  const results = new Map<string, Result>()
  const planned = (check: SuiteCheck) => checkInScope(check, catalogue, scope)
  addNotRun(results, planned, suites, { catalogue, scope, why })
  const report = composeReport({
    version,
    target: targetOf(assignment),
    scope,
    startedAt,
    finishedAt: new Date(),
    catalogue,
    results,
    requests: 0,
    evidence: new Map(),
    partial: why,
    preflight,
    // A list of known deviations says nothing of a bank that nobody saw.
    redact: (text) => text,
  })
  writeReport(out, report)
  writeFileSync(join(out, 'exchanges.jsonl'), '')
}
