import { existsSync, writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { counted, oneLine } from '../engine/report/escape.ts'
import { readReport } from '../engine/report/read-run.ts'
import { UsageError } from './usage.ts'

/** Days after which a known deviation expires, unless somebody writes another day. */
const DAYS = 30

const HEAD = `# Known deviations: still judged and shown, they do not fail a run until they expire.
# Each needs a reason. A finding that is to be mended at once is deleted here.
# assay run --deviations FILE
`

/** `assay deviations init DIR`: the file of known deviations, to be filled in, from what a run found. */
export async function deviationsInit(
  folder: string,
  options: { out: string; force?: boolean },
): Promise<void> {
  const { out, force } = options
  if (existsSync(out) && !force)
    throw new UsageError(`${out} is there already; --force overwrites it`)
  const { causes, checks } = await readReport(folder)
  const found = new Map(checks.map((check) => [check.id, check]))
  const open = causes.filter(({ findings, known }) => findings.length > 0 && !known)
  if (open.length === 0) throw new UsageError(`${folder}: nothing failed in this run`)
  const expires = new Date(Date.now() + DAYS * 24 * 3_600_000).toISOString().slice(0, 10)
  const parts = open.map(({ title, findings }) => {
    const entries = findings.map((id) => ({ id, reason: '', ticket: '', owner: '', expires }))
    const said = findings.map((id) => `# ${id}: ${found.get(id)?.title ?? ''}`)
    return [`# ${oneLine(title)}`, ...said, stringify(entries).trimEnd()].join('\n')
  })
  writeFileSync(out, `${HEAD}\n${parts.join('\n\n')}\n`)
  const findings = open.flatMap(({ findings }) => findings)
  console.log(`${out}: ${counted(findings.length, 'finding')}. Write a reason for each.`)
}
