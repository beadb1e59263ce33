import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { stringify } from 'yaml'
import { DAY } from '../engine/record/durations.ts'
import { makeFolder } from '../engine/record/make-folder.ts'
import { percentEncoded } from '../engine/record/percent.ts'
import { ASSAY } from '../engine/record/program.ts'
import { writeWhole } from '../engine/record/write-whole.ts'
import { diffReports } from '../engine/report/diff.ts'
import { diffMarkdown, diffText } from '../engine/report/diff-text.ts'
import { counted, oneLine } from '../engine/report/escape.ts'
import { pack } from '../engine/report/evidence/archive.ts'
import { signRun } from '../engine/report/evidence/sign-run.ts'
import { type Verification, verifyRun } from '../engine/report/evidence/verify-run.ts'
import { findRuns } from '../engine/report/find-runs.ts'
import { overviewPage } from '../engine/report/html/overview.ts'
import { overviewOf } from '../engine/report/overview.ts'
import { readReport } from '../engine/report/read-run.ts'
import type { Report } from '../engine/report/report.ts'
import { complain, say, shown, shownLines } from '../engine/report/terminal.ts'
import { writeReports } from '../engine/report/write-reports.ts'
import { JOURNAL } from '../engine/run/journal.ts'
import { loadPolicy, reasonsAgainst } from '../engine/run/policy.ts'
import { SUITES, typed } from './folders.ts'
import { DIFF_FAIL_ON, DIFF_FORMATS, oneOf } from './option-values.ts'
import { textOf, UsageError, written } from './usage.ts'

/** `assay report DIR`: writes every output again from report.json and exchanges.jsonl. */
export async function report(
  dir: string,
  options: { baseline?: string; history?: string },
): Promise<void> {
  await salvage(dir)
  for (const { file, bytes } of await writeReports(dir, options)) {
    say(shown`${join(dir, file)}  ${bytes} bytes`)
  }
}

/** A run that was killed with all its processes left exchanges and results, but no report: makes the report. */
async function salvage(dir: string): Promise<void> {
  const file = join(dir, 'report.json')
  if (existsSync(file) || !existsSync(join(dir, JOURNAL))) return
  const { salvaged } = await import('../engine/run/crash-report.ts')
  const report = await salvaged(dir, SUITES)
  if (report) writeWhole(file, `${JSON.stringify(report, null, 2)}\n`)
}

/** `assay diff A B`: exit code 1 when something newly broke; `any`: is broken; `observations`: when one changed. */
export async function diff(
  folders: string[],
  options: { format: string; failOn: string },
): Promise<void> {
  if (folders.length < 2) throw new UsageError('a run is compared with another: name two folders')
  const failOn = oneOf('--fail-on', DIFF_FAIL_ON, options.failOn)
  const format = oneOf('--format', DIFF_FORMATS, options.format)
  const runs = await Promise.all(folders.map(readReport))
  const [before, after] = runs.slice(-2) as [Report, Report]
  const changes = diffReports(before, after, runs.slice(0, -2))
  const as = {
    text: diffText,
    markdown: diffMarkdown,
    json: () => JSON.stringify(changes, null, 2),
  }
  say(shownLines(as[format](changes)))
  const broken = [...changes.new, ...(failOn === 'any' ? changes.still : [])]
  const otherwise = failOn === 'observations' && changes.observations.length > 0
  process.exitCode = otherwise || broken.some(({ known }) => !known) ? 1 : 0
}

/** `assay verify --policy policy.yaml RUN…`: prints a line for each run. Exit code 0 when all are eligible. */
async function eligible(paths: readonly string[], file: string): Promise<void> {
  const policy = loadPolicy(file)
  process.exitCode = 0
  for (const path of paths) {
    const reasons = await reasonsAgainst(path, policy, Date.now())
    if (reasons.length > 0) process.exitCode = 1
    say(
      shown`${path}: ${reasons.length === 0 ? 'eligible' : `not eligible, because ${reasons.join('; ')}`}`,
    )
  }
}

