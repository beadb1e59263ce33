/** Merchants and addresses of transactions, and whether they move from one transaction to another. */

/** The merchant, or the address, of rows by their key. */
export type Names = ReadonlyMap<string, string>

/** So many rows show that something is wrong with all of them, and not by chance. */
export const MANY = 6

/** Rows that show names of other rows, where so many do that it is no chance. */
export function movedIn(before: Names, now: Names): string[] {
  const common = [...now.keys()].filter((row) => before.has(row))
  const changed = common.filter((row) => now.get(row) !== before.get(row))
  if (changed.length < MANY || changed.length * 2 < common.length) return []
  const known = new Set(before.values())
  const shown = new Set(now.values())
  const gone = new Set(changed.map((row) => before.get(row)))
  const isOfOthers = changed.every((row) => known.has(now.get(row) ?? ''))
  const left = [...gone].filter((name) => shown.has(name ?? '')).length
  return isOfOthers && left * 2 >= gone.size ? changed : []
}
