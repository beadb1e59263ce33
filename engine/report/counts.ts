import { count, counted } from './escape.ts'
import { OUTCOMES, summaryKey } from './queries.ts'
import type { Report } from './report.ts'

/** One figure of a report: what it counts, how many there are, and what the word means. */
export interface Figure {
  /** Tone that the page gives it. */
  tone: string
  /** `passed` */
  word: string
  n: number
  meaning: string
}

/**
 * What the verdict rests on: every must in scope stands in exactly one row. All outputs take these
 * words and figures; a must that the selection left out stands in none.
 */
export function mustFigures({ musts }: Report): Figure[] {
  return [
    figure('pass', 'passed', musts.passed, 'judged, and kept'),
    figure('fail', 'failed', musts.failed, 'judged, and broken'),
    figure('known', 'failed as known', musts.known, 'broken, and covered by known deviations'),
    figure('blocked', 'could not be judged', musts.blocked, 'blocked; the causes say by what'),
    figure('known', 'excused', musts.excused, 'not judged because of known deviations alone'),
    figure('not-run', 'not run', musts.notRun, 'the run ended before'),
    figure('error', 'in error', musts.error, 'the suite itself failed'),
    figure(
      'not-applicable',
      'not applicable',
      musts.notApplicable,
      'declared absent, or a freedom of the document was taken',
    ),
    figure('observed', 'not tested', musts.notTested, 'no check tests it, and each says why'),
  ]
}

function figure(tone: string, word: string, n: number, meaning: string): Figure {
  return { tone, word, n, meaning }
}

/** Musts in scope that checks test: those that the verdict is over. */
export function testedMusts({ musts }: Report): number {
  const { judged: _, notTested: __, ...counts } = musts
  return Object.values(counts).reduce((sum, n) => sum + n, 0)
}

/** What the verdict rests on, in one sentence. */
export function verdictSentence(report: Report): string {
  const { musts } = report
  const [, ...others] = mustFigures(report)
  const tested = testedMusts(report)
  const passed = `${count(musts.passed)} of ${counted(tested, 'must')} in scope passed`
  const parts = [tested === 0 ? 'No must in scope' : passed]
  for (const { word, n } of others) if (n > 0) parts.push(`${count(n)} ${word}`)
  return `${parts.join(', ')}.`
}

/** Did anything get judged at all? */
export function judgedAnything({ checks }: Pick<Report, 'checks'>): boolean {
  return checks.some(({ outcome }) => ['pass', 'fail', 'warn', 'observed'].includes(outcome))
}

/** The verdict as a reader is told it: a run that judged nothing has none. */
export function verdictWord(report: Report): string {
  if (!judgedAnything(report)) return 'not judged'
  return report.musts.known > 0 && report.exitCode === 0
    ? 'conformant but for known deviations'
    : report.verdict
}

/** `2 causes`, worst first, and how many of each outcome: `482 pass · 37 observed`. */
export function outcomeFigures(report: Report): Figure[] {
  const best = ['pass', ...OUTCOMES.filter((outcome) => outcome !== 'pass')] as typeof OUTCOMES
  return best
    .map((outcome) =>
      figure(outcome, outcome, report.summary[summaryKey(outcome)], MEANINGS[outcome]),
    )
    .filter(({ n }) => n > 0)
}

const MEANINGS: Record<(typeof OUTCOMES)[number], string> = {
  pass: 'judged, and kept',
  fail: 'a must is broken',
  warn: 'a should is broken',
  observed: 'the documents leave it open; recorded, never judged',
  blocked: 'could not be judged; the causes say by what',
  'not-applicable': 'declared absent, or a freedom of the document was taken',
  'not-run': 'the run ended before',
  error: 'the suite itself failed',
}

/** Of more patterns than these a reader wants the number: `--failed` and a watch name each id. */
const NAMED = 6

/** What was selected: `full`, `core`, `full, only TXN-17: 3 of 519 checks and rules`. */
export function scopeWords({ scope }: Report): string {
  const only = onlyWords(scope.only)
  const left = scope.leftOut ?? 0
  if (left === 0) return `${scope.profile}${only}`
  const all = count(scope.checks + left)
  return `${scope.profile}${only}: ${count(scope.checks)} of ${all} checks and rules`
}

function onlyWords(patterns: string[]): string {
  if (patterns.length === 0) return ''
  if (patterns.length <= NAMED) return `, only ${patterns.join(' ')}`
  return `, only ${patterns.slice(0, 3).join(' ')} and ${count(patterns.length - 3)} more`
}

/** How much was looked at: requirements, checks and rules, each with what it counts. */
export function sizeFigures(report: Report): Figure[] {
  const { requirements, checks, observations, approvals } = report
  const rules = checks.filter(({ kind }) => kind === 'rule').length
  const untested = requirements.filter(({ notTested }) => notTested !== undefined).length
  const client = report.target.side === 'TPP'
  const shared = approvals.filter(({ outcome, shared: own }) => outcome === 'granted' && own)
  return [
    figure(
      '',
      'requirements',
      requirements.length,
      `in scope; ${count(untested)} of them no check tests`,
    ),
    client
      ? figure('', 'scenarios', checks.length - rules, 'each with a bank of its own')
      : figure('', 'checks', checks.length - rules, 'each sends something and judges the answer'),
    figure('', 'rules', rules, 'each judges every exchange'),
    figure(
      '',
      'recorded values',
      observations.length,
      'of what the documents leave open, each value once',
    ),
    figure('', 'requests', report.requests, 'sent to the bank'),
    ...(client
      ? []
      : [
          figure(
            '',
            'visits',
            approvals.length,
            `at the authorisation page, ${counted(shared.length, 'approval')}`,
          ),
        ]),
  ]
}
