import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { CheckResult } from '../../engine/report/report.ts'
import { openBank } from '../directory.ts'
import { targetFile } from '../evidence/cli.ts'
import { observed } from '../observed.ts'
import { recorded } from '../report/recorded.ts'
import { judged, MANY } from './judged.ts'

/**
 * The checks as tests of an ordinary vitest project say what `assay run` and `assay prove` say. One whole run of vitest,
 * of a bank with many faults, is what every reporter is tried on; two short ones try what else one types there.
 */

// Whole runs of vitest within vitest: on a busy machine each takes minutes.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const root = resolve(import.meta.dirname, '..', '..')
const scratch = mkdtempSync(join(tmpdir(), 'assay-vitest-way-'))

afterAll(() => rmSync(scratch, { recursive: true, force: true }))

interface Ran {
  code: number | null
  output: string
  /** Every test with a result, in the order of the run. */
  tests: { file: string; status: string; result: CheckResult }[]
}

async function vitest(name: string, args: string[], target?: string, cwd = root): Promise<Ran> {
  const json = join(scratch, `${name}.json`)
  const bin = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const fixed = ['run', '--root', root, '--project', 'suites', '--reporter=json']
  const words = [bin, ...fixed, `--outputFile.json=${json}`, ...args]
  mkdirSync(cwd, { recursive: true })
  const child = spawn(process.execPath, words, { cwd, env: environment(target) })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const code = await new Promise<number | null>((done) => child.on('close', done))
  const { testResults } = JSON.parse(readFileSync(json, 'utf8'))
  const tests = []
  for (const { name: file, assertionResults } of testResults) {
    for (const { status, meta } of assertionResults) {
      if (meta?.result) tests.push({ file: file.slice(root.length + 1), status, ...meta })
    }
  }
  return { code, output, tests }
}

/** A bank with many faults behind a target file. */
async function served() {
  const { target, close } = await openBank({ alterations: MANY.alterations })
  const document = target as TargetDocument
  return { document, file: targetFile(scratch, document), close }
}

/** Every file below a folder, as text; what is packed, unpacked. */
function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name))
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
    })
}

