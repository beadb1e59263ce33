import { createHash } from 'node:crypto'

/**
 * Where a draw puts these ids, from 0 to 1. The seed and the ids alone decide, so that whoever comes or
 * goes leaves the others where they were.
 */
export function placeOf(seed: number, ...ids: string[]): number {
  const digest = createHash('sha256')
    .update([seed, ...ids].join('\n'))
    .digest()
  return digest.readUInt32BE() / 2 ** 32
}

/** In the order of a draw. */
export function drawn<Each extends { id: string }[]>(groups: Each[], seed: number): Each[] {
  return groups
    .map((group) => ({ group, place: placeOf(seed, ...group.map(({ id }) => id)) }))
    .sort((one, other) => one.place - other.place)
    .map(({ group }) => group)
}
