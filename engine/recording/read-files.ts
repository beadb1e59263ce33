import { createReadStream, type Stats, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { DEEPEST, deeperThan } from '../record/formed.ts'
import { InputError } from '../record/input-error.ts'
import { parsedJson } from '../record/json.ts'
import { linesOf } from '../record/lines.ts'
import { isUtf16, withoutMark } from '../record/read-plain.ts'
import { GATEWAY_FORMATS, gatewayExchange, gatewayFormat } from './gateway-logs.ts'
import { harExchange } from './har.ts'
import { harEntries } from './har-entries.ts'
import { isOwn, ownExchange } from './own-records.ts'
import { oddTime, type Recorded, type Unreadable } from './recorded.ts'

/** A file of recorded exchanges that is read on demand. */
export interface RecordingFile {
  /** The path as the user named it. */
  path: string
  /** HAR, exchanges.jsonl, or the gateway of its first line; absent before it is read, or if it is empty. */
  format?: string
  /** Number of exchanges that were read. */
  exchanges: number
  /** Number of requests that no server received: a cache answered, or they are not HTTP. */
  unsent: number
  /** Number of unreadable lines and entries, with the reasons for the first of them. */
  unreadable: number
  problems: Unreadable[]
}

/** Maximum number of problems that are listed for one file. */
const NAMED = 5

const ACCEPTED = `HAR; the exchanges.jsonl of a run; a log of ${GATEWAY_FORMATS.map(({ name }) => name).join(', ')} with one JSON object on a line`

/** The error for a file of an unknown format. */
const unknown = (path: string, why: string) =>
  new InputError(`${path} ${why}. Files that can be judged: ${ACCEPTED} (docs/judge.md).`)

/**
 * Opens a file, or the exchanges in the folder of a run.
 *
 * @throws InputError if there is no such file, or it is not a plain file
 */
export function openRecording(named: string): RecordingFile {
  const stats = statsOf(named)
  const path = stats?.isDirectory() ? join(named, 'exchanges.jsonl') : named
  const found = stats?.isDirectory() ? statsOf(path) : stats
  if (!found) {
    const why = stats
      ? 'is a folder without exchanges.jsonl, so it is not the folder of a run'
      : 'does not exist'
    throw new InputError(
      `${named} ${why}. Name a file of recorded exchanges, or the folder of a run.`,
    )
  }
  if (!found.isFile()) throw new InputError(`${path} is not a plain file. Name a file.`)
  return { path, exchanges: 0, unsent: 0, unreadable: 0, problems: [] }
}

/** @throws InputError if the system does not tell whether there is such a file */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new InputError(`${path} can't be read: ${(error as Error).message}. Name another file.`)
  }
}

/**
 * Reads the beginning of a file before anything is written.
 *
 * @param isNamed whether a file names the bank: the addresses of the reference bank are unknown before it starts
 * @throws InputError if the file contains nothing of a known format, or may be a recording of any bank
 */
export async function requireReadable(file: RecordingFile, isNamed: boolean): Promise<void> {
  const anywhere = (path: string) => new URL(path, 'https://bank.invalid').href
  const exchanges = exchangesIn({ ...file, problems: [] }, anywhere)
  const { value } = await exchanges.next()
  await exchanges.return(undefined)
  if (!value || value.own || isNamed) return
  throw new InputError(
    `${file.path} does not say which addresses are the bank’s. Name the file of the bank with --target.`,
  )
}

/**
 * The exchanges of a file, in order. What cannot be read is noted in `file`, and the rest is still read.
 *
 * @param resolve gives the address of a path, where a log names no host
 * @throws InputError if the file contains nothing of a known format
 */
