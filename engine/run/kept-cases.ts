import type { Catalogue, Requirement } from '../catalogue/catalogue.ts'
import type { Context } from '../client-session/context.ts'
import { type Case, requirementOfFound } from '../explore/case-file.ts'
import type { SuiteCheck } from '../suite-api/check.ts'

/** A case that a run judges as one check more. */
export interface KeptCase extends Case {
  /** By its requirement and the name of its file. */
  id: string
  /** As it was named. */
  file: string
}

/** The catalogue of a run with these cases, and the checks that judge them. */
export function withKeptCases(
  documented: Catalogue,
  cases: readonly KeptCase[] = [],
): { catalogue: Catalogue; cases: SuiteCheck[] } {
  const catalogue = withCases(documented, cases)
  return { catalogue, cases: cases.map((one) => caseCheck(one, catalogue)) }
}

/** The catalogue with the cases among the checks of their requirements. */
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

/** A case as a check: it is judged by what it found once, and blocked by whatever else ends it. */
function caseCheck({ id, found, moves }: KeptCase, catalogue: Catalogue): SuiteCheck {
  const requirement = requirementOfFound(found, catalogue) as Requirement
  const run = ({ observe, playHistory }: Pick<Context, 'observe' | 'playHistory'>) =>
    playHistory({ id, of: found, moves }, observe)
  return { id, title: `${requirement.text.replace(/\.$/, '')} (a kept case)`, options: {}, run }
}
