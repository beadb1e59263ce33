import { createHash } from 'node:crypto'

/** A value at a place: one question that a table asks. */
export interface Cell {
  /** Row of the table of values: `other-case`. */
  value: string
  /** What values of a kind have in common: the part of the grammar. */
  group: string
  /** Where it is sent, and by whom: `delete-account-access-consent, second client`. */
  place: string
  /** What places have in common: one piece of code protects them. */
  kind: string
  /** To ask there is dear: one value of each group serves for all places of the kind. */
  dear?: true
}

/** What is asked next: a cell of the table that a check judges, with the right value and what is sent instead. */
export interface AskedCell {
  cell: Cell
  /** Id of the check. */
  owner: string
  /** Name of the type of value. */
  type: string
  /** The value must be taken. */
  lawful: boolean
  right: unknown
  made: unknown
}

/** What a run asked of the table of one check. */
export interface CellNotes {
  /** Cells that there are. */
  of: number
  /** Names of those that were asked. */
  asked: string[]
}

/** `one`: the first of each check. `drawn`: an array that covers. `all`: every one. */
export type CellsAsked = 'one' | 'drawn' | 'all'

/** What decides which cells a run asks. */
export interface Drawing {
  cells: CellsAsked
  seed: number
  /** Names of cells that are asked, and no others. */
  named?: readonly string[]
}

/**
 * Which of these cells a run asks.
 *
 * @param beside cells that others ask: all together cover what is to be covered.
 */
export function drawnCells<Each extends Cell>(
  { cells: asked, seed, named }: Drawing,
  all: readonly Each[],
  beside: readonly Each[] = [],
): readonly Each[] {
  if (named) return all.filter((cell) => named.includes(cellName(cell)))
  if (asked === 'all') return all
  if (asked === 'one') return all.slice(0, 1)
  const drawn = new Set(coveringCells([...all, ...beside], seed))
  return all.filter((cell) => drawn.has(cell))
}

/** The name of a cell in reports and on the command line. */
export const cellName = ({ value, place }: Pick<Cell, 'value' | 'place'>) => `${value} at ${place}`

/**
 * As few cells as ask every value at one place of each kind at least, and every place with one value of each group:
 * so every group meets every kind of place. Of places where it is dear to ask, every kind meets one value of each
 * group at least, and every place one value. The same seed draws the same ones; all seeds together draw all.
 */
export function coveringCells<Each extends Cell>(cells: readonly Each[], seed: number): Each[] {
  const drawn = cells
    .map((cell) => ({ cell, at: drawnAt(seed, cellName(cell)) }))
    .sort((one, other) => one.at - other.at)
    .map(({ cell }) => cell)
  const values = new Set<string>()
  const places = new Set<string>()
  const chosen = new Set<Each>()
  const valueAt = ({ value, group, kind, dear }: Cell) => `${dear ? group : value}\n${kind}`
  const groupAt = ({ group, place, dear }: Cell) => (dear ? place : `${group}\n${place}`)
  const choose = (cell: Each) => {
    values.add(valueAt(cell))
    places.add(groupAt(cell))
    chosen.add(cell)
  }
  // What serves both ends comes first.
  for (const cell of drawn) {
    if (!values.has(valueAt(cell)) && !places.has(groupAt(cell))) choose(cell)
  }
  for (const cell of drawn) {
    if (!values.has(valueAt(cell)) || !places.has(groupAt(cell))) choose(cell)
  }
  return cells.filter((cell) => chosen.has(cell))
}

/** A number from 0 to 1 that the seed and the name decide alone: a new row leaves the others where they were. */
export function drawnAt(seed: number, name: string): number {
  const digest = createHash('sha256').update(`${seed}\n${name}`).digest()
  return digest.readUInt32BE() / 2 ** 32
}
