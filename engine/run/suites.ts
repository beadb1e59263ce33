import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { NamedConsent } from '../journey/consent.ts'
import type { SuiteCheck } from '../journey/context.ts'
import { registeredChecks } from '../judge/check.ts'
import { type Rule, registeredRules } from '../judge/rule.ts'
import { loadSchemas, type ResponseSchema } from '../judge/schemas.ts'

/** Everything that judges: the checks and rules of the suites, and the schemas. */
export interface Suites {
  checks: SuiteCheck[]
  rules: readonly Rule[]
  schemas: ResponseSchema[]
}

/** Files of a folder of suites: `<chapter>.check.ts`, `<chapter>.rule.ts`, or the same built. */
export function suiteFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(check|rule)\.[jt]s$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

/**
 * Imports every suite of a folder. Throws when a check or rule has an id that specs/ does not know:
 * it would judge on nobody's behalf.
 */
export async function loadSuites(folder: string, catalogue: Catalogue): Promise<Suites> {
  for (const file of suiteFiles(folder)) await import(pathToFileURL(file).href)
  const suites = registeredSuites()
  const unknown = idsOf(suites).filter((id) => !catalogue.owners.has(id))
  if (unknown.length > 0) {
    throw new Error(
      `not in specs/: ${unknown.join(', ')}. Add each to the checks of its requirement.`,
    )
  }
  return suites
}

/** The rows of the table of approvals, consents.ts, in the order in which they are asked for. */
export async function loadConsents(folder: string): Promise<NamedConsent[]> {
  const file = ['consents.ts', 'consents.js'].map((name) => join(folder, name)).find(existsSync)
  if (file === undefined) return []
  const rows: unknown[] = Object.values(await import(pathToFileURL(file).href))
  return rows.filter(
    (row): row is NamedConsent =>
      typeof row === 'object' && row !== null && 'permissions' in row && 'name' in row,
  )
}

/** Only what judges every exchange, for a runner that brings the checks itself. */
export async function loadRules(folder: string): Promise<Suites> {
  const files = suiteFiles(folder).filter((file) => file.includes('.rule.'))
  for (const file of files) await import(pathToFileURL(file).href)
  return registeredSuites()
}

function registeredSuites(): Suites {
  return {
    checks: registeredChecks() as SuiteCheck[],
    rules: registeredRules(),
    schemas: loadSchemas(),
  }
}

/** Ids of everything that judges, once each. */
export function idsOf({ checks, rules, schemas }: Suites): string[] {
  const stated = schemas.flatMap((schema) => schema.stated.map(({ id }) => id))
  return [...new Set([...checks.map(({ id }) => id), ...rules.map(({ id }) => id), ...stated])]
}
