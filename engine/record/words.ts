/** How binding a sentence of the documents is. */
export type Level = 'must' | 'should' | 'observe'

/** The outcome of one check or rule, or of a requirement over all its checks. */
export type Outcome =
  | 'pass'
  | 'fail'
  | 'warn'
  | 'observed'
  | 'blocked'
  | 'not-applicable'
  | 'not-run'
  | 'error'

/** The verdict of a run on a bank. */
export type Verdict = 'conformant' | 'nonconformant' | 'incomplete' | 'error'

/**
 * What is missing: data of the customers; something that a bank is free to have or not; something that the target does
 * not name; something that a recording of other parties' traffic does not show.
 */
export type Lack = 'data' | 'freedom' | 'target' | 'recording'

export const LACKS: readonly string[] = ['data', 'freedom', 'target', 'recording'] satisfies Lack[]
