/** How much a sentence of the documents binds. */
export type Level = 'must' | 'should' | 'observe'

/** How one check or rule ended, or a requirement by all of its checks. */
export type Outcome =
  | 'pass'
  | 'fail'
  | 'warn'
  | 'observed'
  | 'blocked'
  | 'not-applicable'
  | 'not-run'
  | 'error'

/** What a run says of a bank. */
export type Verdict = 'conformant' | 'nonconformant' | 'incomplete' | 'error'

/**
 * What lacks: data of the customers; what a bank is free to have or not; something that the target does not name;
 * something that a recording of what others sent does not tell.
 */
export type Lack = 'data' | 'freedom' | 'target' | 'recording'

export const LACKS: readonly string[] = ['data', 'freedom', 'target', 'recording'] satisfies Lack[]
