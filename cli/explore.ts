import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Catalogue, loadCatalogue } from '../engine/catalogue/catalogue.ts'
import type { Session } from '../engine/client-session/session.ts'
import { targetFrom } from '../engine/configuration/resolve.ts'
import { caseText } from '../engine/explore/case-file.ts'
import {
  type Explored,
  explore,
  type Finding,
  type Parts,
  playCase,
} from '../engine/explore/explore.ts'
import { moveWords } from '../engine/model/moves.ts'
import { makeFolder } from '../engine/record/make-folder.ts'
import { ASSAY, word } from '../engine/record/program.ts'
import { onEnd } from '../engine/record/signals.ts'
import { writeWhole } from '../engine/record/write-whole.ts'
import { counted, quoted, visible } from '../engine/report/escape.ts'
import { say, shown } from '../engine/report/terminal.ts'
import { openSession } from '../engine/run/open.ts'
import { loadHistoryParts, loadSuites } from '../engine/run/suites.ts'
import { createRedactor } from '../engine/wire/redaction.ts'
import { writeAsCheck } from './case-to-check.ts'
import { holdFolders, reportsFolder, SUITES, typed } from './folders.ts'
import { casesIn, type ReadCase } from './kept-cases.ts'
import { isObstructed } from './obstacles.ts'
import { type OpenedTarget, openTargetOf } from './open-target.ts'
import { LEVEL_FAIL_ON, oneOf } from './option-values.ts'
import { createProgress, screen } from './progress.ts'
import { number } from './usage.ts'

interface Options {
  target?: string
  seed?: string
  steps?: string
  minutes?: string
  visits?: string
  cases?: string
  asCheck?: string
  out?: string
  failOn?: string
}

/** Limit of visits when people approve, unless --visits sets another one. */
const VISITS_OF_PEOPLE = '6'

/** `assay explore`: random histories at the bank and what they find; with --cases, the histories that are kept. */
export async function exploreTarget(options: Options): Promise<void> {
  const failOn = oneOf('--fail-on', LEVEL_FAIL_ON, options.failOn ?? 'must')
  const seed = number('--seed', options.seed, 1e9) ?? 1
  const steps = number('--steps', options.steps, 1e7)
  const minutes = number('--minutes', options.minutes, 10_000)
  const catalogue = loadCatalogue()
  const kept = options.cases === undefined ? undefined : casesIn(options.cases, catalogue)
  if (options.asCheck !== undefined) return writeAsCheck(options.asCheck, kept, catalogue)
  const opened = await openTargetOf(options.target, undefined)
  const { document, memory } = opened
  let release = () => {}
  try {
    const attended = document.authorisation.driver === 'ask'
    const visits = number(
      '--visits',
      options.visits ?? (attended ? VISITS_OF_PEOPLE : undefined),
      1e6,
    )
    release = holdFolders({ memory, name: document.name })
    if (await isObstructed(opened)) return
    const out = resolve(options.out ?? join(reportsFolder(document.name), 'explored'))
    const work = { opened, catalogue, out, failOn }
    if (kept) return await playKept(work, kept)
    const time = minutes === undefined ? undefined : minutes * 60_000
    const limits = { seed, visits, time, steps: steps ?? (time === undefined ? 500 : 1e7) }
    await walkAt(work, limits)
  } finally {
    release()
    await opened.close()
  }
}

interface Work {
  opened: OpenedTarget
  catalogue: Catalogue
  /** Folder into which cases are written. */
  out: string
  failOn: (typeof LEVEL_FAIL_ON)[number]
}

