import type { Catalogue, Requirement } from '../catalogue/catalogue.ts'
import type { Context } from '../client-session/context.ts'
import type { Session } from '../client-session/session.ts'
import { currentTrace } from '../client-session/trace.ts'
import { type Case, requirementOfFound } from '../explore/case-file.ts'
import { type Parts, playCase } from '../explore/explore.ts'
import { blockBy, Nonconformance } from '../judge/outcome.ts'
import type { SuiteCheck } from '../suite-api/check.ts'
import { loadHistoryParts } from './suites.ts'

/** A case that a run judges as one check more. */
export interface KeptCase extends Case {
  /** By its requirement and the name of its file. */
  id: string
  /** As it was named. */
  file: string
}

/** The catalogue of a run with these cases, and what judges them. */
export async function loadCases(
  cases: readonly KeptCase[] | undefined,
  documented: Catalogue,
  suites: string,
) {
  if (!cases) return { catalogue: documented, checksFor: () => [] }
  const catalogue = withCases(documented, cases)
  const parts = { catalogue, ...(await loadHistoryParts(suites)) }
  return {
    catalogue,
    checksFor: (session: Session): SuiteCheck[] =>
      cases.map((one) => caseCheck(one, session, parts)),
  }
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
function caseCheck({ id, found, moves }: KeptCase, session: Session, parts: Parts): SuiteCheck {
  const requirement = requirementOfFound(found, parts.catalogue) as Requirement
  const run = async ({ observe }: Pick<Context, 'observe'>) => {
    const { finding, stopped, exchanges } = await playCase(session, parts, moves)
    currentTrace()?.exchanges.push(...exchanges)
    if (stopped) throw stopped
    if (!finding) return
    const { found: now, repeats } = finding
    const exchange = exchanges.find((each) => each.id === now.exchange)
    if (!repeats) return observe(`${id}, once of two times`, now.message, exchange)
    const of = requirementOfFound(now.id, parts.catalogue)
    if (of?.id !== requirement.id) {
      const [owner = now.id] = of?.checks.includes(now.id) ? [now.id] : (of?.checks ?? [])
      blockBy(owner, `the case ended before, with ${now.id}: ${now.message}`, exchange)
    }
    const { message, expected, actual, place } = now
    throw new Nonconformance({
      message,
      expected,
      actual,
      ...(place && { place }),
      ...(exchange && { exchange }),
    })
  }
  return { id, title: `${requirement.text.replace(/\.$/, '')} (a kept case)`, options: {}, run }
}
