import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../engine/record/root.ts'
import { writeWhole } from '../engine/record/write-whole.ts'
import { diffReports } from '../engine/report/diff.ts'
import { diffMarkdown, diffText } from '../engine/report/diff-text.ts'
import { oneLine } from '../engine/report/escape.ts'
import { pack } from '../engine/report/evidence/archive.ts'
import { signRun } from '../engine/report/evidence/sign-run.ts'
import { type Verification, verifyRun } from '../engine/report/evidence/verify-run.ts'
import { readReport } from '../engine/report/read-run.ts'
import { writeReports } from '../engine/report/write-reports.ts'
import { JOURNAL } from '../engine/run/journal.ts'
import { SUITES } from './folders.ts'
import { textOf, UsageError } from './usage.ts'

/** `assay report DIR`: every output made again from report.json and exchanges.jsonl. */
export async function report(
  dir: string,
  options: { baseline?: string; history?: string },
): Promise<void> {
  await salvage(dir)
  for (const { file, bytes } of await writeReports(dir, options)) {
    console.log(`${join(dir, file)}  ${bytes} bytes`)
  }
}

/** A run that was killed with all its processes left exchanges and results, and no report. */
async function salvage(dir: string): Promise<void> {
  const file = join(dir, 'report.json')
  if (existsSync(file) || !existsSync(join(dir, JOURNAL))) return
  const { salvaged } = await import('../engine/run/crash-report.ts')
  const report = await salvaged(dir, SUITES)
  if (report) writeWhole(file, `${JSON.stringify(report, null, 2)}\n`)
}

/** `assay diff A B`: exit code 1 when something is newly broken, or with `any` when anything is. */
export async function diff(
  earlier: string,
  later: string,
  options: { format: string; failOn: string },
): Promise<void> {
  if (!['new', 'any'].includes(options.failOn)) {
    throw new UsageError(`--fail-on is new or any, not ${options.failOn}`)
  }
  const changes = diffReports(await readReport(earlier), await readReport(later))
  const as: Record<string, string> = {
    text: diffText(changes),
    markdown: diffMarkdown(changes),
    json: JSON.stringify(changes, null, 2),
  }
  const words = as[options.format]
  if (words === undefined) {
    throw new UsageError(`--format is text, markdown or json, not ${options.format}`)
  }
  console.log(words)
  const broken = [...changes.new, ...(options.failOn === 'any' ? changes.still : [])]
  process.exitCode = broken.some(({ known }) => !known) ? 1 : 0
}

/** `assay verify FILE`: exit code 0 when nothing was changed since it was signed. */
export async function verify(path: string, options: { key?: string }): Promise<void> {
  const key = options.key === undefined ? undefined : textOf('--key', options.key)
  const found = await verifyRun(path, key)
  const signer = found.signer === undefined ? '' : ` by ${found.signer}`
  console.log(`signature: ${found.signature}${signer}`)
  console.log(`exchanges: ${found.exchanges}, chained by hash`)
  for (const finding of found.findings) console.log(`  ${inWords(finding)}`)
  if (found.uncovered.length > 0) {
    console.log(`not covered by the statement: ${found.uncovered.map(oneLine).join(', ')}`)
  }
  console.log(conclusion(found))
  process.exitCode = found.intact ? 0 : 1
}

function inWords({ file, line, message }: Verification['findings'][number]): string {
  return `${[file, line && `line ${line}`].filter(Boolean).join(', ')}: ${message}`
}

/** What a verification shows, and what it could not look at. */
function conclusion({ intact, signature, findings, statement }: Verification): string {
  const changed = findings.some(({ file }) => file !== 'statement.jws')
  if (signature === 'absent') {
    if (!intact && !changed) return 'It is not signed, or the statement was removed.'
    return intact
      ? 'The exchanges follow from each other. There is no statement: whether report.json was changed, or the whole was made again, cannot be told.'
      : 'The exchanges were changed.'
  }
  if (signature === 'invalid') {
    return 'The statement is not what its signer signed: nothing in it can be relied on.'
  }
  if (signature === 'valid') {
    return intact
      ? 'Nothing was changed since it was signed.'
      : 'It was changed after it was signed.'
  }
  if (changed) return 'It is not what the statement describes. The signature was not checked.'
  const { startedAt = '' } = statement ?? {}
  return `The files are those that the statement of the run of ${startedAt} describes. Who made the statement was not checked: give the signer’s public key with --key.`
}

/** `assay sign DIR`: a signed statement over a run that is there. */
export async function sign(
  dir: string,
  options: { key: string; kid?: string; x5c?: string },
): Promise<void> {
  const x5c = options.x5c === undefined ? undefined : textOf('--x5c', options.x5c)
  const passphrase = process.env.ASSAY_SIGNING_PASSPHRASE
  const key = textOf('--key', options.key)
  const statement = await signRun(dir, key, { kid: options.kid, x5c, passphrase })
  console.log(`${join(dir, 'statement.jws')}: ${statement.target}, ${statement.verdict}`)
}

/** `assay pack DIR`: an archive of all that an auditor needs. */
export async function packed(dir: string, options: { out?: string }): Promise<void> {
  const documents = ['documents/account-information.md', 'documents/product-information.md']
  const more = Object.fromEntries(documents.map((name) => [name, join(root, name)]))
  const { file, bytes, holds } = await pack(dir, options.out ?? `${dir}.zip`, { more })
  console.log(`${file}: ${holds.length} files, ${bytes} bytes`)
  // Of the statement itself only its signer's key can tell.
  const { findings } = await verifyRun(file)
  const changed = findings.find((finding) => finding.file !== 'statement.jws')
  if (!changed) return
  console.error(
    `It was changed since the run: ${inWords(changed)}. \`assay verify\` tells all of it.`,
  )
}