export async function* exchangesIn(
  file: RecordingFile,
  resolve: (path: string) => string | undefined,
): AsyncGenerator<Recorded> {
  const note = (where: string, why: string) => {
    file.unreadable += 1
    if (file.problems.length < NAMED) file.problems.push({ where, why })
  }
  const take = (found: Recorded | string | undefined, where: string): Recorded | undefined => {
    const problem = typeof found === 'object' ? oddTime(found) : found
    if (problem !== undefined) note(where, problem)
    else if (found === undefined) file.unsent += 1
    else file.exchanges += 1
    return typeof found === 'object' && problem === undefined ? found : undefined
  }
  const { chunks, isHar } = await opened(file.path)
  const convert = isHar
    ? harExchange
    : (value: unknown, where: string) => lineExchange(file, value, where, resolve)
  try {
    for await (const { value, where } of isHar
      ? entriesOf(file, chunks, note)
      : linesIn(file, chunks, note)) {
      const found = take(tooDeep(value) ?? convert(value, where), where)
      if (found) yield found
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof InputError) throw error
    const why = code?.startsWith('Z_') ? `ends too early, or is not gzip: ${message}` : message
    if (file.exchanges === 0)
      throw unknown(file.path, code === undefined ? message : `can't be read: ${why}`)
    note(file.path, why)
  } finally {
    chunks.destroy()
  }
  if (file.exchanges + file.unsent === 0) {
    const [first] = file.problems
    throw unknown(
      file.path,
      first ? `holds no exchange: ${first.where} ${first.why}` : 'holds no exchange',
    )
  }
}

interface Found {
  value: unknown
  where: string
}

async function* entriesOf(
  file: RecordingFile,
  chunks: Readable,
  note: (where: string, why: string) => void,
): AsyncGenerator<Found> {
  file.format = 'HAR'
  for await (const { number, text, cut } of harEntries(chunks)) {
    const where = `${basename(file.path)} entry ${number}`
    const value = cut ? undefined : parsedJson(text)
    if (value === undefined) note(where, cut ? 'is longer than what is read' : 'is no JSON')
    else yield { value, where }
  }
}

async function* linesIn(
  file: RecordingFile,
  chunks: Readable,
  note: (where: string, why: string) => void,
): AsyncGenerator<Found> {
  chunks.setEncoding('utf8')
  for await (const { line, number, cut } of linesOf(chunks as AsyncIterable<string>)) {
    if (line.trim() === '' && !cut) continue
    const where = `${basename(file.path)} line ${number}`
    const value = cut ? undefined : parsedJson(withoutMark(line))
    if (value === undefined) note(where, cut ? 'is longer than what is read' : 'is no JSON')
    // Kong may send queued entries as one list.
    else for (const each of [value].flat()) yield { value: each, where }
  }
}

/** JSON.stringify cannot write what is nested thousands of levels deep. */
const tooDeep = (value: unknown): string | undefined =>
  deeperThan(value, DEEPEST) ? `is nested more than ${DEEPEST} levels deep` : undefined

function lineExchange(
  file: RecordingFile,
  value: unknown,
  where: string,
  resolve: (path: string) => string | undefined,
): Recorded | string {
  if (isOwn(value)) {
    file.format ??= 'exchanges.jsonl'
    return ownExchange(value, where)
  }
  const format = gatewayFormat(value)
  if (!format) return 'does not have the members of any known log'
  file.format ??= format.name
  return gatewayExchange(value, where, format, resolve)
}

/** Number of bytes that identify the format of a file. */
const BEGINNING = 4096

/** Number of bytes that are read at once. */
const PART = 1024 * 1024

const GZIP = [0x1f, 0x8b]

const ZIP = [0x50, 0x4b, 0x03, 0x04]

const startsWith = (start: Buffer, bytes: number[]) => bytes.every((byte, at) => start[at] === byte)

async function opened(path: string): Promise<{ chunks: Readable; isHar: boolean }> {
  const plain = () => createReadStream(path, { highWaterMark: PART })
  const start = await beginningOf(plain())
  if (isUtf16(start)) throw unknown(path, 'is UTF-16, as PowerShell writes it: save it as UTF-8')
  if (startsWith(start, ZIP)) throw unknown(path, 'is a zip archive: unpack it')
  const zipped = startsWith(start, GZIP)
  const open = () => (zipped ? piped(plain()) : plain())
  const text = (zipped ? await beginningOf(open()) : start).toString('utf8')
  return {
    chunks: open(),
    isHar: /^\s*\{\s*"log"\s*:\s*\{/.test(withoutMark(text)) || /\.har(?:\.gz)?$/i.test(path),
  }
}

function piped(source: Readable): Readable {
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  return source.pipe(gunzip)
}

async function beginningOf(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      parts.push(chunk)
      size += chunk.length
      if (size >= BEGINNING) break
    }
  } catch {
    // Reading the rest reports the error.
  }
  return Buffer.concat(parts).subarray(0, BEGINNING)
}
