import { join } from 'node:path'
import { type Catalogue, loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { targetFrom } from '../engine/configuration/resolve.ts'
import { type Result, ruleResults, verdictOf } from '../engine/judge/results.ts'
import { makeFolder } from '../engine/record/make-folder.ts'
import { ASSAY, word } from '../engine/record/program.ts'
import { onEnd } from '../engine/record/signals.ts'
import { writeWhole } from '../engine/record/write-whole.ts'
import { counted, quoted, visible } from '../engine/report/escape.ts'
import { messageText } from '../engine/report/message-text.ts'
import { essenceOf, evidenceOf } from '../engine/report/queries.ts'
import { readRun } from '../engine/report/read-run.ts'
import { EXPORTS, FORMATS } from '../engine/report/request-export.ts'
import { say, shown, shownLines } from '../engine/report/terminal.ts'
import { checkResult } from '../engine/run/compose.ts'
import { openSession } from '../engine/run/open.ts'
import { judgeOne } from '../engine/run/run-check.ts'
import { loadSuites, type Suites } from '../engine/run/suites.ts'
import type { SuiteCheck } from '../engine/suite-api/check.ts'
import { createRedactor } from '../engine/wire/redaction.ts'
import { nearest } from '../engine/yaml/nearest.ts'
import { holdFolders, SUITES } from './folders.ts'
import { isObstructed } from './obstacles.ts'
import { type OpenedTarget, openTargetOf } from './open-target.ts'
import { oneOf } from './option-values.ts'
import { UsageError, written } from './usage.ts'

interface Options {
  target?: string
  run?: string
  cell?: string
  /** Show only the judged messages and their control. */
  short?: boolean
}

/**
 * `assay reproduce CHECK`: runs one check with its one deviation, and prints every message after the finding, redacted.
 * For a check of a table: the cells that broke in the run that --run names, or the cell that --cell names. Without
 * CHECK: everything that failed in that run.
 */
export async function reproduce(
  id: string | undefined,
  options: Options & { export?: string; out?: string },
): Promise<void> {
  if (options.export !== undefined) return exported(id, options)
  const catalogue = loadCatalogue()
  const suites = await loadSuites(SUITES, catalogue)
  const run = options.run === undefined ? undefined : await readRun(options.run)
  const tasks = checksOf(id, run, suites, catalogue)
  const opened = await openTargetOf(options.target, options.run)
  let release = () => {}
  try {
    release = holdFolders({ memory: opened.memory, name: opened.document.name })
    if (await isObstructed(opened)) return
    const results: Result[] = []
    const { short = false } = options
    for (const [wanted, check] of tasks) {
      const cells = cellsOf(check.id, options.cell, run)
      results.push(await again(wanted, check, { opened, suites, catalogue, cells, short }))
    }
    process.exitCode = exitCodeOf(results)
  } finally {
    release()
    await opened.close()
  }
}

/** `assay reproduce CHECK --run FOLDER --export har`: exports what a run recorded for a check; nothing is sent. */
async function exported(
  id: string | undefined,
  { run: folder, export: format = '', out, short }: Parameters<typeof reproduce>[1],
): Promise<void> {
  const write = EXPORTS[oneOf('--export', FORMATS, format)]
  if (id === undefined || folder === undefined) {
    throw new UsageError('--export needs a check and --run FOLDER: it sends nothing itself')
  }
  const { report, exchanges } = await readRun(folder)
  const check = report.checks.find((each) => each.id === id)
  if (!check) throw new UsageError(`the run in ${folder} has no ${id}`)
  const wanted = short ? essenceOf(check) : evidenceOf(check)
  const found = exchanges.filter((exchange) => wanted.includes(exchange.id))
  if (found.length === 0) throw new UsageError(`no exchange stands behind ${id} in that run`)
  const of = { name: id.replace('/', '-'), version: report.assay.version }
  const files = write(of, found)
  const [only, ...more] = files
  if (out === undefined && more.length > 0) {
    throw new UsageError(`--export ${format} writes several files: name a folder with --out`)
  }
  if (out === undefined) return say(shownLines((only?.content ?? '').trimEnd()))
  await written('--out', out, () => {
    if (more.length === 0) return writeWhole(out, only?.content ?? '')
    makeFolder(out)
    for (const { name, content } of files) writeWhole(join(out, name), content)
  })
  say(shown`${out}  ${counted(found.length, 'exchange')}`)
}

/** The exit code of a run, but 0 when all was judged and no must broke: a reproduction gives no verdict. */
function exitCodeOf(results: Result[]): number {
  const { exitCode } = verdictOf(results)
  const judged = results.every(({ outcome }) => ['pass', 'warn', 'observed'].includes(outcome))
  return judged && results.length > 0 ? 0 : exitCode
}

/** What is run again, by id: a check, or for a rule the check that sent the message that broke it. */
function checksOf(
  id: string | undefined,
  run: Run | undefined,
  { checks }: Suites,
  { owners }: Catalogue,
): Map<string, SuiteCheck> {
  if (id === undefined && run === undefined) {
    throw new UsageError('Name a check, or give --run FOLDER to do again what failed there.')
  }
  const failed = run?.report.checks.filter(({ outcome }) => outcome === 'fail') ?? []
  if (id === undefined && failed.length === 0) throw new UsageError('nothing failed in that run')
  const ids = id === undefined ? failed.map((check) => check.id) : [id]

  const senderOf = (wanted: string): SuiteCheck => {
    const check = checks.find((each) => each.id === wanted)
    if (check) return check
    const kept = run?.report.checks.find((each) => each.id === wanted)?.case
    if (kept !== undefined)
      throw new UsageError(
        `${wanted} is a kept case: ${ASSAY} explore --cases ${word(kept)} plays it.`,
      )
    if (!owners.has(wanted)) {
      const alike = checks.map((each) => each.id).filter((each) => each.startsWith(`${wanted}/`))
      const meant = nearest(wanted, [...owners.keys()])
      const near = meant === undefined ? '.' : `. Did you mean ${meant}?`
      const hint = alike.length > 0 ? `: ${alike.join(', ')}.` : near
      throw new UsageError(`${wanted} is no check${hint} See ${ASSAY} run --list.`)
    }
    const broken = run?.report.checks.find((each) => each.id === wanted)?.exchanges[0]
    const about = run?.exchanges.find((exchange) => exchange.id === broken)?.about
    const sender = checks.find((each) => each.id === about?.check)
    if (sender) return sender
    const what = `${wanted} is a rule: it judges whatever comes, and has no steps of its own.`
    throw new UsageError(`${what} Give --run FOLDER of a run that broke it.`)
  }
  return new Map(ids.map((wanted) => [wanted, senderOf(wanted)]))
}

type Run = Awaited<ReturnType<typeof readRun>>

/** The cells of a table that are tested again; undefined: those that a run draws by itself. */
function cellsOf(
  id: string,
  cell: string | undefined,
  run: Run | undefined,
): readonly string[] | undefined {
  if (cell !== undefined) return [cell]
  const broken = run?.report.checks.find((check) => check.id === id)?.cells?.broken
  return broken && broken.length > 0 ? broken : undefined
}

async function again(
  id: string,
  check: SuiteCheck,
  parts: {
    opened: OpenedTarget
    suites: Suites
    catalogue: Catalogue
    cells?: readonly string[]
    short: boolean
  },
): Promise<Result> {
  const { opened, suites, catalogue, cells, short } = parts
  const target = targetFrom(opened.document, opened.base)
  const redactor = createRedactor(target.secrets)
  const redact = (text: string) => visible(redactor.redactText(text))
  const requirement = catalogue.owners.get(id)
  const messages: { id?: string; text: string }[] = []
  const texts = () => messages.map(({ text }) => text).join('\n\n')
  const session = openSession({
    target,
    suites,
    memory: opened.memory,
    onExchange: (exchange) => {
      const text = messageText(redactor.redactExchange(exchange), check.id)
      messages.push({ id: exchange.id, text })
    },
  })
  if (cells) session.extent.named = cells
  say(shown`${check.id}  ${check.title}`)
  if (id !== check.id) say(shown`sends what the rule ${id} judges`)
  say(shown`${requirement?.id}  ${requirement?.level}  ${requirement?.source}`)
  for (const words of requirement?.quote ?? []) say(shown`  ${quoted(words)}`)
  say(shown``)

  const cleanUp = async () => {
    messages.push({ text: '-- cleaning up' })
    for (const { kind, id: left, why } of await session.cleanUp()) {
      messages.push({ text: `left behind: ${kind} ${redact(left)}: ${redact(why)}` })
    }
    await session.close()
  }
  const stopListening = onEnd(() => {
    say(shown`-- interrupted; once more to leave at once`)
    void cleanUp().finally(() => {
      say(shownLines(texts()))
      process.exit(130)
    })
  })
  const { result } = await judgeOne(check, session, catalogue)
  stopListening()
  const notAsked = cells?.filter((cell) => !session.cells.get(check.id)?.asked.includes(cell)) ?? []
  const results = new Map([[result.id, result]])
  const states = session.rules.states()
  const rules = ruleResults(states, catalogue, results, session.owners.endpoints)
  const judged = rules.find((rule) => rule.id === id) ?? result
  await cleanUp()
  if (notAsked.length > 0)
    throw new UsageError(
      `${check.id} has no ${notAsked.join(', ')} at this bank. See cells in report.json.`,
    )
  tell(judged, redact)
  // Print other rules that a message broke, because they may be the cause.
  for (const rule of rules) {
    if (rule === judged || !['fail', 'warn'].includes(rule.outcome)) continue
    say(shown`also ${rule.outcome}: ${rule.id}  ${redact(rule.message)}`)
  }
  if (short) {
    const essence = essenceOf(checkResult(judged, redact))
    const own = messages.filter(({ id: sent = '' }) => essence.includes(sent))
    messages.splice(0, messages.length, ...own)
  }
  const shortHead = messages.length > 1 ? 'The control, then what was judged:' : 'What was judged:'
  const head = short ? shortHead : 'Messages, as they went:'
  say(shown`\n${head}\n`, shownLines(`${texts()}\n`))
  return judged
}

function tell(result: Result, redact: (text: string) => string): void {
  const { outcome, message, expected, actual, place, exchanges } = checkResult(result, redact)
  say(shown`\n${outcome.toUpperCase()}  ${result.id}  ${message}`)
  const { because } = result
  const blocked = outcome === 'blocked' && because?.kind === 'check'
  const next = blocked ? `${ASSAY} reproduce ${because.id}` : undefined
  const facts = { expected, actual, place, exchange: exchanges[0], next }
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) say(shown`  ${name.padEnd(9)} ${value}`)
  }
}
