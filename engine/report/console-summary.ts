import pc from 'picocolors'
import { boundedReport } from './bounded-report.ts'
import {
  judgedAnything,
  outcomeFigures,
  scopeWords,
  sizeFigures,
  verdictSentence,
  verdictWord,
} from './counts.ts'
import { brief, count, counted, quoted, span } from './escape.ts'
import { excerptLines, excerptOf } from './excerpt.ts'
import { headline, requirementsById } from './queries.ts'
import type { CheckResult, ExchangeRecord, Report, ReportedCause } from './report.ts'
import { WHOSE } from './whose.ts'
import { wrapped } from './wrapped.ts'

export interface ConsoleOptions {
  /** Path of report.html, as the user would type it. */
  path?: string
  /** Folder of the run, as the user would type it: what repeats a finding needs it. */
  folder?: string
  /** Default false. */
  colour?: boolean
  /** Characters on a line; default 100. */
  width?: number
  /** Causes that are written out; the rest are counted. Default 20. */
  causes?: number
}

/** Columns of a label. */
const LABEL = 10

type Paint = ReturnType<typeof pc.createColors>

/**
 * What the terminal shows at the end of a run: each cause once with what it explains, warnings by
 * name, then the verdict with what it rests on and where the reports are. Strings from a bank can't
 * move the cursor.
 */
export function consoleSummary(
  whole: Report,
  exchanges: ExchangeRecord[],
  options: ConsoleOptions = {},
): string {
  const report = boundedReport(whole)
  const paint = pc.createColors(options.colour ?? false)
  const writer = createWriter(paint, options.width ?? 100)
  if (report.preflight) notJudged(report, writer, paint)
  else findings(report, exchanges, options, writer, paint)
  ending(report, options, writer, paint)
  return `${writer.lines.join('\n')}\n`
}

interface Writer {
  lines: string[]
  /** A line that begins at the margin; what does not fit goes on below, indented. */
  line(text: string, as?: (text: string) => string): void
  /** A label and a text beside it. */
  row(label: string, text: string | undefined, as?: (text: string) => string): void
}

function createWriter(paint: Paint, width: number): Writer {
  const lines: string[] = []
  const plain = (text: string) => text
  return {
    lines,
    line(text, as = plain) {
      lines.push(...wrapped(text, width, '  ').map(as))
    },
    row(label, text, as = plain) {
      if (text === undefined || text === '') return
      const indent = ' '.repeat(LABEL + 2)
      const [first = '', ...more] = wrapped(text, width - LABEL - 2, '')
      lines.push(`  ${paint.dim(label.padEnd(LABEL))}${as(first)}`)
      for (const part of more) lines.push(`${indent}${as(part)}`)
    },
  }
}

function findings(
  report: Report,
  exchanges: ExchangeRecord[],
  options: ConsoleOptions,
  { lines, line, row }: Writer,
  paint: Paint,
): void {
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]))
  const checks = new Map(report.checks.map((check) => [check.id, check]))
  const requirements = requirementsById(report)
  const first = (cause: ReportedCause) => checks.get(cause.findings[0] ?? '')
  const open = report.causes.filter((cause) => !cause.known)
  const wrong = open.filter((cause) => ['fail', 'error'].includes(first(cause)?.outcome ?? ''))
  const most = options.causes ?? 20
  for (const cause of wrong.slice(0, most)) {
    const check = first(cause) as CheckResult
    const exchange = byId.get(check.exchanges[0] ?? '')
    const requirement = requirements.get(check.requirement)
    line(
      `${check.outcome === 'error' ? 'ERROR' : 'FAIL'}  ${check.id}  ${brief(check.title, 300)}`,
      paint.red,
    )
    row('whose', `${WHOSE[cause.whose]}${cause.where ? ` · ${cause.where}` : ''}`)
    row('found', cause.title)
    if (check.message.split('\n')[0] !== cause.title) row('', brief(check.message, 300))
    if (requirement) {
      const [quote] = requirement.quote
      const words = quote === undefined ? requirement.text : quoted(brief(quote, 300))
      row('sentence', `${words} (${requirement.level}, ${requirement.source})`)
    }
    row('expected', brief(check.expected ?? '', 300))
    row('actual', brief(check.actual ?? '', 300))
    if (exchange) row('exchange', `${exchange.id}  ${headline(exchange)}`)
    const { control } = check
    if (control) row('control', `${control.exchange}  without the deviation: ${control.summary}`)
    const excerpt = excerptOf(check, exchange)
    if (excerpt) {
      for (const text of excerptLines(excerpt)) {
        const shown = `${' '.repeat(LABEL + 2)}${text}`.slice(0, options.width ?? 100)
        lines.push(text.startsWith('>') ? paint.yellow(shown) : paint.dim(shown))
      }
    }
    const [, ...others] = cause.findings
    if (others.length > 0)
      row('explains', `${others.join(' ')}${cause.evidence ? `: ${cause.evidence}` : ''}`)
    if (cause.blocks.length > 0) row('blocks', counted(cause.blocks.length, 'check'))
    row('repeat', repeat(check, options))
    lines.push('')
  }
  if (wrong.length > most)
    lines.push(`… and ${counted(wrong.length - most, 'more cause')} in the report`, '')

  const before = lines.length
  for (const cause of open) {
    const check = first(cause)
    if (check?.outcome === 'warn') {
      line(
        `warn  ${cause.findings.join(' ')}  ${brief(cause.title, 200)}${blocking(cause)}`,
        paint.yellow,
      )
    } else if (!check) {
      line(
        `blocked  ${counted(cause.blocks.length, 'check')} by ${WHOSE[cause.whose]}: ${brief(cause.title, 200)}`,
        paint.yellow,
      )
    }
  }
  for (const cause of report.causes.filter(({ known }) => known)) {
    const until = first(cause)?.deviation?.expires
    line(
      `known  ${cause.findings.join(' ')}  until ${brief(until ?? '', 40)}${blocking(cause)}`,
      paint.yellow,
    )
  }
  if (lines.length > before) lines.push('')
}

