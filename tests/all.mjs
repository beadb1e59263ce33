/**
 * `npm test`: everything that must hold, one stage after the other, and at the end where the time went,
 * what needed a retry, and one line that counts. A stage that fails does not hide the next. `--fast`:
 * without the tests in files `*.slow.test.ts` (whole runs, browsers, other processes) and without the
 * proof. Names of stages choose some of them.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'assay-test-'))
const node = process.execPath
const bin = (name) => join(root, 'node_modules', name)
const fast = process.argv.includes('--fast')
const FAST = ['types', 'lint', 'tests']
/** Seconds. */
const LONG = 10

const stages = [
  { name: 'types', command: [node, bin('typescript/bin/tsc'), '-p', 'tsconfig.json', '--noEmit'] },
  { name: 'lint', command: [node, bin('@biomejs/biome/bin/biome'), 'ci', '--colors=off', '.'] },
  { name: 'build', command: ['npm', 'run', '-s', 'build'] },
  {
    name: 'generated files',
    command: [node, 'dist/cli/main.js', 'generate', '--check'],
  },
  {
    name: 'sentences and words',
    command: [node, 'dist/cli/main.js', 'lint'],
  },
  {
    name: 'tests',
    command: vitest('tests.json'),
    /** The only retry of tests: files that failed, once more, as a busy machine may be late. */
    again() {
      if (!existsSync(join(scratch, 'tests.json'))) return undefined
      const files = brokenOf(readJson('tests.json').testResults).map(({ name }) => name)
      retried.push(...files.map((name) => relative(root, name)))
      return files.length > 0 ? vitest('again.json', files) : undefined
    },
    count() {
      const { numTotalTestSuites, testResults } = readJson('tests.json')
      if (numTotalTestSuites === 0) throw new Error('no test was found')
      slowest = slowestOf(testResults)
      const second = new Map(repeated().map((file) => [file.name, file]))
      const files = testResults.map((file) => second.get(file.name) ?? file)
      const complaints = brokenOf(files).map(complaint)
      broken.push(...complaints)
      return [testsOf(files, 'passed'), Math.max(testsOf(files, 'failed'), complaints.length)]
    },
  },
  {
    name: 'proof',
    command: [
      ...[node, 'dist/cli/main.js', 'prove', '--json', join(scratch, 'proof.json')],
      // Instants of the calendar that the commit draws: no outcome depends on the hour.
      ...['--moments', '3'],
      ...['--page', 'reports/matrix'],
    ],
    count() {
      const { proofs } = readJson('proof.json')
      const twice = proofs.filter(({ atFirst = [] }) => atFirst.length > 0)
      retried.push(...twice.map(({ id }) => `proof of ${id}`))
      const wrong = proofs.filter(({ complaints }) => complaints.length > 0)
      broken.push(...wrong.map(({ id, complaints }) => [id, ...complaints].join('\n  ')))
      return [proofs.length - wrong.length, wrong.length]
    },
  },
]

const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const chosen = fast && named.length === 0 ? FAST : named
const times = []
let slowest = []
/** What failed, with its first words: said once more at the end, where one looks for it. */
const broken = []
/** What failed at first and was done once more, whatever came of it then. */
const retried = []
let passed = 0
let failed = 0
for (const { name, command, again, count } of stages) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  console.log(`\n== ${name}`)
  const began = Date.now()
  let code = await run(command)
  const second = code === 0 ? undefined : again?.()
  if (second) {
    console.log(`== ${name}: what failed, once more`)
    code = await run(second)
  }
  const [good, bad] = counted(code, count)
  if (code !== 0 && broken.length === 0) broken.push(`${name}: exit code ${code}, as said above`)
  passed += good
  failed += bad
  times.push({ name, seconds: (Date.now() - began) / 1000 })
  console.log(`== ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${Math.round(times.at(-1).seconds)} s)`)
}
rmSync(scratch, { recursive: true, force: true })
console.log('\nWhere the time went, in seconds:')
for (const { name, seconds } of [...times, ...slowest]) {
  console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`)
}
const long = fast ? slowest.filter(({ seconds }) => seconds > LONG) : []
if (long.length > 0) {
  console.log(
    `\nLong for a fast test, unless the machine is busy; the name of a slow one ends in .slow.test.ts:`,
  )
  for (const { name } of long) console.log(`         ${name}`)
}
for (const line of broken) console.log(`\nFAILED ${line}`)
console.log(`\n${retries()}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

function run([command, ...args]) {
  const env = { ...process.env, ...(fast && { ASSAY_TESTS: 'fast' }) }
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((done) => {
    child.on('close', (code) => done(code ?? 1))
    child.on('error', () => done(1))
  })
}

/** Said also where there is none. */
function retries() {
  if (retried.length === 0) return 'No test needed a retry.'
  return `${retried.length} needed a retry: ${retried.join(', ')}`
}

/** The tests, of these files or of all. `report`: name of the file in which their results are. */
function vitest(report, files = []) {
  return [
    node,
    bin('vitest/vitest.mjs'),
    'run',
    '--project',
    'tests',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(scratch, report)}`,
    ...files,
  ]
}

function readJson(name) {
  return JSON.parse(readFileSync(join(scratch, name), 'utf8'))
}

/** Files that were run once more. */
function repeated() {
  return existsSync(join(scratch, 'again.json')) ? readJson('again.json').testResults : []
}

/** A file fails by a test, or before it came to its tests. */
function brokenOf(files) {
  return files.filter(({ status }) => status === 'failed')
}

function testsOf(files, wanted) {
  const tests = files.flatMap(({ assertionResults }) => assertionResults)
  return tests.filter(({ status }) => status === wanted).length
}

function complaint({ name, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  const lines = failed.map(({ fullName, failureMessages }) => {
    return `  ${fullName}: ${firstLine(failureMessages.join(' '))}`
  })
  return [relative(root, name), ...(lines.length > 0 ? lines : [`  ${message}`])].join('\n')
}

function firstLine(text) {
  const [line] = text.split('\n')
  return line.length > 2000 ? `${line.slice(0, 2000)} …` : line
}

/** The ten test files that took longest; they run side by side. */
function slowestOf(results) {
  return results
    .map(({ name, startTime, endTime }) => ({
      name: relative(root, name),
      seconds: (endTime - startTime) / 1000,
    }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, 10)
}

/** A stage counts as what it counted; one that failed counts as a failure at least. */
function counted(code, count = () => [code === 0 ? 1 : 0, code === 0 ? 0 : 1]) {
  try {
    const [good, bad] = count()
    return [good, code === 0 ? bad : Math.max(1, bad)]
  } catch (error) {
    console.log(String(error.message))
    return [0, 1]
  }
}
