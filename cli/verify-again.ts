import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { type Again, judgeAgain } from '../engine/recording/again/judge-again.ts'
import type { Compared, Said } from '../engine/recording/again/said.ts'
import { recordingTarget } from '../engine/recording/recording-target.ts'
import { counted, oneLine } from '../engine/report/escape.ts'
import { readSealed } from '../engine/report/evidence/verify-run.ts'
import { grouped } from '../engine/report/queries.ts'
import { say, shown } from '../engine/report/terminal.ts'
import { loadSuites } from '../engine/run/suites.ts'
import { SUITES, version } from './folders.ts'
import { readTarget } from './open-target.ts'

/** Maximum number of lines of one kind; the others are counted. */
const LISTED = 50

/**
 * `assay verify RUN --judge`: judges a run again from its exchanges, and prints what differs from its report.
 *
 * @param targetFile the target that was judged; without it, what only the target shows is not judged
 * @returns the exit code: 0 nothing differs, 1 something differs, 4 something differs and another version may be the
 * reason, or nothing could be judged again
 */
export async function judgedAgain(path: string, targetFile: string | undefined): Promise<number> {
  const sealed = await readSealed(path)
  const catalogue = loadCatalogue()
  const suites = await loadSuites(SUITES, catalogue)
  const read = targetFile === undefined ? undefined : await readTarget(targetFile)
  const again = await judgeAgain({
    ...{ ...sealed, catalogue, suites, version },
    ...(read && {
      target: recordingTarget(read.document),
      configurationDigest: read.configurationDigest,
    }),
  })
  tell(again)
  const differs = differences(again).length > 0
  if (!differs) return isJudged(again) ? 0 : 4
  return again.unlike.length > 0 ? 4 : 1
}

/** Was any rule or check looked at? */
const isJudged = ({ rules, checks }: Again): boolean => rules.same.length + checks.same.length > 0

const differences = ({ rules, checks, report, unread }: Again): Said[] => [
  ...rules.different,
  ...checks.different,
  ...report.different,
  ...unread,
]

function tell(again: Again): void {
  const { rules, checks, report, unlike } = again
  say(shown`judged again by the exchanges:`)
  for (const why of unlike) say(shown`  ${why}`)
  say(shown`  rules: ${sumOf(rules)}`)
  for (const line of untoldLines(rules.untold)) say(shown`    ${line}`)
  say(shown`  checks, as far as the record of their exchanges tells: ${sumOf(checks)}`)
  say(shown`  counts, requirements, causes, verdict: ${sumOf(report)}`)
  const all = differences(again)
  for (const { id, what } of all.slice(0, LISTED)) say(shown`  ${oneLine(`${id}: ${what}`)}`)
  if (all.length > LISTED) say(shown`  and ${all.length - LISTED} more`)
  say(shown`${isJudged(again) || all.length > 0 ? conclusion(all.length, unlike) : NOTHING}`)
}

function sumOf({ same, different, untold }: Compared): string {
  const parts = [`${same.length} as reported`]
  if (different.length > 0) parts.push(`${different.length} otherwise`)
  if (untold.length > 0) parts.push(`${untold.length} not told`)
  return parts.join(', ')
}

/** What the exchanges do not show, grouped by reason. */
function untoldLines(untold: readonly Said[]): string[] {
  const byWhy = grouped(untold, ({ what }) => what)
  return [...byWhy].map(([why, all]) => `${why}: ${all.map(({ id }) => id).join(', ')}`)
}

const NOTHING = 'Of its checks and rules nothing could be judged again.'

function conclusion(differing: number, unlike: readonly string[]): string {
  if (differing === 0) return 'The report says what its exchanges show, as far as they tell.'
  const what = `${counted(differing, 'difference')} between the report and its exchanges.`
  if (unlike.length === 0) return `${what} The run was changed, or Assay judged it wrong.`
  return `${what} Another version may be why: judge it again with that one.`
}