function blocking({ blocks }: ReportedCause): string {
  return blocks.length > 0 ? `; blocks ${counted(blocks.length, 'check')}` : ''
}

function repeat({ id }: CheckResult, { folder }: ConsoleOptions): string | undefined {
  return folder === undefined ? undefined : `assay reproduce ${id} --run ${folder}`
}

function notJudged({ preflight = [] }: Report, { line, row, lines }: Writer, paint: Paint): void {
  for (const { level, text, whose, mend } of preflight) {
    if (level !== 'wrong') continue
    line(`wrong  ${brief(text, 400)}`, paint.magenta)
    if (whose) row('whose', WHOSE[whose])
    row('mend', mend)
    lines.push('')
  }
}

function ending(report: Report, options: ConsoleOptions, writer: Writer, paint: Paint): void {
  const { line, lines } = writer
  const reasons = new Map<string, number>()
  for (const { kind, why } of report.leftBehind) {
    const key = `${kind}\n${why}`
    reasons.set(key, (reasons.get(key) ?? 0) + 1)
  }
  for (const [key, n] of reasons) {
    const [kind = '', why = ''] = key.split('\n')
    line(`left behind  ${counted(n, kind)}: ${brief(why, 200)}`)
  }
  for (const problem of report.problems) line(`problem  ${brief(problem, 300)}`, paint.red)
  if (report.partial && !report.preflight)
    line(`partial  ${brief(report.partial, 300)}`, paint.yellow)
  if (report.resumed) {
    const { since, checks, approvals } = report.resumed
    const what = `${counted(checks, 'check')} and ${counted(approvals, 'approval')}`
    line(`resumed  ${what} of the run that began at ${since}`)
  }
  const tone =
    !judgedAnything(report) || report.verdict === 'error'
      ? paint.magenta
      : toneOf(paint)[report.verdict]
  const word = verdictWord(report).toUpperCase()
  line(`${word}  ${brief(report.target.name, 100)} (${brief(scopeWords(report), 200)})`, (text) =>
    paint.bold((tone ?? paint.yellow)(text)),
  )
  if (judgedAnything(report)) {
    line(verdictSentence(report))
    line(
      `${outcomeFigures(report)
        .map(({ word: outcome, n }) => `${count(n)} ${outcome}`)
        .join(' · ')} of ${count(report.checks.length)} ${partsOf(report)}`,
    )
    const visits = sizeFigures(report).find(({ word: what }) => what === 'visits')
    const took = Date.parse(report.finishedAt) - Date.parse(report.startedAt)
    const sent = counted(report.requests, 'request')
    line(
      visits
        ? `${sent}, ${counted(visits.n, 'visit')} ${visits.meaning}, ${span(took)}`
        : `${sent}, ${span(took)}`,
    )
  }
  if (options.path) lines.push(`report  ${options.path}`)
}

const partsOf = ({ target }: Report) =>
  target.side === 'TPP' ? 'scenarios and rules' : 'checks and rules'

function toneOf({
  green,
  red,
  yellow,
}: Paint): Partial<Record<Report['verdict'], (text: string) => string>> {
  return { conformant: green, nonconformant: red, incomplete: yellow }
}