export interface VerifyOptions {
  key?: string
  policy?: string
  /** Judge the run again from its exchanges. */
  judge?: boolean
  target?: string
}

/** `assay verify FILE`: exit code 0 when nothing was changed since the run was signed. */
export async function verify(paths: string[], options: VerifyOptions): Promise<void> {
  const { judge, target } = options
  if (target !== undefined && !judge) throw new UsageError('--target is used with --judge alone')
  if (options.policy !== undefined) {
    if (options.key !== undefined)
      throw new UsageError('the policy names keys itself: leave out --key')
    if (judge) throw new UsageError('--judge looks at one run, and no policy: leave out --policy')
    return eligible(paths, options.policy)
  }
  const [path = '', ...more] = paths
  if (more.length > 0) throw new UsageError('several runs are looked at with --policy alone')
  const key = options.key === undefined ? undefined : textOf('--key', options.key)
  const found = await verifyRun(path, key)
  const signer = found.signer === undefined ? '' : ` by ${found.signer}`
  say(shown`signature: ${found.signature}${signer}`)
  if (found.statementDigest !== undefined) say(shown`statement: SHA-256 ${found.statementDigest}`)
  say(shown`exchanges: ${found.exchanges}, chained by hash`)
  for (const finding of found.findings) say(shown`  ${inWords(finding)}`)
  if (found.uncovered.length > 0) {
    say(shown`not covered by the statement: ${found.uncovered.join(', ')}`)
  }
  if (found.statement?.recording || found.report?.recording) {
    say(shown`It is a judgement of recorded traffic: no run, and no verdict of conformance.`)
  }
  say(shown`${conclusion(found)}`)
  process.exitCode = found.intact ? 0 : 1
  if (!judge) return
  const code = await (await import('./verify-again.ts')).judgedAgain(path, target)
  if (found.intact) process.exitCode = code
}

function inWords({ file, line, message }: Verification['findings'][number]): string {
  return oneLine(`${[file, line && `line ${line}`].filter(Boolean).join(', ')}: ${message}`)
}

/** What a verification shows, and what it could not check. */
function conclusion({ intact, signature, findings, statement, uncovered }: Verification): string {
  const changed = findings.some(({ file }) => file !== 'statement.jws')
  if (signature === 'absent') {
    if (!intact && !changed) return 'It is not signed, or the statement was removed.'
    return intact
      ? 'No exchange was changed, by their hashes. There is no signed statement, so nobody can tell whether report.json was changed, or everything was made again.'
      : 'It was changed after it was made.'
  }
  if (signature === 'invalid') {
    return 'The statement is not what its signer signed: nothing in it can be relied on.'
  }
  if (signature === 'valid' && !intact) return 'It was changed after it was signed.'
  if (signature === 'valid') {
    return uncovered.length === 0
      ? 'Nothing was changed since it was signed.'
      : 'What the statement covers was not changed since it was signed. Of the rest nothing is known.'
  }
  if (changed) return 'It is not what the statement describes. The signature was not checked.'
  const { startedAt = '' } = statement ?? {}
  return `The files are those that the statement of the run of ${startedAt} describes. Who made the statement was not checked: give the signer’s public key with --key.`
}

/** `assay sign DIR`: writes a signed statement over an existing run. */
export async function sign(
  dir: string,
  options: { key: string; kid?: string; x5c?: string },
): Promise<void> {
  const x5c = options.x5c === undefined ? undefined : textOf('--x5c', options.x5c)
  const passphrase = process.env.ASSAY_SIGNING_PASSPHRASE
  const key = textOf('--key', options.key)
  const statement = await signRun(dir, key, { kid: options.kid, x5c, passphrase })
  const judged = statement.recording ? 'recorded traffic' : statement.verdict
  say(shown`${join(dir, 'statement.jws')}: ${statement.target}, ${judged}`)
}

