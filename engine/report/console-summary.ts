import pc from 'picocolors'
import {
  blockedBy,
  cellsSentence,
  earlierWords,
  judgedAnything,
  outcomeFigures,
  scopeWords,
  sizeFigures,
  verdictHeadline,
  verdictSentence,
  WHOSE,
} from './counts.ts'
import { brief, count, counted, quoted, span, wrapped } from './escape.ts'
import { excerptLines, excerptOf } from './excerpt.ts'
import { nearestTo, roleOfControl } from './nearest.ts'
import { durationOf, grouped, headline, type Indexed, indexed, repeatCommand } from './queries.ts'
import type {
  CheckResult,
  ExchangeRecord,
  Report,
  ReportedCause,
  ReportedRecording,
} from './report.ts'
import { BANK_MEND } from './whose.ts'

export interface ConsoleOptions {
  /** Path of report.html, as the user would type it. */
  path?: string
  /** Folder of the run, as the user would type it, for the command that repeats a finding. */
  folder?: string
  colour?: boolean
  /** Line width in characters; default 100. */
  width?: number
}

/** Maximum number of causes that are shown; the rest are counted. */
const MOST = 20
/** Width of a label in columns. */
const LABEL = 10

/**
 * What the terminal shows at the end of a run: each cause once with what it explains, warnings by name, then the
 * verdict with its basis, and where the reports are. Strings from a bank can't move the cursor.
 */
export function consoleSummary(
  whole: Report,
  exchanges: ExchangeRecord[],
  options: ConsoleOptions = {},
): string {
  const run = indexed(whole, exchanges)
  const writer = createWriter(options)
  if (run.report.preflight) notJudged(run.report, writer)
  else findings(run, options, writer)
  ending(run.report, writer)
  if (options.path) writer.lines.push(`report  ${options.path}`)
  return `${writer.lines.join('\n')}\n`
}

type Writer = ReturnType<typeof createWriter>

function createWriter({ colour = false, width = 100 }: ConsoleOptions) {
  const paint = pc.createColors(colour)
  const lines: string[] = []
  const indent = ' '.repeat(LABEL + 2)
  return {
    paint,
    lines,
    /** A line that begins at the margin and continues indented on the next lines. */
    line(text: string, as: (part: string) => string = String) {
      lines.push(...wrapped(text, width, '  ').map((part) => as(part)))
    },
    /** A label with a text beside it. */
    row(label: string, text: string | undefined) {
      if (!text) return
      const [first = '', ...more] = wrapped(text, width - LABEL - 2, '')
      lines.push(`  ${paint.dim(label.padEnd(LABEL))}${first}`)
      for (const part of more) lines.push(`${indent}${part}`)
    },
    /** Lines of a body, with the wrong part marked. */
    excerpt(check: CheckResult, exchange: ExchangeRecord | undefined) {
      for (const text of excerptLines(excerptOf(check, exchange))) {
        const as = text.startsWith('>') ? paint.yellow : paint.dim
        lines.push(as(`${indent}${text}`.slice(0, width)))
      }
    },
  }
}

/** Most of what rules judge is absent from a recording: this gives one number instead of a line for each. */
function unasked(causes: readonly ReportedCause[]): string {
  const idle = causes.filter(({ whose }) => whose === 'nobody').flatMap(({ blocks }) => blocks)
  return `${counted(idle.length, 'rule')} met nothing that they can judge`
}

