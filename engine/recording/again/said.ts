/** Something of a report that differs from what its exchanges show, or that they do not tell. */
export interface Said {
  /** A check or rule, or a member of report.json. */
  id: string
  what: string
}

/** What was looked at again of one kind. */
export interface Compared {
  /** Ids that agree. */
  same: string[]
  different: Said[]
  /** What the exchanges do not tell, and why. */
  untold: Said[]
}

export const nothingYet = (): Compared => ({ same: [], different: [], untold: [] })
