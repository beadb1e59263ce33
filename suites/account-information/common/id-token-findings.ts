import type { IdTokenFinding } from '../../../engine/suite-api/jwt.ts'
import type { Finding } from '../../../engine/suite-api/rule.ts'

/** What of a compared ID token is wrong, among what a rule is about. */
export function findingsOf(compared: IdTokenFinding[], about: IdTokenFinding['what'][]): Finding[] {
  return compared
    .filter(({ what, ok }) => !ok && about.includes(what))
    .map(({ what, expected, actual }) => ({
      message: `${what} of the ID token is ${actual}`,
      expected,
      actual,
    }))
}