function findings(run: Indexed, options: ConsoleOptions, writer: Writer): void {
  const { report, checks } = run
  const { paint, lines, line, row } = writer
  const first = (cause: ReportedCause) => checks.get(cause.findings[0] ?? '')
  const open = report.causes.filter((cause) => !cause.known)
  const wrong = open.filter((cause) => ['fail', 'error'].includes(first(cause)?.outcome ?? ''))
  for (const cause of wrong.slice(0, MOST)) {
    finding(cause, first(cause) as CheckResult, run, options, writer)
  }
  if (wrong.length > MOST)
    lines.push(`… and ${counted(wrong.length - MOST, 'more cause')} in the report`, '')

  const before = lines.length
  for (const cause of open) {
    const check = first(cause)
    const ids = cause.findings.join(' ')
    const title = brief(cause.title, 200)
    if (check?.outcome === 'warn') {
      line(`warn  ${ids}  ${title}${blocking(cause)}`, paint.yellow)
      if (cause.blocks.length > 0 || cause.mend !== BANK_MEND) {
        row('at fault', whoseAndWhere(cause))
        row('to fix', cause.mend)
      }
    } else if (!check && !(report.recording && cause.whose === 'nobody')) {
      const blocks = counted(cause.blocks.length, 'check')
      line(`blocked  ${blocks}${blockedBy(cause.whose)}: ${title}`, paint.yellow)
      row('where', cause.where)
      row('to fix', cause.mend)
    }
  }
  if (report.recording) line(`${unasked(open)}; the page says what`, paint.dim)
  for (const cause of report.causes.filter(({ known }) => known)) {
    const { expires = '', reason = '', ticket } = first(cause)?.deviation ?? {}
    const why = `${brief(reason.replace(/\.$/, ''), 80)}${ticket === undefined ? '' : ` (${brief(ticket, 40)})`}`
    const until = `until ${brief(expires, 40)}: ${why}`
    line(`known  ${cause.findings.join(' ')}  ${until}${blocking(cause)}`, paint.yellow)
  }
  if (lines.length > before) lines.push('')
}

function blocking({ blocks }: ReportedCause): string {
  return blocks.length > 0 ? `; blocks ${counted(blocks.length, 'check')}` : ''
}

const whoseAndWhere = ({ whose, where }: ReportedCause): string =>
  `${WHOSE[whose]}${where ? ` · ${where}` : ''}`

/** Shows one cause by its first finding. */
function finding(
  cause: ReportedCause,
  check: CheckResult,
  run: Indexed,
  { folder }: ConsoleOptions,
  { paint, lines, line, row, excerpt }: Writer,
): void {
  const { requirements, exchanges } = run
  const { id, outcome, message, control } = check
  const exchange = exchanges.get(check.exchanges[0] ?? '')
  const requirement = requirements.get(check.requirement)
  line(`${outcome === 'error' ? 'ERROR' : 'FAIL'}  ${id}  ${brief(check.title, 300)}`, paint.red)
  row('at fault', whoseAndWhere(cause))
  row('found', cause.title)
  if (!message.startsWith(cause.title.slice(0, 200))) row('', brief(message, 300))
  for (const near of nearestTo(check, run)) row('differs', near)
  if (requirement) {
    const [quote] = requirement.quote
    const words = quote === undefined ? requirement.text : quoted(brief(quote, 300))
    row('sentence', `${words} (${requirement.level}, ${requirement.source})`)
  }
  row('expected', brief(check.expected ?? '', 300))
  row('actual', brief(check.actual ?? '', 300))
  row('exchange', exchange && `${exchange.id}  ${headline(exchange)}${senderOf(exchange)}`)
  row('control', control && `${control.exchange}  ${roleOfControl(check, run)}: ${control.summary}`)
  excerpt(check, exchange)
  const [, ...others] = cause.findings
  if (others.length > 0)
    row('explains', `${others.join(' ')}${cause.evidence ? `: ${cause.evidence}` : ''}`)
  else row('common', cause.evidence)
  if (cause.blocks.length > 0) row('blocks', counted(cause.blocks.length, 'check'))
  row('to fix', cause.mend)
  if (folder !== undefined) row('repeat', repeatCommand(check, folder))
  lines.push('')
}

/** `, by client second, night.har entry 12` */
const senderOf = ({ about: { client, recorded } }: ExchangeRecord): string =>
  [
    typeof client === 'string' && `, by client ${client}`,
    typeof recorded === 'string' && `, ${recorded}`,
  ]
    .filter(Boolean)
    .join('')

