import { createHash } from 'node:crypto'

/**
 * The position of these ids in a draw, from 0 to 1. It depends only on the seed and the ids, so adding or removing
 * others does not change it.
 */
export function placeOf(seed: number, ...ids: string[]): number {
  const digest = createHash('sha256')
    .update([seed, ...ids].join('\n'))
    .digest()
  return digest.readUInt32BE() / 2 ** 32
}

/** Sorted by their position in a draw. */
export function drawn<Each extends { id: string }[]>(groups: Each[], seed: number): Each[] {
  return groups
    .map((group) => ({ group, place: placeOf(seed, ...group.map(({ id }) => id)) }))
    .sort((one, other) => one.place - other.place)
    .map(({ group }) => group)
}
