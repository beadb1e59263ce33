import { count, counted } from './escape.ts'
import { OUTCOMES, summaryKey, untested } from './queries.ts'
import type { Outcome, Report, ReportedCause, ReportedRecording, Whose } from './report.ts'

/** One figure of a report: its word, its number and the meaning of the word. */
export interface Figure {
  /** Tone (CSS class) on the page. */
  tone: string
  /** `passed` */
  word: string
  n: number
  meaning: string
}

/**
 * The basis of the verdict: every must in scope is in exactly one row. All outputs use these words and figures; a must
 * that the selection left out is in no row.
 */
export function mustFigures({ musts }: Report): Figure[] {
  return figures([
    ['pass', 'passed', musts.passed, 'judged, and kept'],
    ['fail', 'failed', musts.failed, 'judged, and broken'],
    ['known', 'failed as known', musts.known, 'broken, and covered by known deviations'],
    ['blocked', 'could not be judged', musts.blocked, 'blocked; the causes say why'],
    ['known', 'excused', musts.excused, 'not judged because of known deviations alone'],
    ['not-run', 'not run', musts.notRun, MEANINGS['not-run']],
    ['error', 'in error', musts.error, MEANINGS.error],
    ['not-applicable', 'not applicable', musts.notApplicable, MEANINGS['not-applicable']],
    ['observed', NOT_TESTED, musts.notTested, 'no check tests it, and each says why'],
  ])
}

type FigureRow = [tone: string, word: string, n: number, meaning: string]

function figures(rows: FigureRow[]): Figure[] {
  return rows.map(([tone, word, n, meaning]) => ({ tone, word, n, meaning }))
}

/** Number of musts in scope that checks test: the verdict covers these. */
export function testedMusts({ musts }: Report): number {
  const { judged: _, notTested: __, ...counts } = musts
  return Object.values(counts).reduce((sum, n) => sum + n, 0)
}

/** Word for a must that no check tests; it is shown beside those that the verdict covers. */
const NOT_TESTED = 'not tested'

/** The basis of the verdict in one sentence: `213 musts with a test: 212 passed, 1 failed; 10 more have no test.` */
export function verdictSentence(report: Report): string {
  const { musts, recording } = report
  if (recording) return recordedSentence(recording)
  const judged = judgedMusts(report) > 0
  const shown = mustFigures(report).filter(
    ({ word, n }) => word !== NOT_TESTED && (n > 0 || (judged && word === 'passed')),
  )
  const parts = shown.map(({ word, n }) => `${count(n)} ${word}`).join(', ')
  const of = judged ? `${counted(testedMusts(report), 'must')} with a test` : NO_MUST
  const { notTested } = musts
  const have = notTested === 1 ? 'has' : 'have'
  const more = notTested > 0 ? `; ${count(notTested)} more ${have} no test` : ''
  return `${of}${parts && `: ${parts}`}${more}.`
}

/** `31 of 213 musts exercised, 182 not, by 1,204 of 1,370 recorded exchanges.` */
function recordedSentence({ musts, operations, exchanges }: ReportedRecording): string {
  const exercised = `${count(musts.exercised)} of ${counted(musts.of, 'must')} exercised`
  const by = `${count(operations)} of ${counted(exchanges, 'recorded exchange')}`
  return `${exercised}, ${count(musts.of - musts.exercised)} not, by ${by}.`
}

/** The part of a verdict that an earlier run judged, for the line with the verdict; empty: none. */
export function earlierWords({ earlier = [] }: Report): string {
  return earlier
    .map(({ day, musts }) => {
      const what = counted(musts, 'must')
      return day === undefined
        ? `; ${what} judged by an earlier run alone`
        : `; ${what} judged at the registration of ${day}, whose client is used again`
    })
    .join('')
}

/** Used for a run that may have judged shoulds. */
export const NO_MUST = 'No must was judged'

