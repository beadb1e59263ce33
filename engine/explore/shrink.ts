import { consentsOf, type History, meaningful } from '../model/moves.ts'

/** Returns whether this history still finds the same. */
export type Repeats = (history: History) => Promise<boolean>

/**
 * The shortest history found that still finds the same. First all moves with other consents than those of the last move
 * are left out at once, since most findings need none of them; then ever smaller parts (delta debugging, Zeller and
 * Hildebrandt 2002). The last move, which found it, is kept.
 *
 * @param tries maximum number of histories that are played
 */
export async function shrunk(history: History, repeats: Repeats, tries: number): Promise<History> {
  let best = history
  let left = tries
  const alone = ofItsConsents(history)
  if (alone.length < history.length && left > 0) {
    left -= 1
    if (await repeats(alone)) best = alone
  }
  let size = Math.floor(best.length / 2)
  while (size >= 1 && left > 0) {
    const before = best.length
    for (let end = best.length - 1; end > 0 && left > 0; end -= size) {
      const candidate = without(best, Math.max(0, end - size), end)
      if (!candidate) continue
      left -= 1
      if (await repeats(candidate)) best = candidate
      end = Math.min(end, best.length - 1 + size)
    }
    const unchanged = best.length === before
    size = Math.min(unchanged ? Math.floor(size / 2) : size, Math.max(1, best.length - 1))
  }
  return best
}

/** A history without a part and without moves that depend on it; undefined if this removes its last move. */
function without(history: History, start: number, end: number): History | undefined {
  const rest = meaningful([...history.slice(0, start), ...history.slice(end)])
  return rest.at(-1) === history.at(-1) ? rest : undefined
}

/** The moves that concern a consent of the last move. */
function ofItsConsents(history: History): History {
  const consents = consentsOf(history)
  const wanted = consents.at(-1) ?? []
  if (wanted.length === 0) return history
  return meaningful(
    history.filter((_, at) => consents[at]?.some((consent) => wanted.includes(consent))),
  )
}
