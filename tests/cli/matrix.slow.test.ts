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
import type { Bank } from '../../bank/running-bank.ts'
import type { Overview } from '../../engine/report/overview.ts'
import { openBank } from '../directory.ts'
import { assay } from '../evidence/cli.ts'
import { type Step, shell, writePrograms } from './pipeline-shell.ts'

const root = resolve(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'many-banks.md'), 'utf8')

/** The example of the page that follows these words, as the pipeline would read it. */
function example(words: string): unknown {
  const section = page.slice(page.indexOf(`\n${words}:\n`))
  return parse(/```yaml\n([\s\S]*?)```/.exec(section)?.[1] ?? '')
}

/** The jobs of a matrix: what each runs, and which folder is brought from them to the last job. */
interface Matrix {
  banks: string[]
  /** The script of one bank's job. */
  judge(bank: string): string
  /** What is kept of a job, also of a red one, and where it comes to stand for the last job. */
  brings(bank: string): { from: string; to: string }
  overview: string
  public: string
}

const runs = (steps: Step[]) => steps.flatMap(({ run }) => run ?? []).join('\n')

function gitHub(): Matrix {
  const { jobs } = example('GitHub Actions') as {
    jobs: {
      judge: { strategy: { 'fail-fast': boolean; matrix: { bank: string[] } }; steps: Step[] }
      overview: { needs: string; if: string; steps: Step[] }
    }
  }
  const { judge, overview } = jobs
  const filled = (text: string, bank: string) => text.replaceAll(/\$\{\{ matrix\.bank \}\}/g, bank)
  const uses = (steps: Step[], action: string) =>
    steps.find((step) => step.uses?.startsWith(`${action}@`))
  const upload = uses(judge.steps, 'actions/upload-artifact')
  const download = uses(overview.steps, 'actions/download-artifact')
  // A bank that is red stops neither the others nor the overview.
  expect(judge.strategy['fail-fast']).toBe(false)
  expect(upload?.if).toBe('always()')
  expect([overview.needs, overview.if]).toEqual(['judge', 'always()'])
  // Artifacts have different names; the pattern takes them all, each into a folder of its name.
  const name = (bank: string) => filled(upload?.with?.name ?? '', bank)
  const pattern = new RegExp(`^${download?.with?.pattern?.replace('*', '.*')}$`)
  return {
    banks: judge.strategy.matrix.bank,
    judge: (bank) => filled(runs(judge.steps), bank),
    brings(bank) {
      expect(name(bank)).toMatch(pattern)
      return {
        from: upload?.with?.path ?? '',
        to: join(download?.with?.path ?? '', name(bank)),
      }
    },
    overview: runs(overview.steps),
    public: uses(overview.steps, 'actions/upload-artifact')?.with?.path ?? '',
  }
}

function gitLab(): Matrix {
  const { judge, overview } = example('GitLab CI') as {
    judge: {
      parallel: { matrix: [{ BANK: string[] }] }
      script: string[]
      artifacts: { when: string; paths: string[] }
    }
    overview: { needs: string[]; when: string; script: string[]; artifacts: { paths: string[] } }
  }
  expect(judge.artifacts.when).toBe('always')
  expect([overview.needs, overview.when]).toEqual([['judge'], 'always'])
  const [folder = ''] = judge.artifacts.paths
  return {
    banks: judge.parallel.matrix[0].BANK,
    judge: (bank) => `BANK=${bank}\n${judge.script.join('\n')}`,
    brings: () => ({ from: folder, to: folder }),
    overview: overview.script.join('\n'),
    public: overview.artifacts.paths[0] ?? '',
  }
}

const folder = mkdtempSync(join(tmpdir(), 'assay-matrix-'))
const repository = join(folder, 'repository')
const bin = join(folder, 'bin')

let served: Bank

beforeAll(async () => {
  served = await openBank()
  mkdirSync(join(repository, 'banks'), { recursive: true })
  for (const name of ['alpha', 'beta', 'gamma']) {
    const file = join(repository, 'banks', `${name}.yaml`)
    writeFileSync(file, stringify({ ...served.target, name }, { lineWidth: 0 }))
  }
  mkdirSync(bin)
  // One chapter of each bank is enough to see where everything lies.
  writePrograms(
    bin,
    `verb=$1
shift
[ "$verb" = run ] && set -- --only products "$@"
set -- "$verb" "$@"
`,
  )
})
afterAll(async () => {
  await served.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A job on a machine of its own: a fresh checkout, and what other jobs brought there. */
function job(name: string): string {
  const work = mkdtempSync(join(folder, `${name}-`))
  cpSync(repository, work, { recursive: true })
  return work
}

describe('a proof that machines share', () => {
  const faults = ['to-filter-needs-from', 'unknown-account-is-nothing']
  const part = (n: number) => join(folder, `part-${n}.json`)
  const prove = (...words: string[]) => assay(['prove', '--fault', ...faults, ...words]).ended

  test('each proves its part, and merged they are the whole', { timeout: 400_000 }, async () => {
    const proven: string[] = []
    for (const n of [1, 2]) {
      expect((await prove('--shard', `${n}/2`, '--json', part(n))).code).toBe(0)
      const { proofs } = JSON.parse(readFileSync(part(n), 'utf8')) as { proofs: { id: string }[] }
      proven.push(...proofs.map(({ id }) => id))
    }
    expect(proven.sort()).toEqual([...faults].sort())

    const merged = await prove('--merge', part(1), part(2))
    expect([merged.code, merged.stderr]).toEqual([0, ''])
    const half = await prove('--merge', part(1))
    expect(half.code).toBe(1)
    expect(half.stdout + half.stderr).toContain('unknown-account-is-nothing')
  })
})

describe.each([
  ['GitHub', gitHub],
  ['GitLab', gitLab],
])('the matrix for %s, tried literally', (name, read) => {
  test('each bank by a machine of its own, one of which has no such file, and one overview', {
    timeout: 240_000,
  }, async () => {
    const matrix = read()
    const last = job(`${name}-overview`)
    const codes: Record<string, number> = {}
    for (const bank of matrix.banks) {
      const work = job(`${name}-${bank}`)
      // A job that cannot judge is red, and keeps nothing from the others.
      if (bank === 'beta') rmSync(join(work, 'banks', 'beta.yaml'))
      codes[bank] = await shell(matrix.judge(bank), { cwd: work, bin })
      const { from, to } = matrix.brings(bank)
      if (existsSync(join(work, from))) {
        cpSync(join(work, from), join(last, to), { recursive: true })
      }
    }
    expect(codes).toEqual({ alpha: 0, beta: 2, gamma: 0 })
    expect(await shell(matrix.overview, { cwd: last, bin })).toBe(0)
    const { banks }: Overview = JSON.parse(
      readFileSync(join(last, matrix.public, 'overview.json'), 'utf8'),
    )
    expect(banks.map(({ name: bank, verdict }) => [bank, verdict])).toEqual([
      ['alpha', 'conformant'],
      ['gamma', 'conformant'],
    ])
    expect(readFileSync(join(last, matrix.public, 'overview.html'), 'utf8')).toContain('gamma')
  })
})
