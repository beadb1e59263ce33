import { createHash, randomBytes } from 'node:crypto'
import { returnedNonce, returnedState } from './values/returned-text.ts'
import type { Seed } from './values/returned-text-rows.ts'
import type { Value, ValueType } from './values/value-type.ts'

/** Texts that visits send and expect back: each visit has a different row of its table, and each run draws again. */

/** Texts that are short or easy to guess are not used for visits on which other checks rely. */
const UNUSUAL = /unusual/

export const stateFor = drawnFrom(returnedState)

export const nonceFor = drawnFrom(returnedNonce)

function drawnFrom(type: ValueType<Seed, string>) {
  const rows = type.parts
    .filter(({ part }) => !UNUSUAL.test(part))
    .flatMap(({ rows = [] }): readonly Value<Seed, string>[] => rows)
    .filter(({ lawful, level }) => lawful && level !== 'observe')
  /** @param purpose what the visit is for. */
  return (purpose: string) =>
    (seed: number): string => {
      const digest = createHash('sha256').update(`${seed}\n${purpose}`).digest()
      const row = rows[digest.readUInt32BE() % rows.length]
      const random = randomBytes(12).toString('hex')
      return row?.make({ seed: random }) ?? random
    }
}
