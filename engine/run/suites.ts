import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { CatalogueError } from '../catalogue/catalogue-error.ts'
import type { NamedConsent } from '../client-session/consent.ts'
import type { Owners } from '../client-session/step-owners.ts'
import type { WrongValue } from '../explore/wrong-values.ts'
import { registeredRules } from '../judge/rule.ts'
import { loadSchemas } from '../judge/schemas.ts'
import { registeredChecks } from '../suite-api/check.ts'

/** The checks and rules of the suites, and the schemas. */
export type Suites = Awaited<ReturnType<typeof importSuites>>

/** Files of a folder of suites: `<document>/<chapter>/….check.ts`, `….rule.ts`, or the same built. */
export function suiteFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(check|rule)\.[jt]s$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

/**
 * Imports every suite of a folder. `instance` imports the files once more, separately from other imports of them; the
 * modules that they import are shared.
 *
 * @throws CatalogueError if a check or rule has an id that specs/ does not know, so that it would belong to no
 *   requirement, and where specs/ names one that nothing defines, so that it would never be judged.
 */
export async function loadSuites(folder: string, catalogue: Catalogue, instance = '') {
  const suites = await importSuites(folder, instance)
  const problems = idProblems(idsOf(suites), catalogue)
  if (problems.length > 0) throw new CatalogueError(problems)
  return suites
}

/** Like loadSuites, without verifying ids. */
export async function importSuites(folder: string, instance = '') {
  for (const file of suiteFiles(folder)) {
    await import(`${pathToFileURL(file).href}${instance}`)
    for (const { id } of [...registeredChecks(), ...registeredRules()]) {
      if (!defined.has(id)) defined.set(id, file)
    }
  }
  return {
    checks: registeredChecks(),
    /** The ids that the engine depends on. */
    owners: ((await importTable(folder, 'owners')) as { owners: Owners }).owners,
    rules: registeredRules(),
    schemas: loadSchemas(),
    /** What is needed to play histories of explore, loaded when one is played. */
    histories: () => loadHistoryParts(folder),
    /** Id of a check or rule → file that defines it; a rule that only a schema states has no file. */
    files: defined as ReadonlyMap<string, string>,
  }
}

/** Ids that are only in the suites, or only in specs/, each with its fix. */
export function idProblems(defined: readonly string[], { owners }: Catalogue): string[] {
  const unknown = defined.filter((id) => !owners.has(id))
  const known = new Set(defined)
  const missing = [...owners].filter(([id]) => !known.has(id))
  return [
    ...unknown.map(
      (id) => `${id} is in no requirement. Add it to the checks of its one in specs/.`,
    ),
    ...missing.map(
      ([id, { place, chapter }]) =>
        `${place}: ${id} is defined nowhere. Write it in suites/${chapter}/.`,
    ),
  ]
}

/** A process imports a file only once, so later loads of suites find the definitions here. */
const defined = new Map<string, string>()

/** The rows of the table of approvals: consents.ts of the suites. */
export async function loadConsents(folder: string): Promise<NamedConsent[]> {
  const rows: unknown[] = Object.values(await importTable(folder, 'consents'))
  const isConsent = (row: unknown): row is NamedConsent =>
    typeof row === 'object' && row !== null && 'permissions' in row && 'name' in row
  return rows.filter(isConsent)
}

/** What is needed to play histories: the tables of approvals and of wrong values (wrong-values.ts of the suites). */
export async function loadHistoryParts(folder: string) {
  const table = (await importTable(folder, 'wrong-values')) as { WRONG_VALUES: WrongValue[] }
  return {
    consents: await loadConsents(folder),
    values: table.WRONG_VALUES as readonly WrongValue[],
  }
}

async function importTable(folder: string, name: string): Promise<object> {
  const file = [`${name}.ts`, `${name}.js`].map((each) => join(folder, each)).find(existsSync)
  if (file === undefined) throw new Error(`${folder} has no ${name}.ts`)
  return import(pathToFileURL(file).href)
}

/** Ids of all checks, rules and statements of schemas, without duplicates. */
export function idsOf({ checks, rules, schemas }: Suites): string[] {
  const stated = schemas.flatMap((schema) => schema.stated.map(({ id }) => id))
  return [...new Set([...checks.map(({ id }) => id), ...rules.map(({ id }) => id), ...stated])]
}
