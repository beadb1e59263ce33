import type { Level } from '../../engine/suite-api/check.ts'

/**
 * Values of one type: what must be refused, and what must be accepted. A table is derived from the grammar that defines
 * the type: it goes through each part of it, and a part gives rows or says why it gives none.
 *
 * @template Right what a correct value is made of: a registered redirect URI, the tokens that a client holds, …
 * @template Made what is sent: a string, or a deviation of a message.
 */
export interface ValueType<Right, Made> {
  /** As the documents call it: “redirect URI”. */
  name: string
  /** What defines it, with the place: “RFC 3986 sections 3 and 6, compared as RFC 6749 3.1.2.3 says”. */
  grammar: string
  parts: readonly Part<Right, Made>[]
}

/** One production, parameter or step of the grammar. */
export type Part<Right, Made> = { part: string } & (
  | { rows: readonly Value<Right, Made>[]; none?: never }
  | { none: string; rows?: never }
)

/** One row: a value that differs from a correct one in one point. */
export interface Value<Right, Made> {
  /** Unique within its type: `host-in-capitals`. */
  id: string
  /** Completes “a redirect URI …”: “with its host in capitals”. */
  words: string
  /** The value must be accepted; without this flag it must be refused. */
  lawful?: true
  /** The level that a bank breaks otherwise. `must` needs a requirement of the document. */
  level: Level
  /** The sentence of the document, or the clause that it refers to. */
  because: string
  /** Pure: the same result for the same input. Undefined where the value does not exist for this correct one. */
  make(right: Right): Made | undefined
}

/** All rows of a type, in the order of its grammar. */
export function rowsOf<Right, Made>({
  parts,
}: ValueType<Right, Made>): readonly Value<Right, Made>[] {
  return parts.flatMap(({ rows = [] }) => rows)
}
