/** Numbers from 0 (inclusive) to 1 (exclusive) that depend only on a seed: mulberry32 by Tommy Ettinger. */
export type Random = () => number

/** @param seed any integer */
export function randomOf(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A random item, chosen in proportion to its weight. Undefined if there is none. */
export function pick<Item>(random: Random, items: readonly Item[], weight: (item: Item) => number) {
  const weights = items.map(weight)
  const whole = weights.reduce((sum, one) => sum + one, 0)
  let left = random() * whole
  for (const [index, item] of items.entries()) {
    left -= weights[index] ?? 0
    if (left < 0) return item
  }
  return items.at(-1)
}