/** `assay pack DIR`: makes an archive of everything that an auditor needs. */
export async function packed(dir: string, options: { out?: string }): Promise<void> {
  const out = options.out ?? `${resolve(dir)}.zip`
  if (existsSync(out) && statSync(out).isDirectory()) {
    throw new UsageError(`--out ${out} is a folder: name a file in it`)
  }
  const { file, bytes, holds, leftOut } = await written('--out', out, () => pack(dir, out))
  say(shown`${typed(file)}: ${holds.length} files, ${bytes} bytes`)
  if (leftOut.length > 0) {
    const why = 'another version of Assay signed the run, with others'
    complain(shown`Not in it, because ${why}: ${leftOut.join(', ')}`)
  }
  // The statement itself can only be checked with its signer's key.
  const { findings } = await verifyRun(file)
  const changed = findings.find((finding) => finding.file !== 'statement.jws')
  if (!changed) return
  complain(
    shown`It was changed since the run: ${inWords(changed)}. \`${ASSAY} verify\` tells all of it.`,
  )
}

/**
 * `assay overview DIR…`: one page and one JSON about any runs, including those of other machines. The exit code says
 * whether they could be made, and nothing about the banks.
 */
export async function overview(folders: string[], options: { out?: string }): Promise<void> {
  const { runs, problems } = await findRuns(folders)
  const out = resolve(options.out ?? folders[0] ?? '.')
  const all = overviewOf(runs, Date.now())
  await written('--out', out, () => {
    makeFolder(out)
    writeWhole(join(out, 'overview.json'), `${JSON.stringify(all, null, 2)}\n`)
    writeWhole(join(out, 'overview.html'), overviewPage(all, problems, linkFrom(out)))
  })
  for (const problem of problems) complain(shown`${problem}`)
  const width = Math.max(...all.banks.map(({ name }) => name.length))
  for (const { name, verdict, startedAt, changes } of all.banks) {
    const fresh = changes && changes.new.length > 0 ? `, ${changes.new.length} new` : ''
    say(shown`${name.padEnd(width)}  ${verdict}${fresh}  (${startedAt})`)
  }
  for (const { bank, what, at, daysLeft } of all.ending) {
    say(shown`${bank}: ${what} ${daysLeft < 0 ? 'ended' : 'ends'} ${at}`)
  }
  say(shown`overview  ${typed(join(out, 'overview.html'))}`)
}

/** Links from a page in a folder to the reports of runs. They are relative, so that all can be moved or published. */
function linkFrom(out: string) {
  return (folder: string): string | undefined => {
    const page = join(resolve(folder), 'report.html')
    if (!existsSync(page)) return undefined
    return relative(out, page).split(sep).map(percentEncoded).join('/')
  }
}

/** Days until a known deviation expires, unless another day is written. */
const DAYS = 30

const HEAD = `# Known deviations: still judged and shown, they do not fail a run until they expire.
# Each needs a reason. A finding that is to be fixed at once is deleted here.
# ${ASSAY} run --deviations FILE
`

/** `assay deviations init DIR`: writes a file of known deviations from a run's findings, to be completed by hand. */
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
  const expires = new Date(Date.now() + DAYS * DAY).toISOString().slice(0, 10)
  const parts = open.map(({ title, findings }) => {
    const entries = findings.map((id) => ({ id, reason: '', ticket: '', owner: '', expires }))
    const said = findings.map((id) => `# ${id}: ${found.get(id)?.title ?? ''}`)
    return [`# ${oneLine(title)}`, ...said, stringify(entries).trimEnd()].join('\n')
  })
  await written('--out', out, () => writeWhole(out, `${HEAD}\n${parts.join('\n\n')}\n`))
  const findings = open.flatMap(({ findings }) => findings)
  say(shown`${out}: ${counted(findings.length, 'finding')}. Write a reason for each.`)
}
