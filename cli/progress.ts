import { createLogUpdate } from 'log-update'
import pc from 'picocolors'
import { every } from '../engine/record/every.ts'
import { brief, count, counted, span } from '../engine/report/escape.ts'
import type { CheckResult } from '../engine/report/report.ts'
import { shown, write } from '../engine/report/terminal.ts'
import type { Standing } from '../engine/run/follow.ts'
import type { Progress } from '../engine/run/supervise.ts'

/** Where a run shows its progress. */
export interface Screen {
  stream: NodeJS.WriteStream
  /** Can one line be overwritten? */
  live: boolean
  colour: boolean
  /** Characters per line. */
  width: number
}

/** The terminal, or the file or pipe that the output goes to. */
export function screen(stream: NodeJS.WriteStream = process.stdout): Screen {
  const live = stream.isTTY === true && process.env.TERM !== 'dumb' && !process.env.CI
  const { NO_COLOR, FORCE_COLOR } = process.env
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== '0'
  const colour = !NO_COLOR && (forced || (stream.isTTY === true && process.env.TERM !== 'dumb'))
  const width = stream.columns || Number(process.env.COLUMNS) || 100
  return { stream, live, colour, width: Math.max(40, width) }
}

export interface RunProgress extends Progress {
  /** Shows what is done before anything is judged. `passing`: show it only where it can be overwritten. */
  doing(what: string, passing?: boolean): void
  /** From here on, `standing` tells the progress of the run. */
  follows(standing: () => Standing): void
  end(): void
}

/** Milliseconds between two updates of the live line. */
const EVERY = 200

/** One live line on a terminal; elsewhere one line for each chapter. */
export function createProgress(to: Screen): RunProgress {
  return to.live ? liveProgress(to) : plainProgress(to)
}

function liveProgress({ stream, colour, width }: Screen): RunProgress {
  const { bold, dim, red, yellow } = pc.createColors(colour)
  const update = createLogUpdate(stream)
  const began = performance.now()
  let chapter = ''
  let doing = ''
  let done = 0
  let failures = 0
  let standing: () => Standing = () => ({ requests: 0 })

  const line = () => {
    const { total, requests, waiting } = standing()
    const known = total !== undefined
    const words: Painted[] = [
      [known ? `${count(done)}/${count(total)}` : doing, bold],
      [known ? chapter : '', String],
      [known ? counted(requests, 'request') : '', dim],
      [failures > 0 ? counted(failures, 'failure') : '', red],
    ]
    if (waiting !== undefined) words.push([`waiting for a person: ${brief(waiting, 60)}`, yellow])
    else if (known) words.push([left(total), dim])
    return fitted(words, width - 1)
  }
  const left = (total: number) => {
    const took = performance.now() - began
    if (done === 0 || took < 2000) return ''
    return `about ${span(Math.max(1000, (took / done) * (total - done)))} left`
  }
  const draw = () => update(line())
  let timer: NodeJS.Timeout | undefined

  return {
    doing(what) {
      doing = what
      draw()
      timer ??= every(EVERY, draw).unref()
    },
    follows(tell) {
      standing = tell
    },
    judged(name, { outcome, deviation }) {
      chapter = name
      done += 1
      if ((outcome === 'fail' || outcome === 'error') && !deviation) failures += 1
    },
    note(text) {
      update.clear()
      write(stream, shown`${text}`)
      draw()
    },
    end() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      update.clear()
      update.done()
    },
  }
}

type Painted = [text: string, paint: (text: string) => string]

/** As many of the words as fit on one line, each in its colour. */
function fitted(words: Painted[], width: number): string {
  let free = width
  const shown: string[] = []
  for (const [text, paint] of words) {
    if (text === '' || free <= 0) continue
    const short = text.length <= free ? text : `${text.slice(0, Math.max(0, free - 1))}…`
    free -= short.length + 2
    shown.push(paint(short))
  }
  return shown.join('  ')
}

const WORDS: Partial<Record<CheckResult['outcome'], string>> = {
  fail: 'failed',
  error: 'in error',
  warn: 'warned',
  blocked: 'blocked',
  'not-applicable': 'not applicable',
  'not-run': 'not run',
}

/** Maximum number of ids on one line; the others are counted. */
const MOST_IDS = 3

function plainProgress({ stream }: Screen): RunProgress {
  const began = performance.now()
  const tell = (text: string) => write(stream, shown`${text}`)
  let chapter: string | undefined
  let results: CheckResult[] = []
  /** Chapters that have a line already: what spends an approval comes after the other chapters. */
  const named = new Set<string>()
  let standing: (() => Standing) | undefined
  let waited: string | undefined

  const flush = () => {
    // What the run did not reach is counted at its end.
    if (chapter === undefined || results.every(({ outcome }) => outcome === 'not-run')) {
      results = []
      return
    }
    const of = (...outcomes: string[]) => results.filter((each) => outcomes.includes(each.outcome))
    const rest = Object.entries(WORDS).map(([outcome, word]) => {
      const ids = of(outcome).map(({ id }) => id)
      if (ids.length === 0) return ''
      const more = ids.length > MOST_IDS ? ` and ${ids.length - MOST_IDS} more` : ''
      const named = ` (${ids.slice(0, MOST_IDS).join(' ')}${more})`
      return `${ids.length} ${word}${outcome === 'fail' || outcome === 'error' ? named : ''}`
    })
    const passed = of('pass', 'observed').length
    const words = [passed > 0 ? `${passed} passed` : '', ...rest].filter(Boolean).join(', ')
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const part = named.has(chapter) ? `${chapter}, continued` : chapter
    named.add(chapter)
    tell(`  ${seconds.padStart(5)} s  ${part.padEnd(38)} ${words}`)
    results = []
  }

  const timer = every(1000, () => {
    const waiting = standing?.().waiting
    if (waiting !== undefined && waiting !== waited) tell(`  waiting for a person: ${waiting}`)
    waited = waiting
  })
  timer.unref()

  return {
    doing(what, passing) {
      if (!passing) tell(what)
    },
    follows(tell) {
      standing = tell
    },
    judged(name, result) {
      if (name !== chapter) flush()
      chapter = name
      results.push(result)
    },
    note(text) {
      tell(`  ${text}`)
    },
    end() {
      clearInterval(timer)
      flush()
      chapter = undefined
    },
  }
}