/** How little was judged by a run that could not judge everything. */
export function littleJudged(report: Report): string {
  if (!judgedAnything(report)) return 'Nothing was judged'
  return judgedMusts(report) === 0 ? NO_MUST : 'The run ended before most was judged'
}

/** Number of musts that were judged, including those that known deviations cover. */
export function judgedMusts({ musts }: Report): number {
  return musts.passed + musts.failed + musts.known
}

/** True if anything was judged. */
export function judgedAnything({ checks }: Pick<Report, 'checks'>): boolean {
  return checks.some(({ outcome }) => ['pass', 'fail', 'warn', 'observed'].includes(outcome))
}

/** True if a client was only watched: rules judged its requests, and no scenario was played. */
export function isWatched({ target, checks, partial }: Report): boolean {
  const isClient = target.side === 'TPP' && partial !== undefined
  return isClient && checks.length > 0 && checks.every(({ kind }) => kind === 'rule')
}

/** The verdict as shown to a reader: a run that judged nothing has none. */
export function verdictWord(report: Report): string {
  if (!judgedAnything(report)) return 'not judged'
  const { musts, recording, verdict } = report
  // What others sent is never known to be complete.
  if ((recording || isWatched(report)) && verdict !== 'error') {
    return musts.failed > 0 ? `${counted(musts.failed, 'must')} broken` : 'nothing broken seen'
  }
  return report.musts.known > 0 && report.exitCode === 0
    ? 'conformant but for known deviations'
    : report.verdict
}

/** The verdict and the number of broken shoulds, which do not affect it: `conformant, 2 warnings`. */
export function verdictHeadline(report: Report): string {
  const { warn } = report.summary
  return `${verdictWord(report)}${warn > 0 ? `, ${counted(warn, 'warning')}` : ''}`
}

/** Number of checks and rules by outcome, passes first. */
export function outcomeFigures(report: Report): Figure[] {
  const order = new Set<Outcome>(['pass', ...OUTCOMES])
  const n = (outcome: Outcome) => report.summary[summaryKey(outcome)]
  const seen = [...order].filter((outcome) => n(outcome) > 0)
  return figures(seen.map((outcome) => [outcome, outcome, n(outcome), MEANINGS[outcome]]))
}

const MEANINGS: Record<Outcome, string> = {
  pass: 'judged, and kept',
  fail: 'a must is broken',
  warn: 'a should is broken',
  observed: 'the documents leave it open; recorded, never judged',
  blocked: 'could not be judged; the causes say why',
  'not-applicable': 'declared absent, or a freedom of the document was taken',
  'not-run': 'the run ended before',
  error: 'the suite itself failed',
}

/** With more patterns than this, only their number is shown: `--failed` and a watch name each id. */
const NAMED = 6

/**
 * What was selected: `full`, `core`, `full, only TXN-17: 3 of 519 checks and rules`. A certification has no profiles:
 * `every scenario`, `only TTOK-05: 3 of 210 scenarios and rules`.
 */
export function scopeWords(report: Report): string {
  const { scope, recording, target } = report
  if (recording) return 'recorded traffic'
  if (isWatched(report)) return 'its requests, without a scenario'
  const isClient = target.side === 'TPP'
  const only = onlyWords(scope.only)
  const profile = isClient ? only && 'only' : scope.profile
  const named = isClient ? only.replace(/^, only/, '') : only
  const left = scope.leftOut ?? 0
  if (left === 0) return `${profile}${named}` || 'every scenario'
  const parts = isClient ? 'scenarios and rules' : 'checks and rules'
  return `${profile}${named}: ${count(scope.checks)} of ${count(scope.checks + left)} ${parts}`
}

function onlyWords(patterns: string[]): string {
  if (patterns.length === 0) return ''
  if (patterns.length <= NAMED) return `, only ${patterns.join(' ')}`
  return `, only ${patterns.slice(0, 3).join(' ')} and ${count(patterns.length - 3)} more`
}

