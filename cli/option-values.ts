import { UsageError } from './usage.ts'

/** Values of `--fail-on` of `run` and `tpp`: they change the exit code that the verdict gives. */
export const FAIL_ON = ['new', 'should'] as const

/** What makes `judge` end with exit code 1. */
export const JUDGE_FAIL_ON = ['must', 'should', 'new'] as const

/** What makes `explore` and `proxy` end with exit code 1. */
export const LEVEL_FAIL_ON = ['must', 'should'] as const
/** What makes `diff` end with exit code 1. */
export const DIFF_FAIL_ON = ['new', 'any', 'observations'] as const

export const DIFF_FORMATS = ['text', 'markdown', 'json'] as const

/** The value of an option, if it is one of these. */
export function oneOf<Value extends string>(
  option: string,
  values: readonly Value[],
  given: string,
): Value {
  const found = values.find((value) => value === given)
  if (found !== undefined) return found
  throw new UsageError(`${option} is ${values.join(', ')}, not ${given}`)
}
