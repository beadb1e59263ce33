import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalogue } from '../catalogue/catalogue.ts'
import type { Result } from '../judge/results.ts'
import { createRuleEngine } from '../judge/rule-engine.ts'
import { writeWhole } from '../record/write-whole.ts'
import type { PreflightLine } from '../report/report.ts'
import { composeReport } from './compose.ts'
import { type Assignment, notRun, targetOf } from './judging-process.ts'
import { inCore, inScope, ruleInScope } from './scope.ts'
import { loadSuites } from './suites.ts'

/** Writes the report of a run that could not begin: nothing in it is judged, and it says why. */
export async function writeUnjudged(
  assignment: Assignment,
  preflight: PreflightLine[],
  startedAt: Date,
): Promise<void> {
  const { scope, out, version } = assignment
  const catalogue = loadCatalogue()
  const { checks, rules, schemas } = await loadSuites(assignment.suites, catalogue)
  const why = preflight.find(({ level }) => level === 'wrong')?.text ?? 'the bank was not reached'
  const results = new Map<string, Result>()
  for (const check of checks) {
    if (!inScope(check.id, catalogue, scope)) continue
    if (scope.profile !== 'core' || inCore(check)) {
      results.set(check.id, notRun(check, catalogue, why))
    }
  }
  for (const rule of createRuleEngine(schemas, rules, {}).states()) {
    if (results.has(rule.id) || !ruleInScope(rule, catalogue, scope)) continue
    results.set(rule.id, { ...notRun(rule, catalogue, why), kind: 'rule' })
  }
  const report = composeReport({
    version,
    target: targetOf(assignment),
    scope,
    startedAt,
    finishedAt: new Date(),
    catalogue,
    results,
    observations: [],
    approvals: [],
    requests: 0,
    evidence: new Map(),
    latency: [],
    leftBehind: [],
    partial: why,
    preflight,
    // A list of known deviations says nothing of a bank that nobody saw.
    redact: (text) => text,
  })
  writeWhole(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(out, 'exchanges.jsonl'), '')
}
