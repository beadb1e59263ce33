import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { formedJson, problemOf } from '../record/formed.ts'
import { InputError } from '../record/input-error.ts'
import { parsedJson } from '../record/json.ts'
import { LONGEST_LINE, linesOf } from '../record/lines.ts'
import { readPlain } from '../record/read-plain.ts'
import type { ExchangeRecord, Report } from './report.ts'

/** Maximum size of a report in bytes. */
const LARGEST_REPORT = 512 * 1024 ** 2

/**
 * Reads DIR/report.json and DIR/exchanges.jsonl. A killed run may have a truncated last line or no exchanges at all:
 * this is reported as a problem, and the report is still made.
 */
export async function readRun(dir: string) {
  const report = await readReport(dir)
  const exchanges: ExchangeRecord[] = []
  /** Bodies, each once: many answers of a run have the same. */
  const bodies = new Map<string, string>()
  const kept = (body: string) => bodies.get(body) ?? bodies.set(body, body).get(body) ?? body
  /** What could not be read, in words; everything else was read. */
  const problems: string[] = []
  const file = join(dir, 'exchanges.jsonl')
  const stats = await stat(file).catch(() => undefined)
  if (!stats?.isFile()) {
    if (report.requests > 0) problems.push(`${file} is missing: no exchange can be shown`)
    return { report, exchanges, problems }
  }
  for await (const { line, number, cut } of linesOf(createReadStream(file, 'utf8'))) {
    if (cut) {
      problems.push(`${file}:${number}: longer than ${LONGEST_LINE} bytes, left out`)
      continue
    }
    const record = parseRecord(line)
    if (record?.response) record.response.body = kept(record.response.body)
    if (record?.request.body !== undefined) record.request.body = kept(record.request.body)
    if (record) exchanges.push(record)
    else problems.push(`${file}:${number}: not an exchange, left out`)
  }
  return { report, exchanges, problems }
}

/** Reads DIR/report.json; throws with the file's name and the position when it is absent or not a report. */
export async function readReport(dir: string): Promise<Report> {
  const file = join(dir, 'report.json')
  let text: string
  try {
    text = readPlain(file, LARGEST_REPORT).toString('utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'does not exist' : `can't be read: ${code}`
    throw new InputError(`${file} ${why}: ${dir} is not the folder of a run`)
  }
  const mend = 'Take the report that the run wrote, or run it again.'
  return formedJson<Report>(text, { schema: 'report', where: file, mend })
}

/** An exchange from its line; undefined when the line is not an exchange. */
export function parseRecord(line: string): ExchangeRecord | undefined {
  const record = parsedJson(line)
  return problemOf(record, 'exchange') === undefined ? (record as ExchangeRecord) : undefined
}