/** How many test values were tried, and with which seed. */
export function cellsSentence({ cells, scope }: Report): string {
  if (!cells) return ''
  return `${count(cells.asked)} of ${count(cells.of)} test values tried${drawnWords({ cells, scope })}`
}

/** Which seed drew them; empty where all were tried. */
function drawnWords({ cells, scope }: Pick<Report, 'cells' | 'scope'>): string {
  const isPart = cells !== undefined && cells.asked < cells.of
  return isPart ? `, drawn by --seed ${scope.seed ?? 1}` : ''
}

const OPEN_VALUES = 'of what the documents leave open, each value once'

/** The size of the run: requirements, checks and rules, each with what it counts. */
export function sizeFigures(report: Report): Figure[] {
  const { requirements, checks, observations, approvals, target, recording } = report
  const rules = checks.filter(({ kind }) => kind === 'rule').length
  const own = checks.length - rules
  const shared = approvals.filter((each) => each.outcome === 'granted' && each.shared)
  const at = `at the authorisation page, ${counted(shared.length, 'approval')}`
  const open = `in scope, of which no check tests ${count(untested(report).length)}`
  const client = target.side === 'TPP'
  const { cells } = report
  const ofAll = `tried of ${count(cells?.of ?? 0)}${drawnWords(report)}`
  const tried = cells && (['', 'test values', cells.asked, ofAll] as FigureRow)
  const recorded = ['', 'recorded values', observations.length, OPEN_VALUES] as FigureRow
  if (recording) {
    return figures([
      ['', 'rules', rules, 'each judges every exchange'],
      recorded,
      ['', 'exchanges', recording.operations, `of ${count(recording.exchanges)} recorded`],
    ])
  }
  return figures([
    ['', 'requirements', requirements.length, open],
    client
      ? ['', 'scenarios', own, 'each with a bank of its own']
      : ['', 'checks', own, 'each sends something and judges the answer'],
    ['', 'rules', rules, 'each judges every exchange'],
    recorded,
    ['', 'requests', report.requests, 'sent to the bank'],
    ...(tried ? [tried] : []),
    ...(client ? [] : [['', 'visits', approvals.length, at] as [string, string, number, string]]),
  ])
}

/** Who can fix a cause, in words. */
export const WHOSE: Record<Whose, string> = {
  bank: 'the bank',
  gateway: 'the bank’s gateway, or the server behind it',
  TPP: 'the TPP',
  configuration: 'your configuration',
  either: 'the bank or your configuration (cannot be told from here)',
  network: 'the address, the network or the bank (cannot be told from here)',
  suite: 'Assay itself',
  nobody: 'nobody has to act',
}

/** Who keeps checks from being judged: `by the bank`, or that nobody has to act. */
export const blockedBy = (whose: Whose): string =>
  whose === 'nobody' ? `, ${WHOSE.nobody}` : ` by ${WHOSE[whose]}`

/** Who can fix a cause, where it shows, what it explains and what it blocks. */
export function causeFacts({ whose, where, mend, findings, blocks }: ReportedCause): string[] {
  const facts = [
    WHOSE[whose],
    where,
    findings.length > 1 && `explains ${count(findings.length)} findings`,
    blocks.length > 0 && `keeps ${count(blocks.length)} from being judged`,
    mend,
  ]
  return facts.filter((fact) => typeof fact === 'string')
}

/** Whether the target's addresses have the production or the sandbox layout; empty if this is not known. */
export function addressWords({ environment }: Report['target']): string {
  return environment === undefined ? '' : `addresses as documented for ${ENVIRONMENTS[environment]}`
}

const ENVIRONMENTS = { production: 'production', sandbox: 'the sandbox' }

/** What a run judged, in words. */
export function judgedParty({ target }: Pick<Report, 'target'>): string {
  return target.side === 'TPP' ? 'the client' : 'the bank'
}
