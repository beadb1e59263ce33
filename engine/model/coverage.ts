/** How often moves followed each other, in all histories of an exploration. */
export type Coverage = ReturnType<typeof createCoverage>

export interface Counted {
  name: string
  count: number
}

/** Counts events, and pairs and triples of consecutive events. */
export function createCoverage() {
  const counts = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const keyOf = (events: readonly string[]) => events.join(' → ')
  return {
    /** A weight for how often this event followed the previous ones; the end of a triple weighs most. */
    seen(before: readonly string[], event: string): number {
      const recent = [...before.slice(-2), event]
      return recent
        .map((_, index) => recent.slice(index))
        .reduce((sum, one) => sum + (counts[one.length - 1]?.get(keyOf(one)) ?? 0) ** 0.5, 0)
    },
    note(before: readonly string[], event: string): void {
      const recent = [...before.slice(-2), event]
      for (const [index] of recent.entries()) {
        const one = recent.slice(index)
        const of = counts[one.length - 1]
        of?.set(keyOf(one), (of.get(keyOf(one)) ?? 0) + 1)
      }
    },
    /** Events, the most frequent first. */
    events: (): Counted[] =>
      [...(counts[0] ?? [])]
        .map(([name, count]) => ({ name, count }))
        .sort((one, other) => other.count - one.count),
    /** Number of different events, pairs and triples. */
    figures: () => counts.map((of) => of.size),
  }
}