/** Opens a session, calls `act`, and deletes what the session created, also after Ctrl-C. */
async function atBank<Result>(
  { opened, catalogue }: Work,
  act: (session: Session, parts: Parts, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const suites = await loadSuites(SUITES, catalogue)
  const histories = await loadHistoryParts(SUITES)
  const target = targetFrom(opened.document, opened.base)
  const session = openSession({ target, suites, memory: opened.memory })
  const stop = new AbortController()
  const stopListening = onEnd(() => {
    session.interrupt()
    stop.abort()
    process.exitCode = 130
  })
  try {
    return await act(session, { catalogue, ...histories }, stop.signal)
  } finally {
    const clean = cleaner(opened)
    for (const { kind, id, why } of await session.cleanUp()) {
      if (kind === 'consent') say(shown`left behind  ${kind} ${clean(id)}: ${clean(why)}`)
    }
    stopListening()
    await session.close()
  }
}

async function walkAt(work: Work, limits: Omit<Parameters<typeof explore>[2], 'signal'>) {
  const { opened, out } = work
  const { name } = opened.document
  const progress = createProgress(screen())
  progress.doing(`Exploring ${name}, --seed ${limits.seed}`, true)
  const tell = teller(work)
  const files: string[] = []
  const explored = await atBank(work, (session, parts, signal) =>
    explore(session, parts, { ...limits, signal }, (finding) => {
      progress.end()
      files.push(written(work, finding))
      tell(finding, files.at(-1))
    }),
  ).finally(() => progress.end())
  say(shown`${summaryOf(explored)}`)
  const clean = cleaner(opened)
  for (const [why, times] of explored.stopped) {
    say(shown`${counted(times, 'walk')} ended early: ${clean(why)}`)
  }
  if (files.length > 0)
    say(shown`repeat  ${ASSAY} explore --cases ${word(typed(out))}${targetOption(opened)}`)
  conclude(explored.findings, work)
}

/** Text of a bank made safe to show and to write: without secrets and control characters. */
function cleaner({ document, base }: OpenedTarget): (text: string) => string {
  const redactor = createRedactor(targetFrom(document, base).secrets)
  return (text) => visible(redactor.redactText(text))
}

const targetOption = ({ ours, file }: OpenedTarget) =>
  ours ? '' : ` --target ${word(typed(file))}`

function summaryOf({ steps, histories, coverage, findings }: Explored): string {
  const [events = 0, pairs = 0, triples = 0] = coverage.figures()
  const found = findings.length === 0 ? 'nothing broken seen' : counted(findings.length, 'finding')
  return [
    found,
    `${counted(steps, 'step')} in ${counted(histories, 'walk')}`,
    `${counted(events, 'event')}, ${counted(pairs, 'pair')} and ${counted(triples, 'triple')} of them in a row`,
  ].join(' · ')
}

/** Prints a finding on the terminal: the sentence, the steps and the answer. */
function teller({ opened, catalogue }: Work) {
  const clean = cleaner(opened)
  return ({ found, level, history, length, repeats, untried }: Finding, file?: string) => {
    const requirement = catalogue.requirements.get(found.id) ?? catalogue.owners.get(found.id)
    const word = repeats ? { must: 'FAIL', should: 'WARN', observe: 'NOTE' }[level] : 'FLAKY'
    say(shown`\n${word}  ${found.id}  ${requirement?.text ?? ''}`)
    say(shown`  found     ${clean(found.message)}`)
    for (const words of requirement?.quote ?? [])
      say(shown`  sentence  ${quoted(words)} (${level})`)
    say(shown`  expected  ${clean(found.expected)}\n  actual    ${clean(found.actual)}`)
    for (const [index, move] of history.entries()) say(shown`  ${index + 1}. ${moveWords(move)}`)
    const again = untried ? 'was not done again: no visits were left' : 'did not come again'
    const doubt = repeats ? '' : `: it ${again}, so it does not count`
    const shorter = history.length < length ? `, the shortest found of ${length}` : ''
    say(shown`  ${counted(history.length, 'step')}${shorter}${doubt}`)
    if (file !== undefined) say(shown`  case      ${typed(file)}`)
  }
}

function written({ out, opened }: Work, { found, history }: Finding): string {
  makeFolder(out)
  const name = found.id.replace('/', '-')
  const taken = (count: number) => join(out, count === 1 ? `${name}.yaml` : `${name}-${count}.yaml`)
  let count = 1
  while (existsSync(taken(count))) count += 1
  const message = cleaner(opened)(found.message)
  writeWhole(taken(count), caseText({ found: found.id, message, moves: history }))
  return taken(count)
}

async function playKept(work: Work, cases: readonly ReadCase[]): Promise<void> {
  const tell = teller(work)
  const findings = await atBank(work, async (session, parts, signal) => {
    const broken: Finding[] = []
    for (const { file, read } of cases) {
      if (signal.aborted) break
      const { finding, stopped } = await playCase(session, parts, read.moves)
      if (finding) broken.push(finding)
      if (finding) tell(finding)
      const end =
        stopped === undefined
          ? 'nothing broken'
          : `ended early: ${cleaner(work.opened)(stopped.message)}`
      const was = `, was ${read.found}`
      say(
        shown`${finding ? 'broken' : stopped === undefined ? 'ok' : 'blocked'}  ${typed(file)}  ${finding ? finding.found.id : end}${was}`,
      )
      if (stopped !== undefined && !finding) process.exitCode ??= 4
    }
    return broken
  })
  conclude(findings, work)
}

function conclude(findings: readonly Finding[], { failOn }: Work): void {
  const levels = failOn === 'should' ? ['must', 'should'] : ['must']
  const counts = findings.some(({ level, repeats }) => repeats && levels.includes(level))
  if (process.exitCode !== 130 && counts) process.exitCode = 1
}
