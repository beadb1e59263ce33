import { appendFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Form, formedJson } from './formed.ts'
import { InputError } from './input-error.ts'
import { parsedJson } from './json.ts'
import { makeFolder } from './make-folder.ts'
import { readPlain } from './read-plain.ts'
import { writeWhole } from './write-whole.ts'

/** Maximum size, in bytes, of a file that runs keep for later runs. */
const LARGEST = 64 * 1024 ** 2

/**
 * What an earlier run kept; undefined if there is no such file.
 *
 * @throws InputError, one line, if the file does not have its form
 */
export function readKept<T>(file: string, form: Omit<Form, 'where'>): T | undefined {
  const text = textOf(file, form.mend)
  return text === undefined ? undefined : formedJson<T>(text, { ...form, where: file })
}

/** Like readKept, for a file with one value per line; a truncated or invalid line is ignored. */
export function readKeptLines(file: string): unknown[] {
  const lines = textOf(file, 'Remove it.')?.split('\n') ?? []
  return lines.map((line) => parsedJson(line)).filter((value) => value !== undefined)
}

function textOf(file: string, mend: string): string | undefined {
  try {
    return readPlain(file, LARGEST).toString('utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new InputError(`${file} can't be read: ${message}. ${mend}`)
  }
}

/** Replaces the file with these values, one per line, readable by this user only. */
export function keepLines(file: string, values: unknown[]): void {
  makeFolder(dirname(file))
  writeFileSync(file, values.map(lineOf).join(''), { mode: 0o600 })
}

/** Appends one line; this takes a hundredth of the time needed to write the whole file. */
export function keepLine(file: string, value: unknown): void {
  appendFileSync(file, lineOf(value), { mode: 0o600 })
}

const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`

/** Writes the file atomically, readable by this user only. */
export function keep(file: string, value: unknown): void {
  makeFolder(dirname(file))
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`, 0o600)
}
