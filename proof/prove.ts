import { createHash } from 'node:crypto'
import { faultsInCompany, variantsInCompany } from './company.ts'
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
  /** Both ids, where another one shared the bank. */
  besides?: string
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

/**
 * Proves those who share a bank: together when all that was expected of both came and nothing else,
 * and each was seen to fire; otherwise one by one. Two freedoms that are not lawful together are a
 * proof of their own, which does not hold.
 */
export async function proveCompany(
  workshop: Workshop,
  kind: Proof['kind'],
  company: (Fault | Variant)[],
): Promise<Proof[]> {
  const alone = () => oneByOne(workshop, kind, company)
  if (company.length < 2) return alone()
  const run = await judgeBank(workshop, company)
  const judged = summed(company.map(({ id }) => id).join(' + '), run)
  const found = complaints(unionOf(kind, company), { ...judged, fired: 1 })
  const fired = ({ id }: Fault | Variant) => run.firedBy.get(id) ?? 0
  const unseen = company.some((each) => fired(each) === 0 && !('silent' in each && each.silent))
  if (found.length === 0 && !unseen) {
    return company.map((each) => {
      const { id, warns = [] } = each
      const fails = 'fails' in each ? each.fails : []
      const own = { ...judged, id, fails, warns, fired: fired(each) }
      return { id, kind, judged: own, complaints: [], besides: judged.id }
    })
  }
  if (kind !== 'variant' || found.length === 0) return alone()
  return [{ id: judged.id, kind: 'pair', judged, complaints: found }, ...(await alone())]
}

async function oneByOne(
  workshop: Workshop,
  kind: Proof['kind'],
  all: (Fault | Variant)[],
): Promise<Proof[]> {
  const proofs: Proof[] = []
  for (const each of all) proofs.push(await proveOne(workshop, kind, each))
  return proofs
}

/** What is expected of a bank that is altered in all these ways. */
function unionOf(kind: Proof['kind'], company: (Fault | Variant)[]): Fault | Variant {
  const id = company.map((each) => each.id).join(' + ')
  const warns = company.flatMap((each) => each.warns ?? [])
  if (kind !== 'fault') return { id, story: '', warns }
  const fails = company.flatMap((each) => ('fails' in each ? each.fails : []))
  return { id, story: '', fails, warns, because: 'two faults' }
}

/** Pairs of freedoms that one bank could take, drawn at random. */
export async function pairsToMake(
  count: number,
  seed: number,
): Promise<{ kind: 'pair'; expected: Variant }[]> {
  const drawn = drawPairs(await loadVariants(), count, seed)
  return drawn.map((both) => ({ kind: 'pair', expected: together(both) }))
}

/** Everything there is to prove, two at a time where they can share a bank. */
export async function companies(): Promise<{ seed: number; jobs: Job[] }> {
  const [faults, variants] = await Promise.all([loadFaults(), loadVariants()])
  const seed = seedOf(variants.map(({ id }) => id))
  const jobOf = (kind: Job['kind'], company: { id: string }[]) => ({
    kind,
    ids: company.map(({ id }) => id),
  })
  return {
    seed,
    jobs: [
      jobOf('correct', [CORRECT]),
      ...faultsInCompany(faults).map((company) => jobOf('fault', company)),
      ...variantsInCompany(variants, seed).map((company) => jobOf('variant', company)),
    ],
  }
}

/** What one bank is to prove. */
export interface Job {
  kind: Proof['kind']
  ids: string[]
}

/** The same pairs as long as the variants are the same: a build that fails fails again. */
function seedOf(ids: string[]): number {
  return createHash('sha256').update(ids.join('\n')).digest().readUInt32BE()
}

/** A fault or variant that nobody wrote. */
export class UnknownProof extends Error {}

/**
 * What is to be proven: everything, or what is named.
 *
 * @throws UnknownProof
 */
export async function proofsToMake(
  faults: string[],
  variants: string[],
): Promise<{ kind: Proof['kind']; expected: Fault | Variant }[]> {
  const whole = faults.length + variants.length === 0
  const pick = (kind: 'fault' | 'variant', all: (Fault | Variant)[], ids: string[]) =>
    (whole ? all.map(({ id }) => id) : ids).map((id) => {
      const expected = all.find((each) => each.id === id)
      if (!expected) throw new UnknownProof(`no ${kind} is called ${id}`)
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
