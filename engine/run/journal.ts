import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { CheckResult, Observation } from '../report/report.ts'

/**
 * What the judging process writes down as it goes, redacted: enough to report a run whose process
 * was killed.
 */
export type JournalLine =
  | { kind: 'start'; pid: number; checks: string[] }
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
