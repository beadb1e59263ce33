import type { Catalogue, Requirement } from '../catalogue/catalogue.ts'
import type { Context } from '../client-session/context.ts'
import { type Case, requirementOfFound } from '../explore/case-file.ts'
import type { SuiteCheck } from '../suite-api/check.ts'

/** A case that a run judges as one more check. */
export interface KeptCase extends Case {
  /** Made from its requirement and the name of its file. */
  id: string
  /** The file as the user named it. */
  file: string
}

/** The catalogue of a run including these cases, and the checks that judge them. */
export function withKeptCases(
  documented: Catalogue,
  cases: readonly KeptCase[] = [],
): { catalogue: Catalogue; cases: SuiteCheck[] } {
  const catalogue = withCases(documented, cases)
  return { catalogue, cases: cases.map((one) => caseCheck(one, catalogue)) }
}

/** Adds the cases to the checks of their requirements in the catalogue. */
function withCases(catalogue: Catalogue, cases: readonly KeptCase[]): Catalogue {
  if (cases.length === 0) return catalogue
  const requirements = new Map(catalogue.requirements)
  const owners = new Map(catalogue.owners)
  for (const { id, found } of cases) {
    const of = requirementOfFound(found, { ...catalogue, requirements }) as Requirement
    const requirement = { ...of, checks: [...of.checks, id] }
    requirements.set(of.id, requirement)
    for (const check of requirement.checks) owners.set(check, requirement)
  }
  return { ...catalogue, requirements, owners }
}

/** A case as a check: it is judged by its original finding, and blocked by any other violation that ends it. */
function caseCheck({ id, found, moves }: KeptCase, catalogue: Catalogue): SuiteCheck {
  const requirement = requirementOfFound(found, catalogue) as Requirement
  const run = ({ observe, playHistory }: Pick<Context, 'observe' | 'playHistory'>) =>
    playHistory({ id, of: found, moves }, observe)
  return { id, title: `${requirement.text.replace(/\.$/, '')} (a kept case)`, options: {}, run }
}
