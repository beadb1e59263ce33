import { judgeBank, openWorkshop, summed, type Workshop } from './judge-bank.ts'
import { loadFaults, loadVariants } from './load.ts'
import { complaints, type Fault, type Judged, type Variant } from './proof.ts'

/** One proof: what was expected of it, and what came. */
export interface Proof {
  id: string
  kind: 'fault' | 'variant' | 'correct'
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
  return { id: expected.id, kind, judged, complaints: complaints(expected, judged) }
}

/** Everything there is to prove, or what is named. Throws on an unknown id. */
export async function proofsToMake(
  faults: string[],
  variants: string[],
): Promise<{ kind: Proof['kind']; expected: Fault | Variant }[]> {
  const all = {
    fault: new Map((await loadFaults()).map((fault) => [fault.id, fault])),
    variant: new Map((await loadVariants()).map((variant) => [variant.id, variant])),
  }
  const pick = (kind: 'fault' | 'variant', ids: string[]) =>
    ids.map((id) => {
      const expected = all[kind].get(id)
      if (!expected) throw new Error(`no ${kind} is called ${id}`)
      return { kind, expected }
    })
  if (faults.length + variants.length > 0) {
    return [...pick('fault', faults), ...pick('variant', variants)]
  }
  return [
    { kind: 'correct', expected: CORRECT },
    ...pick('fault', [...all.fault.keys()]),
    ...pick('variant', [...all.variant.keys()]),
  ]
}

export { openWorkshop }
