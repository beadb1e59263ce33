import type { CheckResult } from '../engine/report/report.ts'
import type { Progress } from '../engine/run/supervise.ts'

const MARKS: [string, string][] = [
  ['fail', 'fail'],
  ['error', 'error'],
  ['warn', 'warn'],
  ['blocked', 'blocked'],
  ['not-applicable', 'not applicable'],
  ['not-run', 'not run'],
]

/** Writes one line per chapter as it ends, and every failure at once. */
export function createProgress(target: string): Progress & { end(): void } {
  let chapter: string | undefined
  let counts = new Map<string, number>()
  const began = Date.now()
  console.log(`Judging ${target}`)

  const flush = () => {
    if (chapter === undefined) return
    const good = (counts.get('pass') ?? 0) + (counts.get('observed') ?? 0)
    const rest = MARKS.filter(([outcome]) => counts.has(outcome)).map(
      ([outcome, word]) => `${counts.get(outcome)} ${word}`,
    )
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    const words = [`${good} passed`, ...rest].join(', ')
    console.log(`  ${seconds.padStart(5)} s  ${chapter.padEnd(38)} ${words}`)
    counts = new Map()
  }

  return {
    judged(name: string, result: CheckResult) {
      if (name !== chapter) flush()
      chapter = name
      counts.set(result.outcome, (counts.get(result.outcome) ?? 0) + 1)
      if (result.outcome !== 'fail' && result.outcome !== 'error') return
      console.log(`  ${result.outcome.toUpperCase()} ${result.id}  ${result.title}`)
      console.log(`       ${result.message.split('\n')[0]}`)
      if (result.expected !== undefined) console.log(`       expected ${result.expected}`)
      if (result.actual !== undefined) console.log(`       actual   ${result.actual}`)
      if (result.exchanges[0]) console.log(`       exchange ${result.exchanges[0]}`)
    },
    note(text: string) {
      console.log(`  ${text}`)
    },
    end() {
      flush()
      chapter = undefined
    },
  }
}
