import type { TargetDocument } from '../../engine/configuration/target.ts'
import { partsOf } from '../together/grouping.ts'
import { isFound, type Mixed, mixedComplaints, mixedName } from '../together/mixed.ts'
import { inOrder } from '../together/pairs.ts'
import { wrongBlames } from './blames.ts'
import type { Circumstances } from './circumstances.ts'
import { type BankRun, judgeBank, type ProofContext, summed } from './judge-bank.ts'
import { complaints, type Fault, type Judged, surplus, type Variant } from './proof.ts'

/** One proof: what was expected, and the result. */
export interface Proof {
  id: string
  kind: 'fault' | 'variant' | 'pair' | 'mixed' | 'correct' | 'table'
  judged: Judged
  complaints: string[]
  /** Complaints at the first of two tries. */
  atFirst?: string[]
  /** All ids, when several shared the bank. */
  besides?: string
  under?: Circumstances
  /** Others in the same bank hid it: it must be proven again in another group. */
  hidden?: true
}

/** Schedules a part of a group to be proven separately; it has no proof yet. */
export type Later<Each> = (part: Each[]) => void

/** Proves one alteration in this process. */
export async function proveOne(
  context: ProofContext,
  kind: Proof['kind'],
  expected: Fault | Variant,
): Promise<Proof> {
  const alterations = kind === 'correct' ? [] : [expected]
  const run = await judgeBank(context, alterations, { target: expected.target })
  const judged = summed(expected.id, run)
  const found = [...complaints(expected, judged), ...wrongBlames([expected], run.misblames)]
  return { id: expected.id, kind, judged, complaints: found }
}

/**
 * Proves a group that shares a bank. It holds if everything expected and nothing else occurred, and each alteration
 * took effect. If nothing unexpected occurred but some are hidden, the hidden ones are proven later and the others
 * hold. In all other cases the group is proven in parts. Freedoms that are not lawful together also get a proof that
 * does not hold.
 */
export async function proveGroup(
  context: ProofContext,
  kind: Proof['kind'],
  group: (Fault | Variant)[],
  later: Later<Fault | Variant>,
): Promise<Proof[]> {
  const [only] = group
  if (only && group.length === 1) return [await proveOne(context, kind, only)]
  const run = await judgeBank(context, group, { target: targetOf(group) })
  const judged = summed(group.map(({ id }) => id).join(' + '), run)
  const fired = ({ id }: Fault | Variant) => run.firedBy.get(id) ?? 0
  const hidden = hiddenOf(group, judged, run)
  const found = [...surplus(unionOf(kind, group), judged), ...wrongBlames(group, run.misblames)]
  const shared = (each: Fault | Variant): Proof => {
    const { id, warns = [] } = each
    const fails = 'fails' in each ? each.fails : []
    const blocks = 'blocks' in each ? (each.blocks ?? []) : []
    const own = { ...judged, id, fails, warns, blocks, fired: fired(each) }
    return { id, kind, judged: own, complaints: [], besides: judged.id }
  }
  if (hidden.length === 0 && found.length === 0) return group.map(shared)
  if (kind === 'fault' && found.length === 0 && hidden.length < group.length) {
    return group.map((each) =>
      hidden.includes(each) ? { ...shared(each), hidden: true } : shared(each),
    )
  }
  if (kind === 'variant' && found.length === 0 && hidden.length < group.length) {
    later(hidden)
    return group.filter((each) => !hidden.includes(each)).map(shared)
  }
  for (const part of partsOf(group, (each) => hidden.includes(each))) later(part)
  if (kind !== 'variant' || found.length === 0) return []
  return [{ id: judged.id, kind: 'pair', judged, complaints: found }]
}

/** The members of a group that did not take effect, or whose expected ids did not all occur. */
export function hiddenOf<Each extends Fault | Variant>(
  group: Each[],
  judged: Judged,
  { firedBy }: Pick<BankRun, 'firedBy'>,
): Each[] {
  const fired = (each: Each) => firedBy.has(each.id) || ('silent' in each && each.silent === true)
  return group.filter((each) => !fired(each) || !shows(each, judged))
}

/** The changes of the target file for all alterations of a group. */
export const targetOf = (group: (Fault | Variant)[]) => (document: TargetDocument) => {
  for (const { target } of group) target?.(document)
}

/** Did everything occur that is expected of this fault or freedom? */
function shows(each: Fault | Variant, { fails, warns, blocks }: Judged): boolean {
  const failing = 'fails' in each ? each.fails : []
  const blocking = 'blocks' in each ? (each.blocks ?? []) : []
  return (
    failing.every((id) => fails.includes(id)) &&
    (each.warns ?? []).every((id) => warns.includes(id)) &&
    blocking.every((id) => blocks.includes(id))
  )
}

/**
 * Proves that faults are also found at a bank with freedoms. If one of several pairs in a bank is not found, it is
 * proven alone.
 */
export async function proveMixed(
  context: ProofContext,
  pairs: Mixed[],
  later: Later<Mixed>,
): Promise<Proof[]> {
  const faults = pairs.map(([fault]) => fault)
  // Freedoms that rewrite whole bodies must also apply to the faults' bodies.
  const freedoms = inOrder(pairs.map(([, variant]) => variant))
  const run = await judgeBank(context, [...freedoms, ...faults])
  const chapterOfId = (each: string) => context.catalogue.owners.get(each)?.chapter
  const besides = pairs.length > 1 ? pairs.map(mixedName).join(' + ') : undefined
  const proofs: Proof[] = []
  for (const mixed of pairs) {
    const [fault] = mixed
    const id = mixedName(mixed)
    const judged = { ...summed(id, run), fired: run.firedBy.get(fault.id) ?? 0 }
    const others = faults.filter((other) => other !== fault)
    const found = judged.fired > 0 && isFound(fault, judged, chapterOfId, others)
    if (others.length > 0 && !(found && judged.errors.length === 0)) {
      later([mixed])
      continue
    }
    const complaints = mixedComplaints(mixed, judged, chapterOfId)
    proofs.push({ id, kind: 'mixed', judged, complaints, besides })
  }
  return proofs
}

/** What is expected of a bank with all these alterations. */
export function unionOf(kind: 'variant', group: (Fault | Variant)[]): Variant
export function unionOf(kind: Proof['kind'], group: (Fault | Variant)[]): Fault | Variant
export function unionOf(kind: Proof['kind'], group: (Fault | Variant)[]): Fault | Variant {
  const id = group.map((each) => each.id).join(' + ')
  const warns = group.flatMap((each) => each.warns ?? [])
  const blocks = group.flatMap((each) => ('blocks' in each ? (each.blocks ?? []) : []))
  if (kind !== 'fault') return { id, story: '', warns, blocks }
  const fails = group.flatMap((each) => ('fails' in each ? each.fails : []))
  return { id, story: '', fails, warns, because: 'several faults' }
}
