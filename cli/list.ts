import { loadCatalogue, type Requirement } from '../engine/catalogue/catalogue.ts'
import { checkInScope, ruleInScope, type Scope } from '../engine/run/scope.ts'
import { idsOf, loadSuites } from '../engine/run/suites.ts'
import { SUITES } from './folders.ts'

/** What a run with this scope would judge: a line each, or a list in JSON. */
export async function list(scope: Scope, json = false): Promise<void> {
  const catalogue = loadCatalogue()
  const suites = await loadSuites(SUITES, catalogue)
  const checks = new Map(suites.checks.map((check) => [check.id, check]))
  const rules = new Map(suites.rules.map((rule) => [rule.id, rule]))
  const rows = idsOf(suites).flatMap((id) => {
    const check = checks.get(id)
    const chosen = check
      ? checkInScope(check, catalogue, scope)
      : ruleInScope(rules.get(id) ?? { id }, catalogue, scope)
    if (!chosen) return []
    const { level, chapter, text } = catalogue.owners.get(id) as Requirement
    return [{ id, level, kind: check ? 'check' : 'rule', chapter, title: check?.title ?? text }]
  })
  if (json) console.log(JSON.stringify(rows, null, 2))
  else for (const row of rows) console.log(Object.values(row).join('  '))
}
