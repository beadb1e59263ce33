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
