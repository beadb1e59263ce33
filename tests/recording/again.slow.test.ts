import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { version } from '../../cli/folders.ts'
import type { Result } from '../../engine/judge/results.ts'
import { CHAIN_START, chainedLine } from '../../engine/record/chain.ts'
import { type Again, judgeAgain } from '../../engine/recording/again/judge-again.ts'
import { pack } from '../../engine/report/evidence/archive.ts'
import { signRun } from '../../engine/report/evidence/sign-run.ts'
import { createEvidence } from '../../engine/report/evidence-index.ts'
import type { CheckResult, ExchangeRecord, Report } from '../../engine/report/report.ts'
import { composeReport, writeReport } from '../../engine/run/compose.ts'
import { openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'
import { assay } from '../evidence/cli.ts'
import { type BankName, recorded } from '../report/recorded.ts'

/** Milliseconds: a whole bank is judged. */
const PATIENCE = 600_000

const folder = mkdtempSync(join(tmpdir(), 'assay-again-'))
afterAll(() => rmSync(folder, { recursive: true }))

let context: ProofContext
beforeAll(async () => {
  context = await openProofContext(openDirectory())
})

interface Run {
  report: Report
  exchanges: ExchangeRecord[]
}

const copy = async (name: BankName): Promise<Run> => structuredClone(await recorded(name))

/** exchanges.jsonl of these, chained again. */
function lines(exchanges: ExchangeRecord[]): string {
  let head = CHAIN_START
  return exchanges
    .map((record) => {
      const { hash, line } = chainedLine(head, record)
      head = hash
      return line
    })
    .join('')
}

const again = ({ report, exchanges }: Run, version = report.assay.version): Promise<Again> => {
  const { catalogue, suites } = context
  return judgeAgain({ report, exchanges: lines(exchanges), catalogue, suites, version })
}

const otherwise = ({ rules, checks, report, unread }: Again) =>
  [rules.different, checks.different, report.different, unread].flat()

const idsOf = (found: Again) => otherwise(found).map(({ id }) => id)

/** The report as whoever knows how it is composed makes it again of edited checks: every count and the verdict follow. */
function composedOf({ report, exchanges }: Run): Report {
  const evidence = createEvidence()
  for (const exchange of exchanges) evidence.note(exchange)
  const { profile, only, seed } = report.scope
  return composeReport({
    ...{ target: report.target, evidence, catalogue: context.catalogue },
    ...{ version: report.assay.version, scope: { profile, only, ...(seed && { seed }) } },
    ...{ startedAt: new Date(report.startedAt), finishedAt: new Date(report.finishedAt) },
    results: new Map(report.checks.map((check): [string, Result] => [check.id, check])),
    ...{ requests: exchanges.length, latency: report.latency, redact: (text) => text },
  })
}

function found({ report }: Run, id: string): CheckResult {
  const check = report.checks.find((each) => each.id === id)
  if (!check) throw new Error(`no ${id}`)
  return check
}

/** Checks that failed by what their exchanges show by themselves. */
const failedByAnswer = ({ report }: Run) =>
  report.checks.filter(({ outcome, matched }) => outcome === 'fail' && matched !== undefined)

/** A failure as a pass: nothing is left of what was wrong. */
function passes(check: CheckResult): void {
  const order = (id: string) => Number(id.slice(1))
  Object.assign(check, { outcome: 'pass', message: '' })
  delete check.expected
  delete check.actual
  delete check.place
  if (check.cells) check.cells.broken = []
  check.exchanges.sort((one, other) => order(one) - order(other))
}

test.each<BankName>(['correct', 'faulty', 'known', 'selected', 'core', 'interrupted', 'absent'])(
  'of a run that nobody changed nothing differs: %s',
  async (name) => {
    const found = await again(await recorded(name))
    expect(otherwise(found)).toEqual([])
    expect(found.unlike).toEqual([])
    if (name === 'correct' || name === 'faulty') {
      expect(found.rules.same.length).toBeGreaterThan(260)
      expect(found.checks.same.length).toBeGreaterThan(330)
      for (const { what } of found.rules.untold) expect(what).toMatch(/^needs .*redacted/)
    }
  },
  PATIENCE,
)

describe('an edited report is told, although all that follows from the edit was made anew', () => {
  test('a rule and a check that failed are deleted', async () => {
    const run = await copy('faulty')
    const [rule] = run.report.checks.filter(
      ({ kind, outcome }) => kind === 'rule' && outcome !== 'blocked',
    )
    const gone = [rule?.id ?? '', 'ACC-04/after-refresh']
    run.report.checks = run.report.checks.filter(({ id }) => !gone.includes(id))
    run.report = composedOf(run)
    expect(idsOf(await again(run))).toEqual(expect.arrayContaining(gone))
  })

  test('checks that failed pass: their answers are not what they were held to', async () => {
    const run = await copy('faulty')
    const failed = failedByAnswer(run)
    expect(failed.length).toBeGreaterThan(1)
    for (const check of failed) passes(check)
    run.report = composedOf(run)
    const told = otherwise(await again(run))
    expect(told.map(({ id }) => id).sort()).toEqual(failed.map(({ id }) => id).sort())
    for (const { what } of told) expect(what).toMatch(/^it passes, and x\d+ /)
  })

  test('a status and a body are other ones, in the chain as well', async () => {
    const run = await copy('correct')
    const refused = (check: CheckResult) => check.matched?.find(({ by }) => by === 'toBeRefused')
    const check = run.report.checks.find((each) => each.outcome === 'pass' && refused(each))
    const answerOf = (is: (each: ExchangeRecord) => boolean) => {
      const { response } = run.exchanges.find(is) ?? {}
      if (!response) throw new Error('no such answer')
      return response
    }
    if (!check) throw new Error('no refusal')
    answerOf(({ id }) => id === refused(check)?.exchange).status = 201
    const accounts = answerOf(
      ({ endpoint, response }) => endpoint === 'accounts' && response?.status === 200,
    )
    accounts.body = accounts.body.replace('"Currency":"GBP"', '"Currency":"gbp"')
    expect(idsOf(await again(run))).toEqual(expect.arrayContaining([check.id, 'ACC-05/gbp']))
  })

  test('an exchange is left out', async () => {
    const run = await copy('correct')
    const { exchanges, id: sender } = found(run, 'TXN-17/to-alone')
    const gone = exchanges.at(-1)
    run.exchanges = run.exchanges.filter(({ id }) => id !== gone)
    expect(otherwise(await again(run))).toContainEqual({
      id: sender,
      what: `it names ${gone}, which is not among the exchanges`,
    })
  })
})

describe('what does not follow from its checks is told', () => {
  test('the outcome of a check, and nothing else', async () => {
    const run = await copy('faulty')
    Object.assign(found(run, 'TXN-17/to-alone'), { outcome: 'pass' })
    const ids = idsOf(await again(run))
    for (const id of ['TXN-17/to-alone', 'summary.pass', 'summary.fail', 'TXN-17', 'causes']) {
      expect(ids).toContain(id)
    }
  })

  test('counts, verdict, causes, figures', async () => {
    const run = await copy('faulty')
    const { report } = run
    Object.assign(report, { verdict: 'conformant', exitCode: 0, requests: 1 })
    report.summary.fail = 0
    report.musts.passed += 1
    report.causes.pop()
    Object.assign(report.latency[0] ?? {}, { p95: 1 })
    expect(idsOf(await again(run)).sort()).toEqual(
      ['causes', 'latency', 'musts.passed', 'requests', 'summary.fail', 'verdict'].sort(),
    )
  })
})

test('a run of another version is told as such', async () => {
  const run = await copy('selected')
  run.report.assay.specsDigest = 'a'.repeat(64)
  const { unlike } = await again(run, '99.0.0')
  expect(unlike).toEqual([
    expect.stringContaining('this is 99.0.0') as string,
    'the run judged by other requirements than this Assay',
  ])
})

test('by the command: signed anew, a folder and an archive', async () => {
  const run = await copy('faulty')
  // Of another version it would be said that it may judge otherwise.
  run.report.assay.version = version
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = join(folder, 'key.pem')
  writeFileSync(key, publicKey.export({ type: 'spki', format: 'pem' }).toString())
  const sealed = async (name: string) => {
    const dir = join(folder, name)
    mkdirSync(dir)
    writeReport(dir, run.report)
    writeFileSync(join(dir, 'exchanges.jsonl'), lines(run.exchanges))
    await signRun(dir, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    return dir
  }
  const judged = (path: string) => assay(['verify', path, '--key', key, '--judge']).ended

  const whole = await judged(await sealed('whole'))
  expect(whole).toMatchObject({ code: 0, stderr: '' })
  expect(whole.stdout).toContain('Nothing was changed since it was signed.')
  expect(whole.stdout).toContain('The report says what its exchanges show, as far as they tell.')

  const [check] = failedByAnswer(run)
  if (!check) throw new Error('nothing failed')
  passes(check)
  run.report = composedOf(run)
  const dir = await sealed('edited')
  await pack(dir, join(folder, 'edited.zip'))
  for (const path of [dir, join(folder, 'edited.zip')]) {
    const { code, stdout } = await judged(path)
    expect(code).toBe(1)
    expect(stdout).toContain('Nothing was changed since it was signed.')
    expect(stdout).toContain(`${check.id}: it passes, and `)
  }
})
