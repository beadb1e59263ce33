import { dirname, resolve } from 'node:path'
import { DAY } from '../record/durations.ts'
import { judgedMusts } from '../report/counts.ts'
import { counted } from '../report/escape.ts'
import { contentOf } from '../report/evidence/sealed-files.ts'
import { type Verification, verifyRun } from '../report/evidence/verify-run.ts'
import type { Report } from '../report/report.ts'
import { readInput } from '../yaml/read-input.ts'
import { PROFILES } from './scope.ts'

/** The conditions that a run must meet to count; absent members set no condition. */
export interface Policy {
  target?: string
  profile?: Report['scope']['profile']
  maxAgeDays?: number
  suite?: string
  mustsJudged?: number
  mustsWithoutVerdict?: number
  knownDeviations?: number
  warnings?: number
  /** Public keys or certificates as text, by file name. */
  signedBy?: Map<string, string>
}

/**
 * Reads a policy: a YAML file, schemas/assay/policy.schema.json, and the keys that it names.
 *
 * @throws InputError with each mistake as `file:line:column: what is wrong. fix.`
 */
export function loadPolicy(file: string): Policy {
  const value = readInput(file, 'policy')
  const { signedBy, ...asked } = value as Omit<Policy, 'signedBy'> & { signedBy?: string[] }
  if (!signedBy) return asked
  const keys = signedBy.map((key): [string, string] => {
    return [key, contentOf(resolve(dirname(file), key)).toString('utf8')]
  })
  return { ...asked, signedBy: new Map(keys) }
}

/**
 * Why a run does not count under a policy; empty if it counts. Whatever the policy says, a run counts only if it was
 * not changed, judged its whole profile, and has the verdict conformant.
 *
 * @param now milliseconds since the epoch
 */
export async function reasonsAgainst(path: string, policy: Policy, now: number): Promise<string[]> {
  return (await weighed(path, policy, now)).reasons
}

/** Like reasonsAgainst, plus the result of the verification; if there is no reason, there is a report. */
export async function weighed(
  path: string,
  policy: Policy,
  now: number,
): Promise<{ found: Verification; reasons: string[] }> {
  const { found, signedBy } = await verifiedBy(path, policy)
  if (signedBy !== undefined && found.signature !== 'invalid') return { found, reasons: [signedBy] }
  if (!found.intact || !found.report) {
    const [first] = found.findings
    const why = first ? `${first.file} ${first.message}` : 'no statement'
    const what = found.signature === 'no-key' ? 'could not' : 'was changed or cannot'
    return { found, reasons: [`it ${what} be verified: ${why}`] }
  }
  return { found, reasons: ofReport(found.report, policy, now) }
}

/** The run, verified with the matching key of the policy, or the reason why none matches. */
async function verifiedBy(
  path: string,
  { signedBy }: Policy,
): Promise<{ found: Verification; signedBy?: string }> {
  if (!signedBy) return { found: await verifyRun(path) }
  for (const key of signedBy.values()) {
    const found = await verifyRun(path, key)
    if (found.signature === 'valid') return { found }
  }
  const found = await verifyRun(path)
  const names = [...signedBy.keys()].join(', ')
  const why = found.signature === 'absent' ? 'it is not signed' : `none of ${names} signed it`
  return { found, signedBy: why }
}

function ofReport(report: Report, policy: Policy, now: number): string[] {
  const { musts, summary, scope, target, verdict, exitCode, partial, assay, recording } = report
  const days = (now - Date.parse(report.finishedAt)) / DAY
  const without = musts.blocked + musts.notRun + musts.error + musts.excused
  const { profile, maxAgeDays, suite, signedBy: _, ...limits } = policy
  const most = (limit: number | undefined, n: number, noun: string, kind = '') =>
    limit !== undefined && n > limit && `${counted(n, noun)}${kind}, and ${limit} may be`
  const judged = judgedMusts(report)
  const least = limits.mustsJudged ?? 0
  return [
    recording !== undefined && 'it judged recorded traffic, and is no run',
    (verdict !== 'conformant' || exitCode !== 0) && `its verdict is ${verdict}`,
    (scope.only.length > 0 || partial !== undefined) && 'it judged a part alone',
    limits.target !== undefined &&
      limits.target !== target.name &&
      `it judged ${target.name}, not ${limits.target}`,
    profile !== undefined &&
      PROFILES.indexOf(scope.profile) < PROFILES.indexOf(profile) &&
      `its profile is ${scope.profile}, and ${profile} is asked for`,
    maxAgeDays !== undefined &&
      !(days <= maxAgeDays) &&
      `it is ${Math.floor(days)} days old, and may be ${maxAgeDays}`,
    maxAgeDays !== undefined && days < -1 && 'it ended in the future',
    suite !== undefined &&
      isOlder(assay.version, suite) &&
      `Assay ${assay.version} made it, and ${suite} is asked for`,
    judged < least && `${counted(judged, 'must')} came to a judgement, and ${least} are asked for`,
    most(limits.mustsWithoutVerdict, without, 'must', ' without a verdict'),
    most(limits.knownDeviations, musts.known, 'must', ' broken as known'),
    most(limits.warnings, summary.warn, 'warning'),
  ].filter((reason) => reason !== false)
}

/** True if a version is older than another. A version with a hyphen comes before its release. */
function isOlder(version: string, than: string): boolean {
  const numbers = (text: string) => text.split('-')[0]?.split('.').map(Number) ?? []
  const [own, other] = [numbers(version), numbers(than)]
  for (const [at, n] of other.entries()) {
    const difference = (own[at] ?? 0) - n
    if (difference !== 0) return difference < 0
  }
  return version.includes('-')
}
