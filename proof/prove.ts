import { createHash } from 'node:crypto'
import { judgeBank, summed, type Workshop } from './judge-bank.ts'
import { loadFaults, loadVariants } from './load.ts'
import { drawPairs, together } from './pairs.ts'
import { complaints, type Fault, type Judged, type Variant } from './proof.ts'

/** One proof: what was expected of it, and what came. */
export interface Proof {
  id: string
  kind: 'fault' | 'variant' | 'pair' | 'correct'
  judged: Judged
  complaints: string[]
}

/** The correct bank, as a variant that takes no freedom. */
const CORRECT: Variant = {
  id: 'correct',
  story: 'The reference bank as it is.',
  silent: true,
}

/** Proves one alteration in this process. */
export async function proveOne(
  workshop: Workshop,
  kind: Proof['kind'],
  expected: Fault | Variant,
): Promise<Proof> {
  const alterations = kind === 'correct' ? [] : [expected]
  const run = await judgeBank(workshop, alterations, { target: expected.target })
  const judged = summed(expected.id, run)
  const found = complaints(expected, judged)
  // One freedom may hide what the other alone warns of or blocks.
  const hidden = (complaint: string) => kind === 'pair' && complaint.endsWith('was expected')
  return { id: expected.id, kind, judged, complaints: found.filter((each) => !hidden(each)) }
}

/** Pairs of variants in a whole proof. */
const PAIRS = 16

/** Pairs of freedoms that one bank could take, drawn at random. */
export async function pairsToMake(
  count = PAIRS,
  seed?: number,
): Promise<{ seed: number; pairs: { kind: 'pair'; expected: Variant }[] }> {
  const variants = await loadVariants()
  const steady = seed ?? seedOf(variants.map(({ id }) => id))
  const drawn = drawPairs(variants, count, steady)
  return {
    seed: steady,
    pairs: drawn.map((both) => ({ kind: 'pair' as const, expected: together(both) })),
  }
}

/** The same pairs as long as the variants are the same: a build that fails fails again. */
function seedOf(ids: string[]): number {
  return createHash('sha256').update(ids.join('\n')).digest().readUInt32BE()
}

/** What is to be proven: everything, or what is named. Throws on an unknown id. */
export async function proofsToMake(
  faults: string[],
  variants: string[],
): Promise<{ kind: Proof['kind']; expected: Fault | Variant }[]> {
  const whole = faults.length + variants.length === 0
  const pick = (kind: 'fault' | 'variant', all: (Fault | Variant)[], ids: string[]) =>
    (whole ? all.map(({ id }) => id) : ids).map((id) => {
      const expected = all.find((each) => each.id === id)
      if (!expected) throw new Error(`no ${kind} is called ${id}`)
      return { kind, expected }
    })
  return [
    ...(whole ? [theCorrectBank] : []),
    ...(whole || faults.length > 0 ? pick('fault', await loadFaults(), faults) : []),
    ...(whole || variants.length > 0 ? pick('variant', await loadVariants(), variants) : []),
  ]
}

/** The reference bank as it is: nothing fails, warns or is blocked. */
export const theCorrectBank = { kind: 'correct' as const, expected: CORRECT }
