import { type AskedCell, type Cell, cellName, drawnAt, drawnCells } from '../judge/cells.ts'
import type { Session } from './session.ts'

/** The name of the second client among the cells of a check that is judged for each client. */
export const SECOND_CLIENT = 'second client'

/** The part of a check's context that selects the cells of tables to ask and records what was asked. */
export function cellsOf(session: Pick<Session, 'cells' | 'extent'>) {
  return {
    /**
     * The cells that the run asks from the table of a check.
     *
     * @param beside cells of other checks; all of them together make the coverage.
     */
    cells<Each extends Cell>(
      owner: string,
      all: readonly Each[],
      beside: readonly Each[] = [],
    ): readonly Each[] {
      session.cells.set(owner, { of: all.length, asked: [] })
      return drawnCells(session.extent, all, beside)
    },
    /** The seed of the run's draw. */
    get seed(): number {
      return session.extent.seed
    },
    /** True if the run asks all its cells at any cost, even where an accepted request cannot be undone. */
    get asksEveryCell(): boolean {
      const { cells, named, onCell } = session.extent
      return cells === 'all' || named !== undefined || onCell !== undefined
    },
    /** True if a sentence about each client is judged for the second client too: on every other night. */
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
    /** Records the cell that is asked next; undefined: no more cells at this place. */
    asks(asked: AskedCell | undefined): void {
      if (asked) session.cells.get(asked.owner)?.asked.push(cellName(asked.cell))
      session.extent.onCell?.(asked)
    },
    /** Records that only this number of the asked cells count: later answers say nothing. */
    counts(owner: string, cells: number): void {
      session.cells.get(owner)?.asked.splice(cells)
    },
    /** Records that this cell does not exist: what this bank accepts has no such value. */
    lacksCell(owner: string): void {
      const notes = session.cells.get(owner)
      if (notes) notes.of -= 1
    },
  }
}
