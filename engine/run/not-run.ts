import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Result } from '../judge/results.ts'
import { createRuleEngine } from '../judge/rule-engine.ts'
import { ruleInScope, type Scope } from './scope.ts'
import type { Suites } from './suites.ts'

/** A check that the run did not come to. */
export function notRun(
  check: { id: string; title: string },
  catalogue: Catalogue,
  why = 'the run ended before it',
): Result {
  const requirement = catalogue.owners.get(check.id)
  return {
    id: check.id,
    requirement: requirement?.id ?? '',
    level: requirement?.level ?? 'observe',
    kind: 'check',
    title: check.title,
    outcome: 'not-run',
    message: why,
    exchanges: [],
    durationMs: 0,
  }
}

/** Adds what was planned, and every rule in scope, to the results that a run came to. */
export function addNotRun(
  results: Map<string, Result>,
  isPlanned: (check: Suites['checks'][number]) => boolean,
  { checks, rules, schemas }: Suites,
  { catalogue, scope, why }: { catalogue: Catalogue; scope: Scope; why: string },
): void {
  for (const check of checks) {
    if (results.has(check.id) || !isPlanned(check)) continue
    results.set(check.id, notRun(check, catalogue, why))
  }
  for (const rule of createRuleEngine(schemas, rules, {}).states()) {
    if (results.has(rule.id) || !ruleInScope(rule, catalogue, scope)) continue
    results.set(rule.id, { ...notRun(rule, catalogue, why), kind: 'rule' })
  }
}
