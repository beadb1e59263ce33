/** An active test: a stimulus, then one verdict. `C` is what its run is given. */
export interface Check<C = never> {
  /** TXN-17/to-alone; the part before the slash is the requirement. */
  id: string
  /** A sentence about the bank. */
  title: string
  run: (context: C) => Promise<void>
}
