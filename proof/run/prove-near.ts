import type { Catalogue } from '../../engine/catalogue/catalogue.ts'
import { chaptersToRun } from './chapters.ts'
import { judgeBank, type ProofContext, summed } from './judge-bank.ts'
import { complaints, type Fault, surplus, type Variant } from './proof.ts'
import { type Later, type Proof, proveGroup, targetOf, unionOf } from './prove.ts'

/**
 * Proves what concerns these checks, requirements or chapters by a run that judges little else: faults must be reported
 * as expected, and nothing else may be reported. What does not hold there is proven by the whole suite.
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
  // One freedom may hide another, so here a freedom need not take effect.
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

/** The same, with each check under every approval that it has in a whole run. */
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

/** Is the id in this list, or does it belong to a requirement or chapter in it? */
function covers(words: string[], id: string, { owners }: Catalogue): boolean {
  const chapter = owners.get(id)?.chapter
  return words.some((word) => word === id || word === chapter || id.startsWith(`${word}/`))
}

/** Chapters that a run needs so that these rules, which judge the requests of other checks, have something to judge. */
function chaptersOfRules(
  { catalogue, suites }: ProofContext,
  within: (id: string) => boolean,
): string[] {
  const checks = new Set(suites.checks.map(({ id }) => id))
  // Some rules judge other exchanges under the id of a check.
  const also = new Set(suites.rules.map(({ id }) => id))
  const judges = (id: string) => also.has(id) || !checks.has(id)
  const rules = [...catalogue.owners].filter(([id]) => within(id) && judges(id))
  return chaptersToRun([...new Set(rules.map(([, { chapter }]) => chapter))])
}
