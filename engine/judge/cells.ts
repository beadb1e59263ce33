import { createHash } from 'node:crypto'

/** A value sent at a place: one row-and-column pair of a table. */
export interface Cell {
  /** Row of the table of values: `other-case`. */
  value: string
  /** What values of a kind have in common: the part of the grammar that they break. */
  group: string
  /** Where the value is sent, and by which client: `delete-account-access-consent, second client`. */
  place: string
  /** What places have in common: the same code of the bank protects them. */
  kind: string
  /** Requests to this place are expensive: one value of each group is enough for all places of the kind. */
  dear?: true
}

/** The cell to ask next: its check, the correct value, and the value that is sent instead. */
export interface AskedCell {
  cell: Cell
  /** Id of the check. */
  owner: string
  /** Name of the type of value. */
  type: string
  /** True if the bank must accept the value. */
  lawful: boolean
  right: unknown
  made: unknown
}

/** What a run asked from the table of one check. */
export interface CellNotes {
  /** Number of cells in the table. */
  of: number
  /** Names of the cells that were asked. */
  asked: string[]
}

/** `one`: the first cell of each check. `drawn`: a covering array. `all`: every cell. */
export type CellsAsked = 'one' | 'drawn' | 'all'

/** Settings that decide which cells a run asks. */
export interface Drawing {
  cells: CellsAsked
  seed: number
  /** Ask only the cells with these names. */
  named?: readonly string[]
}

/**
 * The cells out of `all` that a run asks.
 *
 * @param beside cells that others ask; all of them together make the coverage.
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
 * Few cells with this coverage: each value at one or more places of each kind, each place with one or more values of
 * each group. So every group reaches every kind of place. Of expensive places, each kind gets one or more values of
 * each group, and each place one or more values. A seed always draws the same cells; all seeds together draw all cells.
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
  // Cells that serve both coverage goals come first.
  for (const cell of drawn) {
    if (!values.has(valueAt(cell)) && !places.has(groupAt(cell))) choose(cell)
  }
  for (const cell of drawn) {
    if (!values.has(valueAt(cell)) || !places.has(groupAt(cell))) choose(cell)
  }
  return cells.filter((cell) => chosen.has(cell))
}

/** A number from 0 to 1, derived from the seed and the name only: a new row does not change the numbers of others. */
export function drawnAt(seed: number, name: string): number {
  const digest = createHash('sha256').update(`${seed}\n${name}`).digest()
  return digest.readUInt32BE() / 2 ** 32
}
