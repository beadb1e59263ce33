import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { problemOf } from '../record/formed.ts'
import { parsedJson } from '../record/json.ts'
import type { CheckResult, Observation, Report } from '../report/report.ts'
import type { Scope } from './scope.ts'

/** Name of the journal in the folder of a run. */
export const JOURNAL = 'judged.jsonl'

/** What the judging process records as it goes, redacted: enough to report a run whose process was killed. */
export type JournalLine =
  | {
      kind: 'start'
      pid: number
      checks: string[]
      /** Enough to report the run where none of its processes is left. */
      run?: {
        version: string
        scope: Scope
        target: Report['target']
        memory?: string
        /** UTC, RFC 3339 */
        startedAt: string
      }
    }
  | { kind: 'judged'; result: CheckResult; observations: Observation[] }
  | { kind: 'waiting'; for?: string }

export function appendJournal(file: string, line: JournalLine): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`)
}

/** The lines of a journal of one kind; a truncated line is left out. */
export function readJournal<K extends JournalLine['kind']>(file: string, kind: K) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines
    .flatMap((line) => parsedLine(line) ?? [])
    .filter((line): line is Extract<JournalLine, { kind: K }> => line.kind === kind)
}

/** A line of a journal; undefined if it is truncated or invalid. */
export function parsedLine(text: string): JournalLine | undefined {
  const line = parsedJson(text)
  if (problemOf(line, 'journal') !== undefined) return undefined
  const known = line as JournalLine
  const use = known.kind !== 'judged' || problemOf(known.result, 'report#check') === undefined
  return use ? known : undefined
}
