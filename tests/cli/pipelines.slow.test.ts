import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Report } from '../../engine/report/report.ts'
import { openBank } from '../directory.ts'
import { type Step, shell, writePrograms } from './pipeline-shell.ts'

const root = resolve(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'ci.md'), 'utf8')

/** The example below a heading of the page, as the pipeline would read it. */
function example(heading: string): unknown {
  const section = page.slice(page.indexOf(`## ${heading}`))
  return parse(/```yaml\n([\s\S]*?)```/.exec(section)?.[1] ?? '')
}

/** What a pipeline does in a night, as far as files go. */
interface Pipeline {
  /** Folders and files that are brought back before, and kept after, whatever happened. */
  kept: string[]
  /** Whether they are kept after a red night. */
  keptWhenRed: boolean
  scripts: { script: string; always: boolean }[]
}

function gitHub(): Pipeline {
  const { jobs } = example('GitHub Actions') as { jobs: { assay: { steps: Step[] } } }
  const { steps } = jobs.assay
  const uses = (action: string) => steps.find((step) => step.uses?.startsWith(`${action}@`))
  const restore = uses('actions/cache/restore')
  const save = uses('actions/cache/save')
  expect(uses('actions/cache')).toBeUndefined()
  expect(restore?.with?.path).toBe(save?.with?.path)
  expect(restore?.with?.key).toBe(save?.with?.key)
  expect(save?.with?.key?.startsWith(restore?.with?.['restore-keys'] ?? '-')).toBe(true)
  // A key that is there is never written again.
  expect(save?.with?.key).toContain('github.run_id')
  return {
    kept: save?.with?.path?.trim().split('\n') ?? [],
    keptWhenRed: save?.if === 'always()',
    scripts: steps.flatMap(({ run, if: when }) =>
      run === undefined ? [] : [{ script: run, always: when === 'always()' }],
    ),
  }
}

function gitLab(): Pipeline {
  const { assay } = example('GitLab CI') as {
    assay: {
      cache: { when: string; paths: string[] }
      script: string[]
      after_script: string[]
    }
  }
  return {
    kept: assay.cache.paths,
    keptWhenRed: assay.cache.when === 'always',
    scripts: [
      { script: assay.script.join('\n'), always: false },
      { script: assay.after_script.join('\n'), always: true },
    ],
  }
}

let password: string
let registrations = 0
let broken = false
const alteration: Alteration = {
  id: 'nights',
  story: 'A release goes out, and is mended after a night.',
  async middleware(ctx, proceed) {
    await proceed()
    if (ctx.path.endsWith('/register') && ctx.status === 201) registrations += 1
    if (broken && ctx.path.endsWith('/accounts') && ctx.status === 200) ctx.status = 206
  },
}

const folder = mkdtempSync(join(tmpdir(), 'assay-pipelines-'))
const repository = join(folder, 'repository')
const bin = join(folder, 'bin')
let bank: Awaited<ReturnType<typeof openBank>>

beforeAll(async () => {
  bank = await openBank({ alterations: [alteration] })
  const document = structuredClone(bank.target) as TargetDocument
  document.name = 'staging'
  // Whoever allows registrations again is judged by one of every night.
  document.freshRegistrations = false
  password = document.customers.first.credentials.password ?? ''
  document.customers.first.credentials.password = ['${', 'CUSTOMER_PASSWORD}'].join('')
  mkdirSync(join(repository, 'staging'), { recursive: true })
  writeFileSync(join(repository, 'staging', 'bank.yaml'), stringify(document, { lineWidth: 0 }))
  writeFileSync(join(repository, 'staging', 'deviations.yaml'), '[]\n')
  mkdirSync(bin)
  // The core profile is enough to see what goes from night to night.
  writePrograms(
    bin,
    `[ "$1" = run ] && set -- "$@" --profile core
`,
  )
})
afterAll(async () => {
  await bank.close()
  rmSync(folder, { recursive: true, force: true })
})

/** One night in a fresh checkout, with what the cache brings; the exit code of the job. */
async function night(
  pipeline: Pipeline,
  cache: string,
): Promise<{ code: number; report?: Report }> {
  const work = mkdtempSync(join(folder, 'night-'))
  cpSync(repository, work, { recursive: true })
  for (const path of pipeline.kept) {
    if (existsSync(join(cache, path))) {
      cpSync(join(cache, path), join(work, path), { recursive: true })
    }
  }
  let code = 0
  for (const { script, always } of pipeline.scripts) {
    if (code !== 0 && !always) continue
    const ended = await shell(script, { cwd: work, bin, env: { CUSTOMER_PASSWORD: password } })
    if (code === 0) code = ended
  }
  if (code === 0 || pipeline.keptWhenRed) {
    rmSync(cache, { recursive: true, force: true })
    for (const path of pipeline.kept) {
      if (existsSync(join(work, path))) {
        cpSync(join(work, path), join(cache, path), { recursive: true })
      }
    }
  }
  const file = join(work, 'reports', 'tonight', 'report.json')
  return { code, ...(existsSync(file) && { report: JSON.parse(readFileSync(file, 'utf8')) }) }
}

describe.each([
  ['GitHub', gitHub],
  ['GitLab', gitLab],
])('the example for %s, tried literally', (name, read) => {
  const cache = join(folder, `cache-${name}`)
  const history = () =>
    readFileSync(join(cache, 'nights', 'history.jsonl'), 'utf8')
      .trim()
      .split('\n').length

  // What was conformant before a red night: tests/evidence/nightly.slow.test.ts.
  test('a red night and a mended one', { timeout: 240_000 }, async () => {
    const pipeline = read()
    registrations = 0
    broken = true
    const red = await night(pipeline, cache)
    expect(red.code).toBe(1)
    expect(history()).toBe(1)
    const first = registrations

    registrations = 0
    broken = false
    const mended = await night(pipeline, cache)
    expect(mended.code).toBe(0)
    const last = join(cache, 'nights', 'last', 'diff.json')
    const changed = JSON.parse(readFileSync(last, 'utf8'))
    expect(changed.fixed.length).toBeGreaterThan(0)
    // The red night is the one before, and is not forgotten for being red.
    expect(changed.from.startedAt).toBe(red.report?.startedAt)
    expect(history()).toBe(2)
    // The two clients that the run works with are those of the first night.
    expect(first - registrations).toBe(2)
  })
})
