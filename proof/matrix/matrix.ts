import type { Catalogue } from '../../engine/catalogue/catalogue.ts'
import { idsOf, type Suites } from '../../engine/run/suites.ts'
import type { Proof } from '../run/prove.ts'

/** The result of all proofs together. */
export interface Matrix {
  /** Fault → the ids that failed or warned because of it. */
  caught: Record<string, string[]>
  /** Checks and rules that no fault catches. */
  uncaught: string[]
  /** Faults that nothing catches. */
  harmless: string[]
  faults: number
  variants: number
  /** Share of faults that at least one id caught. */
  killRate: number
  /** Variants at which something failed that should not fail. */
  falseAlarms: string[]
}

/**
 * Combines proofs into the matrix. `mutants` are ids that generated mutants of recorded answers broke; they catch rules
 * that a schema states.
 */
export function matrixOf(
  proofs: Proof[],
  suites: Suites,
  catalogue: Catalogue,
  mutants: ReadonlySet<string>,
): Matrix {
  const faults = proofs.filter(({ kind }) => kind === 'fault')
  const tables = proofs.filter(
    ({ kind, complaints }) => kind === 'table' && complaints.length === 0,
  )
  const variants = proofs.filter(({ kind }) => !['fault', 'mixed', 'table'].includes(kind))
  const caught = Object.fromEntries(
    faults.map(({ id, judged }) => [id, [...judged.fails, ...judged.warns]]),
  )
  const seen = new Set([...Object.values(caught).flat(), ...tables.map(({ id }) => id), ...mutants])
  const judging = idsOf(suites).filter((id) => catalogue.owners.get(id)?.level !== 'observe')
  const killed = faults.filter(({ id }) => (caught[id] ?? []).length > 0)
  return {
    caught,
    uncaught: judging.filter((id) => !seen.has(id)),
    harmless: faults.filter((fault) => !killed.includes(fault)).map(({ id }) => id),
    faults: faults.length,
    variants: variants.length,
    killRate: faults.length === 0 ? 0 : killed.length / faults.length,
    falseAlarms: variants.filter(({ complaints }) => complaints.length > 0).map(({ id }) => id),
  }
}
