import { causesOf } from '../../engine/report/causes.ts'
import type { Evidence } from '../../engine/report/evidence-index.ts'
import { checkResult } from '../../engine/run/compose.ts'
import type { Finished } from '../../engine/run/run.ts'
import type { Fault, Variant } from './proof.ts'

/** A cause that a report of this run attributes to the user's file, the customers' data or the network. */
export interface Misblame {
  whose: string
  title: string
  /** Ids of the checks that cannot be judged because of it. */
  blocks: readonly string[]
}

/** Checks that report such a cause even though the target is correct, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'BAL-02/asked-account-only':
    'A rule that looks at what other checks ask: where several faults share a bank, none asks what it could judge.',
  'TXN-22/empty-window': 'Where customers buy something every day, no window is empty.',
  'TXN-40/bulk-and-single':
    'Pending rows come and go, and a bank that books as it is asked may have none at the moment.',
}

/** The causes of a run that are not attributed to the bank. */
export function misblamesOf(
  { results }: Pick<Finished, 'results'>,
  evidence: Evidence,
): Misblame[] {
  const checks = [...results.values()].map((result) => checkResult(result, (text) => text))
  return causesOf(checks, evidence)
    .filter(({ whose }) => whose === 'configuration' || whose === 'network')
    .map(({ whose, title, blocks }) => ({ whose, title, blocks }))
}

/**
 * The causes that must not be there, because the target of a proof is correct and reaches the bank. A bank that blocks
 * musts, or that has another target, may have such causes.
 */
export function wrongBlames(
  group: readonly (Fault | Variant)[],
  misblames: readonly Misblame[],
): string[] {
  const isPoor = (each: Fault | Variant) =>
    each.target !== undefined || ('blocks' in each && (each.blocks ?? []).length > 0)
  if (group.some(isPoor)) return []
  return misblames.flatMap(({ whose, title, blocks }) => {
    const unexplained = blocks.filter((id) => EXCEPTIONS[id] === undefined)
    if (unexplained.length === 0) return []
    return `blame: ${unexplained.join(', ')} is said to be of the ${whose}: ${title}`
  })
}
