import { join } from 'node:path'
import { loadCatalogue, type Requirement } from '../engine/catalogue/catalogue.ts'
import { inCore, inScope, type Scope } from '../engine/run/scope.ts'
import { idsOf, loadSuites } from '../engine/run/suites.ts'

/** What a run with this scope would judge, a line each. */
export async function list(scope: Scope): Promise<void> {
  const catalogue = loadCatalogue()
  const suites = await loadSuites(join(import.meta.dirname, '..', 'suites'), catalogue)
  const checks = new Map(suites.checks.map((check) => [check.id, check]))
  for (const id of idsOf(suites)) {
    const check = checks.get(id)
    if (!inScope(id, catalogue, scope)) continue
    if (scope.profile === 'core' && check && !inCore(check)) continue
    const { level, chapter, text } = catalogue.owners.get(id) as Requirement
    console.log([id, level, check ? 'check' : 'rule', chapter, check?.title ?? text].join('  '))
  }
}
