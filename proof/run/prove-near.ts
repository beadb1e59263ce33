import type { Catalogue } from '../../engine/catalogue/catalogue.ts'
import { chaptersToRun } from './chapters.ts'
import { judgeBank, type ProofContext, summed } from './judge-bank.ts'
import { complaints, type Fault, surplus, type Variant } from './proof.ts'
import { type Later, type Proof, proveGroup, targetOf, unionOf } from './prove.ts'

/**
 * Proves what concerns these checks, requirements or chapters by a run that judges little else: of faults what they
 * name, of others that nothing wrong is said. What does not hold there is proven by the whole suite.
 */
export async function proveNear(
  context: ProofContext,
  kind: Proof['kind'],
  group: (Fault | Variant)[],
  near: string[],
  later: Later<Fault | Variant>,
): Promise<Proof[]> {
  const wanted = kind === 'fault' ? group.flatMap(namedBy) : near
  const within = (id: string) => covers(wanted, id, context.catalogue)
  const only = [...wanted, ...chaptersOfRules(context, within)]
  const scope = { profile: 'full' as const, only }
  const run = await judgeBank(underAll(context), group, { scope, target: targetOf(group) })
  const judged = summed(group.map(({ id }) => id).join(' + '), run)
  const { warns = [], blocks = [], ...expected } = expectedOf(kind, group)
  // One freedom may keep another from showing itself, and none need do so here.
  const complain = kind === 'variant' && group.length > 1 ? surplus : complaints
  const found = complain(
    { ...expected, warns: warns.filter(within), blocks: blocks.filter(within) },
    {
      ...judged,
      fired: kind === 'fault' ? run.firedBy.size : 1,
      warns: judged.warns.filter(within),
      blocks: judged.blocks.filter(within),
    },
  )
  if (found.length > 0) return proveGroup(context, kind, group, later)
  const besides = group.length > 1 ? judged.id : undefined
  return group.map(({ id }) => ({ id, kind, judged, complaints: [], besides }))
}

/** The same, where each check asks for every approval under which it is judged in a whole run. */
function underAll(context: ProofContext): ProofContext {
  const checks = context.suites.checks.map((check) => {
    const { uses = [], over = [], beside = [] } = check.options
    return { ...check, options: { ...check.options, uses: [...uses, ...over, ...beside] } }
  })
  return { ...context, suites: { ...context.suites, checks } }
}

const namedBy = (each: Fault | Variant) => [
  ...('fails' in each ? each.fails : []),
  ...(each.warns ?? []),
]

function expectedOf(kind: Proof['kind'], group: (Fault | Variant)[]): Fault & Variant {
  return { fails: [], ...unionOf(kind, group) }
}

/** Is an id one of these, or of one of these requirements or chapters? */
function covers(words: string[], id: string, { owners }: Catalogue): boolean {
  const chapter = owners.get(id)?.chapter
  return words.some((word) => word === id || word === chapter || id.startsWith(`${word}/`))
}

/** A rule judges what others ask for: the chapters of which a run is made that shows it something. */
function chaptersOfRules(
  { catalogue, suites }: ProofContext,
  within: (id: string) => boolean,
): string[] {
  const checks = new Set(suites.checks.map(({ id }) => id))
  // Some judge every other exchange under the id of a check.
  const also = new Set(suites.rules.map(({ id }) => id))
  const judges = (id: string) => also.has(id) || !checks.has(id)
  const rules = [...catalogue.owners].filter(([id]) => within(id) && judges(id))
  return chaptersToRun([...new Set(rules.map(([, { chapter }]) => chapter))])
}
