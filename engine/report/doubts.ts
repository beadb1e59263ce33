import type { CheckResult, Whose } from './report.ts'
import { addressMend } from './whose.ts'

/** The hooks that each check needs, by the id of the check; and the checks that show that a hook works. */
export interface Hooks {
  of: ReadonlyMap<string, readonly string[]>
  shownBy: Readonly<Record<string, readonly string[]>>
}

const THEN = 'ask the bank’s developers to correct it.'

/** The literals of a target file that a message names. */
const LITERAL = /\bliterals\.\w+/

/**
 * Returns the reason to doubt that findings are the bank's: each of them compares with what the target file says the
 * bank writes, or needs something to have happened that only a hook of the target file says.
 */
export function doubts(checks: readonly CheckResult[], hooks?: Hooks) {
  const passed = new Set(checks.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id))
  const memberBehind = ({ id, message }: CheckResult) => {
    const hook = hooks?.of
      .get(id)
      ?.find((each) => !hooks.shownBy[each]?.some((check) => passed.has(check)))
    return LITERAL.exec(message)?.[0] ?? (hook && `hooks.${hook}`)
  }
  return (findings: readonly CheckResult[]): { whose: Whose; mend: string } | undefined => {
    const members = findings.map(memberBehind)
    const [first] = members
    if (first === undefined || members.includes(undefined)) return undefined
    const mend = first.startsWith('hooks.')
      ? `First see that ${first} of the target file did what it says (docs/hooks.md). If it did, ${THEN}`
      : addressMend(first, THEN)
    return { whose: 'either', mend }
  }
}
