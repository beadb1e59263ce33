/**
 * `npm test`: everything that must hold, one stage after the other, and at the end where the time went
 * and one line that counts. A stage that fails does not hide the next. `--fast`: without whole runs,
 * browsers, other processes and the proof. Names of stages choose some of them.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fastTests } from './slow.mjs'

const root = resolve(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'assay-test-'))
const node = process.execPath
const bin = (name) => join(root, 'node_modules', name)
const fast = process.argv.includes('--fast')
const FAST = ['types', 'lint', 'tests']

const stages = [
  { name: 'types', command: [node, bin('typescript/bin/tsc'), '-p', 'tsconfig.json', '--noEmit'] },
  { name: 'lint', command: [node, bin('@biomejs/biome/bin/biome'), 'ci', '--colors=off', '.'] },
  { name: 'build', command: ['npm', 'run', '-s', 'build'] },
  {
    name: 'generated files',
    command: [node, 'dist/cli/main.js', 'generate', '--check'],
  },
  {
    name: 'tests',
    command: [
      node,
      bin('vitest/vitest.mjs'),
      'run',
      '--project',
      'tests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${join(scratch, 'tests.json')}`,
      ...(fast ? fastTests(root) : []),
    ],
    count() {
      const { numPassedTests, numFailedTests, numTotalTestSuites, testResults } = JSON.parse(
        readFileSync(join(scratch, 'tests.json'), 'utf8'),
      )
      slowest = slowestOf(testResults)
      if (numTotalTestSuites === 0) throw new Error('no test was found')
      return [numPassedTests, numFailedTests]
    },
  },
  {
    name: 'proof',
    command: [node, 'dist/cli/main.js', 'prove', '--json', join(scratch, 'proof.json')],
    count() {
      const { proofs } = JSON.parse(readFileSync(join(scratch, 'proof.json'), 'utf8'))
      const broken = proofs.filter(({ complaints }) => complaints.length > 0).length
      return [proofs.length - broken, broken]
    },
  },
]

const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const chosen = fast && named.length === 0 ? FAST : named
const times = []
let slowest = []
let passed = 0
let failed = 0
for (const { name, command, count } of stages) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  console.log(`\n== ${name}`)
  const began = Date.now()
  const code = await run(command)
  const [good, bad] = counted(code, count)
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
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

function run([command, ...args]) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((done) => {
    child.on('close', (code) => done(code ?? 1))
    child.on('error', () => done(1))
  })
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
