import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parsedJson } from './json.ts'

/** What a run kept for later ones. A file that is not there, or was cut short, only means that nothing is known. */
export function readKept(file: string): unknown {
  return existsSync(file) ? parsedJson(readFileSync(file, 'utf8')) : undefined
}

/** The same of a file with one value a line; a line that was cut short counts for nothing. */
export function readKeptLines(file: string): unknown[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.map((line) => parsedJson(line)).filter((value) => value !== undefined)
}

/** Instead of what was there, one value a line, for this user alone. */
export function keepLines(file: string, values: unknown[]): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, values.map(lineOf).join(''), { mode: 0o600 })
}

/** One line more, in a hundredth of the time that the whole file takes. */
export function keepLine(file: string, value: unknown): void {
  appendFileSync(file, lineOf(value), { mode: 0o600 })
}

const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`

/** For this user alone. */
export function keep(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
}