function notJudged({ preflight = [] }: Report, { paint, line, row, lines }: Writer): void {
  for (const { level, text, whose, mend } of preflight) {
    if (level !== 'wrong') continue
    line(`wrong  ${brief(text, 400)}`, paint.magenta)
    if (whose) row('at fault', WHOSE[whose])
    row('to fix', mend)
    lines.push('')
  }
}

/** Reports what was read, which part of it is not in the interface, and what it does not show. */
function recorded(
  { files, span: between, elsewhere, lacks }: ReportedRecording,
  line: (text: string) => void,
): void {
  for (const { file, format, exchanges, unsent, unreadable } of files) {
    const others = [
      unsent > 0 && `${count(unsent)} that no server was asked for`,
      unreadable > 0 && `${count(unreadable)} that could not be read`,
    ].filter(Boolean)
    const beside = others.length > 0 ? `, and ${others.join(', ')}` : ''
    line(`read  ${brief(file, 200)} (${format}): ${counted(exchanges, 'exchange')}${beside}`)
  }
  if (between) line(`from  ${between.from} to ${between.to}`)
  for (const { name, exchanges } of elsewhere.slice(0, MOST_NAMED)) {
    line(`no operation  ${counted(exchanges, 'exchange')}: ${brief(name, 200)}`)
  }
  for (const { what, rules } of lacks.slice(0, MOST_NAMED)) {
    line(`not told  ${what}: ${counted(rules, 'rule')} could not judge an exchange without it`)
  }
}

/** Maximum number of lines of one kind. */
const MOST_NAMED = 6

function ending(report: Report, { paint, line }: Writer): void {
  const left = grouped(report.leftBehind, ({ kind, why }) => `${kind}: ${why}`)
  for (const alike of left.values()) {
    const [{ kind, why }] = alike
    line(`left behind  ${counted(alike.length, kind)}: ${brief(why, 200)}`)
  }
  for (const { name, effect, weakens } of report.assay.environment ?? []) {
    if (weakens) line(`environment  ${name}: ${effect}`, paint.yellow)
  }
  for (const problem of report.problems) line(`problem  ${brief(problem, 300)}`, paint.red)
  if (report.partial && !report.preflight && !report.recording)
    line(`partial  ${brief(report.partial, 300)}`, paint.yellow)
  if (report.resumed) {
    const { since, checks, approvals } = report.resumed
    const what = `${counted(checks, 'check')} and ${counted(approvals, 'approval')}`
    line(`resumed  ${what} of the run that began at ${since}`)
  }
  const judged = judgedAnything(report)
  const tones = {
    conformant: paint.green,
    nonconformant: paint.red,
    incomplete: paint.yellow,
    error: paint.magenta,
  }
  const tone = judged ? tones[report.verdict] : paint.magenta
  const scope = `(${brief(scopeWords(report), 200)})`
  if (report.recording) recorded(report.recording, line)
  const name = `${brief(report.target.name, 100)} ${scope}${earlierWords(report)}`
  const [word, ...rest] = verdictHeadline(report).split(',')
  const verdict = [word?.toUpperCase(), ...rest].join(',')
  line(`${verdict}  ${name}`, (text) => paint.bold(tone(text)))
  if (!judged) return
  line(verdictSentence(report))
  const outcomes = outcomeFigures(report).map(({ word, n }) => `${count(n)} ${word}`)
  const parts = report.target.side === 'TPP' ? 'scenarios and rules' : 'checks and rules'
  line(`${outcomes.join(' · ')} of ${count(report.checks.length)} ${parts}`)
  if (report.recording) return
  const visits = sizeFigures(report).find(({ word }) => word === 'visits')
  const visited = visits ? `, ${counted(visits.n, 'visit')} ${visits.meaning}` : ''
  line(`${counted(report.requests, 'request')}${visited}, ${span(durationOf(report))}`)
  if (report.cells) line(cellsSentence(report))
}
