import { UsageError } from './usage.ts'

/** What ends `run` and `tpp` otherwise than their verdict: `--fail-on`. */
export const FAIL_ON = ['new', 'should'] as const

/** What ends `judge` with 1. */
export const JUDGE_FAIL_ON = ['must', 'should', 'new'] as const

/** What ends `explore` and `proxy` with 1. */
export const LEVEL_FAIL_ON = ['must', 'should'] as const
/** What ends `diff` with 1. */
export const DIFF_FAIL_ON = ['new', 'any', 'observations'] as const

export const DIFF_FORMATS = ['text', 'markdown', 'json'] as const

/** The value of an option, where it is one of these. */
export function oneOf<Value extends string>(
  option: string,
  values: readonly Value[],
  given: string,
): Value {
  const found = values.find((value) => value === given)
  if (found !== undefined) return found
  throw new UsageError(`${option} is ${values.join(', ')}, not ${given}`)
}
