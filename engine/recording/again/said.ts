/** A part of a report that differs from its exchanges, or that the exchanges do not show. */
export interface Said {
  /** Id of a check or rule, or a member of report.json. */
  id: string
  what: string
}

/** The result of comparing parts of one kind. */
export interface Compared {
  /** Ids of parts that agree. */
  same: string[]
  different: Said[]
  /** What the exchanges do not show, with the reasons. */
  untold: Said[]
}

export const nothingYet = (): Compared => ({ same: [], different: [], untold: [] })
