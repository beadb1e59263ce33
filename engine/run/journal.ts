import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { CheckResult, Observation, Report } from '../report/report.ts'
import type { Scope } from './scope.ts'

/** Name of the journal in the folder of a run. */
export const JOURNAL = 'judged.jsonl'

/**
 * What the judging process writes down as it goes, redacted: enough to report a run whose process
 * was killed.
 */
export type JournalLine =
  | {
      kind: 'start'
      pid: number
      checks: string[]
      /** Enough to report the run where nobody of it is left. */
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

/** The lines of a journal; one that was cut short is left out. */
export function readJournal(file: string): JournalLine[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as JournalLine]
      } catch {
        return []
      }
    })
}
