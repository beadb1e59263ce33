import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parsedJson } from './json.ts'

/** What a run kept for later ones. A file that is not there, or was cut short, only means that nothing is known. */
export function readKept(file: string): unknown {
  return existsSync(file) ? parsedJson(readFileSync(file, 'utf8')) : undefined
}

/** For this user alone. */
export function keep(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
}
