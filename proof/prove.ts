import { inParts } from './grouping.ts'
import { judgeBank, type ProofContext, summed } from './judge-bank.ts'
import { type Mixed, mixedComplaints } from './mixed.ts'
import { complaints, type Fault, type Judged, type Variant } from './proof.ts'

/** One proof: what was expected of it, and what came. */
export interface Proof {
  id: string
  kind: 'fault' | 'variant' | 'pair' | 'mixed' | 'correct'
  judged: Judged
  complaints: string[]
  /** What did not hold at the first of two tries. */
  atFirst?: string[]
  /** All ids, where others shared the bank. */
  besides?: string
}

/** Proves one alteration in this process. */
export async function proveOne(
  context: ProofContext,
  kind: Proof['kind'],
  expected: Fault | Variant,
): Promise<Proof> {
  const alterations = kind === 'correct' ? [] : [expected]
  const run = await judgeBank(context, alterations, { target: expected.target })
  const judged = summed(expected.id, run)
  const found = complaints(expected, judged)
  // One freedom may hide what the other alone warns of or blocks.
  const hidden = (complaint: string) => kind === 'pair' && complaint.endsWith('was expected')
  return { id: expected.id, kind, judged, complaints: found.filter((each) => !hidden(each)) }
}

/**
 * Proves that nothing of these chapters condemns a lawful bank. What other chapters would say, and
 * whether the freedom showed itself elsewhere, is left to the whole proof.
 */
export async function proveWithin(
  context: ProofContext,
  group: (Fault | Variant)[],
  chapters: string[],
): Promise<Proof[]> {
  const within = (id: string) => chapters.includes(context.catalogue.owners.get(id)?.chapter ?? '')
  const scope = { profile: 'full' as const, only: chapters }
  const { target } = group[0] ?? {}
  const run = await judgeBank(context, group, { scope, target })
  const judged = summed(group.map(({ id }) => id).join(' + '), run)
  const expected = unionOf('variant', group)
  const found = complaints(
    {
      ...expected,
      warns: expected.warns?.filter(within),
      blocks: expected.blocks?.filter(within),
    },
    {
      ...judged,
      fired: 1,
      warns: judged.warns.filter(within),
      blocks: judged.blocks.filter(within),
    },
  )
  const besides = group.length > 1 ? judged.id : undefined
  return group.map(({ id }) => ({ id, kind: 'variant', judged, complaints: found, besides }))
}

/**
 * Proves those who share a bank: together when all that was expected of each came and nothing else,
 * and each was seen to fire; otherwise in parts. Freedoms that are not lawful together are a proof of
 * their own, which does not hold.
 */
export async function proveGroup(
  context: ProofContext,
  kind: Proof['kind'],
  group: (Fault | Variant)[],
): Promise<Proof[]> {
  const [only] = group
  if (only && group.length === 1) return [await proveOne(context, kind, only)]
  const run = await judgeBank(context, group)
  const judged = summed(group.map(({ id }) => id).join(' + '), run)
  const found = complaints(unionOf(kind, group), { ...judged, fired: 1 })
  const fired = ({ id }: Fault | Variant) => run.firedBy.get(id) ?? 0
  const unseen = (each: Fault | Variant) => fired(each) === 0 && !('silent' in each && each.silent)
  if (found.length === 0 && !group.some(unseen)) {
    return group.map((each) => {
      const { id, warns = [] } = each
      const fails = 'fails' in each ? each.fails : []
      const own = { ...judged, id, fails, warns, fired: fired(each) }
      return { id, kind, judged: own, complaints: [], besides: judged.id }
    })
  }
  const hidden = (each: Fault | Variant) => unseen(each) || !shows(each, judged)
  const apart = await inParts(group, hidden, (part) => proveGroup(context, kind, part))
  if (kind !== 'variant' || found.length === 0) return apart
  return [{ id: judged.id, kind: 'pair', judged, complaints: found }, ...apart]
}

/** Is everything there that a fault is to show? */
function shows(each: Fault | Variant, { fails, warns }: Judged): boolean {
  const failing = 'fails' in each ? each.fails : []
  return (
    failing.every((id) => fails.includes(id)) &&
    (each.warns ?? []).every((id) => warns.includes(id))
  )
}

/** Proves that a fault is found at a bank that takes a freedom as well. */
export async function proveMixed(context: ProofContext, mixed: Mixed): Promise<Proof> {
  const [fault, variant] = mixed
  // What the freedom does to whole bodies is done to the fault's as well.
  const run = await judgeBank(context, [variant, fault])
  const id = `${fault.id} + ${variant.id}`
  const chapterOfId = (each: string) => context.catalogue.owners.get(each)?.chapter
  const judged = { ...summed(id, run), fired: run.firedBy.get(fault.id) ?? 0 }
  return { id, kind: 'mixed', judged, complaints: mixedComplaints(mixed, judged, chapterOfId) }
}

/** What is expected of a bank that is altered in all these ways. */
function unionOf(kind: 'variant', group: (Fault | Variant)[]): Variant
function unionOf(kind: Proof['kind'], group: (Fault | Variant)[]): Fault | Variant
function unionOf(kind: Proof['kind'], group: (Fault | Variant)[]): Fault | Variant {
  const id = group.map((each) => each.id).join(' + ')
  const warns = group.flatMap((each) => each.warns ?? [])
  const blocks = group.flatMap((each) => ('blocks' in each ? (each.blocks ?? []) : []))
  if (kind !== 'fault') return { id, story: '', warns, blocks }
  const fails = group.flatMap((each) => ('fails' in each ? each.fails : []))
  return { id, story: '', fails, warns, because: 'several faults' }
}
