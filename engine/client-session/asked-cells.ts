import { type AskedCell, type Cell, cellName, drawnAt, drawnCells } from '../judge/cells.ts'
import type { Session } from './session.ts'

/** The name of the second client among the cells of a check that is judged for each client. */
export const SECOND_CLIENT = 'second client'

/** Of the context of a check: which cells of tables the run asks, and what it notes of them. */
export function cellsOf(session: Pick<Session, 'cells' | 'extent'>) {
  return {
    /**
     * Which cells of the table that a check judges the run asks.
     *
     * @param beside cells of other checks: all together cover what is to be covered.
     */
    cells<Each extends Cell>(
      owner: string,
      all: readonly Each[],
      beside: readonly Each[] = [],
    ): readonly Each[] {
      session.cells.set(owner, { of: all.length, asked: [] })
      return drawnCells(session.extent, all, beside)
    },
    /** Which draw the run makes. */
    get seed(): number {
      return session.extent.seed
    },
    /** Does the run ask all its cells, whatever that costs? Not where what is served cannot be undone. */
    get asksEveryCell(): boolean {
      const { cells, named, onCell } = session.extent
      return cells === 'all' || named !== undefined || onCell !== undefined
    },
    /** Is a sentence that holds for each client judged for the second one too? On every other night. */
    looksAtSecond(check: string): boolean {
      const { cells, seed, named } = session.extent
      const drawn = cells === 'all' || (cells === 'drawn' && drawnAt(seed, check) < 1 / 2)
      const looks = named?.includes(SECOND_CLIENT) ?? drawn
      session.cells.set(check, {
        of: 2,
        asked: ['first client', ...(looks ? [SECOND_CLIENT] : [])],
      })
      return looks
    },
    /** Notes which cell is asked next; undefined: none any more at this place. */
    asks(asked: AskedCell | undefined): void {
      if (asked) session.cells.get(asked.owner)?.asked.push(cellName(asked.cell))
      session.extent.onCell?.(asked)
    },
    /** Notes that of the cells that were asked only so many count: what came after them says nothing. */
    counts(owner: string, cells: number): void {
      session.cells.get(owner)?.asked.splice(cells)
    },
    /** Notes that there is no such cell: what this bank calls right has no such value. */
    lacksCell(owner: string): void {
      const notes = session.cells.get(owner)
      if (notes) notes.of -= 1
    },
  }
}
