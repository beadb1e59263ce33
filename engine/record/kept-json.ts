import { appendFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Form, formedJson } from './formed.ts'
import { InputError } from './input-error.ts'
import { parsedJson } from './json.ts'
import { makeFolder } from './make-folder.ts'
import { readPlain } from './read-plain.ts'
import { writeWhole } from './write-whole.ts'

/** Bytes of what runs keep for later ones. */
const LARGEST = 64 * 1024 ** 2

/**
 * What a run kept for later ones; undefined where there is no such file.
 *
 * @throws InputError, one line, where it is not of its form
 */
export function readKept<T>(file: string, form: Omit<Form, 'where'>): T | undefined {
  const text = textOf(file, form.mend)
  return text === undefined ? undefined : formedJson<T>(text, { ...form, where: file })
}

/** The same of a file with one value a line; a line that was cut short, or is of no use, counts for nothing. */
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

/** Instead of what was there, one value a line, for this user alone. */
export function keepLines(file: string, values: unknown[]): void {
  makeFolder(dirname(file))
  writeFileSync(file, values.map(lineOf).join(''), { mode: 0o600 })
}

/** One line more, in a hundredth of the time that the whole file takes. */
export function keepLine(file: string, value: unknown): void {
  appendFileSync(file, lineOf(value), { mode: 0o600 })
}

const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`

/** For this user alone, and never half there. */
export function keep(file: string, value: unknown): void {
  makeFolder(dirname(file))
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`, 0o600)
}