describe('reporters of the ecosystem', () => {
  const folder = join(scratch, 'reporters')
  let bank: Awaited<ReturnType<typeof served>>
  let ran: Ran

  beforeAll(async () => {
    bank = await served()
    const args = [
      '--reporter=junit',
      `--outputFile.junit=${join(folder, 'junit.xml')}`,
      '--reporter=html',
      `--outputFile.html=${join(folder, 'html', 'index.html')}`,
      '--reporter=github-actions',
      '--reporter=allure-vitest/reporter',
    ]
    ran = await vitest('reporters', args, bank.file, folder)
    await bank.close()
  })

  test('outcomes are those of a run', async () => {
    expect(outcomes(ran.tests)).toEqual(outcomesOf((await judged(MANY)).results))
  })

  test('every check is a test, once', async () => {
    const ids = checksOf(ran.tests).map(({ id }) => id)
    const { judgements } = await observed()
    expect(ids.sort()).toEqual(judgements.map(({ result }) => result.id).sort())
  })

  test('JUnit has a case for each test, and skips say why', () => {
    const junit = readFileSync(join(folder, 'junit.xml'), 'utf8')
    expect(junit.match(/<testcase /g)).toHaveLength(ran.tests.length)
    const failed = ran.tests.filter(({ status }) => status === 'failed')
    expect(failed.length).toBeGreaterThan(1)
    expect(junit.match(/<failure /g)).toHaveLength(failed.length)
  })

  test('GitHub is shown the line of the check', () => {
    const lines = ran.output.split('\n').filter((line) => line.startsWith('::error '))
    expect(lines.join('\n')).toMatch(
      /file=[^,]*suites\/account-information\/transactions\/filters\.check\.ts,title=[^,]*TXN-17\/to-alone/,
    )
  })

  test('Allure has requirement, level, chapter, words of the document, steps and evidence', () => {
    const results = readdirSync(join(folder, 'allure-results'))
      .filter((name) => name.endsWith('-result.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, 'allure-results', name), 'utf8')))
    expect(results).toHaveLength(ran.tests.length)
    const failed = results.find(({ name }) => name.startsWith('TXN-17/to-alone'))
    const label = (name: string) =>
      failed.labels.find((each: { name: string }) => each.name === name)?.value
    expect(failed.status).toBe('failed')
    expect(label('story')).toBe('TXN-17')
    expect(label('feature')).toBe('transactions')
    expect(label('severity')).toBe('critical')
    expect(failed.description).toContain('> restrict results to transactions booked')
    const attached = failed.steps[0].steps.flatMap(
      (step: { attachments: { source: string }[] }) => step.attachments,
    )
    expect(attached.length).toBeGreaterThan(1)
    for (const { source } of attached) {
      expect(readFileSync(join(folder, 'allure-results', source), 'utf8')).not.toBe('')
    }
    const skipped = results.find(({ name }) => name.startsWith('TXN-17/both'))
    expect(skipped.status).toBe('skipped')
    expect(JSON.stringify(skipped.steps)).toContain('blocked')
  })

  test('no secret of the target is in any of them', () => {
    const secrets = targetFrom(bank.document).secrets
    expect(secrets.length).toBeGreaterThan(5)
    const texts = [...textsIn(folder), ran.output, JSON.stringify(ran.tests)]
    for (const secret of secrets) {
      expect(texts.some((text) => text.includes(secret))).toBe(false)
    }
  })
})

test('-t judges what it names, and nothing that is later', async () => {
  const { tests, code } = await vitest('named', ['life-cycle', '-t', 'CLC-01/awaiting'])
  expect(tests.map(({ result }) => [result.id, result.outcome])).toEqual([
    ['CLC-01/awaiting', 'pass'],
  ])
  expect(code).toBe(0)
})

test('the reference bank, where no target is named: outcomes as those of a run, and watch judges anew', async () => {
  const script = `
    import { startVitest } from 'vitest/node'
    const ends = []
    const tests = (module) => [...module.children.allTests()].map((test) => test.meta().result)
    const reporter = { onTestRunEnd: (modules) => ends.push(modules.flatMap(tests)) }
    const options = { watch: true, project: ['suites'], root: ${JSON.stringify(root)}, reporters: [reporter] }
    const vitest = await startVitest('test', ['balances'], options)
    await vitest.rerunFiles()
    await vitest.close()
    console.log('ENDS ' + JSON.stringify(ends))
    process.exit()
  `
  const words = ['--input-type=module', '-e', script]
  const child = spawn(process.execPath, words, { cwd: root, env: environment() })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  const code = await new Promise((done) => child.on('close', done))
  const [first, second] = JSON.parse(/ENDS (.*)/.exec(output)?.[1] ?? '[]') as CheckResult[][]
  const { report } = await recorded('correct')
  const among = new Map(outcomesOf(report.checks))
  expect(first?.length).toBeGreaterThan(5)
  for (const { id, outcome } of first ?? []) expect(outcome, id).toBe(among.get(id))
  // A session that was the first run's is closed, and nothing could be judged in it.
  expect(outcomesOf(second ?? [])).toEqual(outcomesOf(first ?? []))
  expect(code).toBe(0)
})

/** Results of checks, without rules. */
function checksOf(tests: Ran['tests']): CheckResult[] {
  return tests.filter(({ file }) => file.endsWith('.check.ts')).map(({ result }) => result)
}

/** A rule, and what the end of a run changed, counts instead of the check of the same id. */
function outcomes(tests: Ran['tests']): [string, string][] {
  const atTheEnd = ({ file }: Ran['tests'][number]) => !file.endsWith('.check.ts')
  const last = [...tests].sort((a, b) => Number(atTheEnd(a)) - Number(atTheEnd(b)))
  return [...new Map(last.map(({ result }) => [result.id, result.outcome]))].sort()
}

function outcomesOf(results: Iterable<{ id: string; outcome: string }>): [string, string][] {
  return [...results].map(({ id, outcome }): [string, string] => [id, outcome]).sort()
}

/** Without what vitest tells the process of a test. */
function environment(target?: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV$|GITHUB_ACTIONS$|ASSAY_)/.test(name),
  )
  return {
    ...Object.fromEntries(inherited),
    NO_COLOR: '1',
    ...(target && { ASSAY_TARGET: target }),
  }
}
