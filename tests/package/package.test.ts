import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root, run } from './project-copy.ts'

/** The package, made as it would be published and installed where nothing else is. */

const scratch = mkdtempSync(join(tmpdir(), 'assay-package-'))
const folder = join(scratch, 'empty (1)')
const assay = (...args: string[]) => run('npx', ['--no-install', 'assay', ...args], { cwd: folder })

interface Packed {
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}
let packed: Packed

beforeAll(async () => {
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', scratch]
  const { stdout } = await run('npm', pack, { cwd: root })
  packed = JSON.parse(stdout)[0]
  mkdirSync(folder)
  const install = ['install', join(scratch, packed.filename), '--no-audit', '--no-fund']
  const { code, stderr } = await run('npm', install, { cwd: folder })
  if (code !== 0) throw new Error(stderr)
}, 300_000)

afterAll(() => rmSync(scratch, { recursive: true, maxRetries: 3 }))

test('the package holds what a user needs, and nothing else', () => {
  const paths = packed.files.map(({ path }) => path)
  const allowed = [
    /^(CHANGELOG\.md|LICENSE|README\.md|package\.json|sbom\.cdx\.json)$/,
    /^dist\/(authoring|bank|cli|engine|proof|suites)\/.+\.js$/,
    /^dist\/engine\/.+\.d\.ts$/,
    /^dist\/lists\.json$/,
    /^config\/[\w.-]+\.yaml$/,
    /^docs\/[\w-]+\.md$/,
    /^docs\/example-(client\.mjs|tpp\.yaml)$/,
    /^docs\/openapi\/[\w-]+-information\.yaml$/,
    /^docs\/requirements\/[\w-]+\.md$/,
    /^documents\/[\w-]+\.md$/,
    /^engine\/report\/html\/([\w-]+\.css|page\/[\w-]+\.js)$/,
    /^proof\/together\/together\.json$/,
    /^schemas\/[\w-]+\/[\w-]+\.schema\.json$/,
    /^specs\/([\w-]+\/)?[\w-]+\.(yaml|json)$/,
  ]
  expect(paths.filter((path) => !allowed.some((pattern) => pattern.test(path)))).toEqual([])
  for (const pattern of allowed) expect(paths.some((path) => pattern.test(path))).toBe(true)
})

test('it is small: less than 1.7 MB to fetch and 6.5 MB on disk', () => {
  expect(packed.size).toBeLessThan(1_700_000)
  expect(packed.unpackedSize).toBeLessThan(6_500_000)
})

test('publint and arethetypeswrong find nothing', async () => {
  const tarball = readFileSync(join(scratch, packed.filename))
  const { messages } = await publint({
    pack: { tarball: new Uint8Array(tarball).buffer },
    strict: true,
  })
  expect(messages).toEqual([])
  const attw = join(root, 'node_modules', '.bin', 'attw')
  const types = await run(attw, ['--profile', 'esm-only', join(scratch, packed.filename)], {
    cwd: root,
  })
  expect(types.code, types.stdout).toBe(0)
})

test('assay run judges the reference bank, and assay report lists what it wrote', async () => {
  const judged = await assay('run', '--out', 'first')
  expect(judged.stdout, judged.stderr).toContain('CONFORMANT')
  expect(judged.code).toBe(0)
  const report = JSON.parse(readFileSync(join(folder, 'first', 'report.json'), 'utf8'))
  expect(report.verdict).toBe('conformant')
  expect((await assay('report', 'first')).stdout).toContain('report.html')
  expect((await assay('verify', join('first', 'report.json'))).code).toBe(0)
})

test('assay doctor, plan and init work', async () => {
  expect((await assay('doctor')).stdout).toContain('Nothing is wrong')
  expect((await assay('plan')).stdout).toContain('Approvals that checks share:')
  expect((await assay('init', '--yes', '--out', 'mine.yaml')).code).toBe(0)
  const [line = ''] = readFileSync(join(folder, 'mine.yaml'), 'utf8').split('\n')
  const schema = line.replace('# yaml-language-server: $schema=', '')
  expect(existsSync(join(folder, schema)), line).toBe(true)
})

test('assay bank serves until it is told to stop', async () => {
  const main = join(folder, 'node_modules', 'assay', 'dist', 'cli', 'main.js')
  const bank = spawn(process.execPath, [main, 'bank', '--info', 'bank.yaml'], {
    cwd: folder,
    stdio: 'ignore',
  })
  const ended = once(bank, 'exit')
  try {
    for (let waited = 0; !existsSync(join(folder, 'bank.yaml')); waited += 100) {
      if (waited > 30_000) throw new Error('the bank said nothing for 30 s')
      await sleep(100)
    }
    const doctor = await assay('doctor', '--target', 'bank.yaml')
    expect(doctor.stdout, doctor.stderr).toContain('Nothing is wrong')
  } finally {
    bank.kill('SIGTERM')
    await ended
  }
})

test('schemas can be imported, and targets and reports have types', async () => {
  const consumer = `
    import type { Report } from 'assay/report'
    import schema from 'assay/schemas/account-information/transactions.schema.json' with { type: 'json' }
    import type { TargetDocument } from 'assay/target'
    export const verdictOf = (report: Report) => report.verdict satisfies string
    export const nameOf = (target: TargetDocument): string | undefined => target.name
    // @ts-expect-error a target has no such member
    export const wrong = (target: TargetDocument) => target.nome
    export const id: string = schema.$id
  `
  writeFileSync(join(folder, 'consumer.mts'), consumer)
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--resolveJsonModule',
  ]
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const types = await run(tsc, [...options, '--ignoreConfig', 'consumer.mts'], { cwd: folder })
  expect(types.stdout).toBe('')
  const script = `
    import { createRequire } from 'node:module'
    const require = createRequire(import.meta.url)
    console.log(require('assay/schemas/requests/token.schema.json').title)
    console.log(require.resolve('assay/openapi/account-information.yaml'))
    await import('assay/target')
    await import('assay/report')
  `
  writeFileSync(join(folder, 'consumer.mjs'), script)
  const imported = await run(process.execPath, ['consumer.mjs'], { cwd: folder })
  expect(imported.stdout).toContain('Form of POST /oauth/token')
  expect(imported.code, imported.stderr).toBe(0)
})
