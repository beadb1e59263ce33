import type { Catalogue, Requirement } from '../catalogue/catalogue.ts'
import type { PlayHistory, Session } from '../client-session/session.ts'
import { currentTrace } from '../client-session/trace.ts'
import { requirementOfFound } from '../explore/case-file.ts'
import { type Parts, playCase } from '../explore/explore.ts'
import { blockBy, Nonconformance } from '../judge/outcome.ts'

/** What is needed to play histories, besides the catalogue. */
export type HistoryParts = Omit<Parts, 'catalogue'>

/**
 * Judges a history as a check of one requirement. A violation that occurs twice is its finding. A violation of another
 * requirement ends the history and blocks the check. A violation that occurs once in two times is recorded.
 *
 * @param load loads what is needed to play histories, when the first one is played.
 */
export function historyPlayer(
  session: Session,
  catalogue: Catalogue,
  load: () => Promise<HistoryParts>,
): PlayHistory {
  let loaded: Promise<HistoryParts> | undefined
  return async ({ id, of, moves }, observe) => {
    loaded ??= load()
    const requirement = requirementOfFound(of, catalogue) as Requirement
    const { finding, stopped, exchanges } = await playCase(
      session,
      { catalogue, ...(await loaded) },
      moves,
      id,
    )
    currentTrace()?.exchanges.push(...exchanges)
    if (stopped) throw stopped
    if (!finding) return
    const { found, repeats } = finding
    const exchange = exchanges.find((each) => each.id === found.exchange)
    if (!repeats) return observe(`${id}, once of two times`, found.message, exchange)
    const broken = requirementOfFound(found.id, catalogue)
    if (broken?.id !== requirement.id) {
      const isCheck = broken?.checks.includes(found.id)
      const [owner = found.id] = isCheck ? [found.id] : (broken?.checks ?? [])
      blockBy(owner, `the case ended before, with ${found.id}: ${found.message}`, exchange)
    }
    const { message, expected, actual, place } = found
    throw new Nonconformance({
      ...{ message, expected, actual },
      ...(place && { place }),
      ...(exchange && { exchange }),
    })
  }
}
