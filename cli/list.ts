import { join } from 'node:path'
import { loadCatalogue, type Requirement } from '../engine/catalogue/catalogue.ts'
import { inCore, inScope, type Scope } from '../engine/run/scope.ts'
import { idsOf, loadSuites } from '../engine/run/suites.ts'

/** What a run with this scope would judge: a line each, or a list in JSON. */
export async function list(scope: Scope, json = false): Promise<void> {
  const catalogue = loadCatalogue()
  const suites = await loadSuites(join(import.meta.dirname, '..', 'suites'), catalogue)
  const rows: Row[] = []
  const checks = new Map(suites.checks.map((check) => [check.id, check]))
  for (const id of idsOf(suites)) {
    const check = checks.get(id)
    if (!inScope(id, catalogue, scope)) continue
    if (scope.profile === 'core' && check && !inCore(check)) continue
    const { level, chapter, text } = catalogue.owners.get(id) as Requirement
    rows.push({ id, level, kind: check ? 'check' : 'rule', chapter, title: check?.title ?? text })
  }
  if (json) console.log(JSON.stringify(rows, null, 2))
  else for (const row of rows) console.log(Object.values(row).join('  '))
}

interface Row {
  id: string
  level: string
  kind: 'check' | 'rule'
  chapter: string
  title: string
}
