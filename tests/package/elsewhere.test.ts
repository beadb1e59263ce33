import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { copyProject, root, run } from './project-copy.ts'

/**
 * The steps of Containerfile and action.yml, as they are written there, on a copy of the project:
 * what a builder of images and a runner would do, but for the image and the runner.
 */

const scratch = mkdtempSync(join(tmpdir(), 'assay-elsewhere-'))
afterAll(() => rmSync(scratch, { recursive: true, maxRetries: 3 }), 300_000)

interface Instruction {
  word: string
  rest: string
}

/** The stages of the Containerfile, each from its FROM on. */
function stages(): Instruction[][] {
  const lines = readFileSync(join(root, 'Containerfile'), 'utf8').split('\n')
  const found: Instruction[][] = []
  for (const line of lines.filter((each) => each !== '' && !each.startsWith('#'))) {
    const [word = '', ...rest] = line.split(' ')
    if (word === 'FROM') found.push([])
    found.at(-1)?.push({ word, rest: rest.join(' ') })
  }
  return found
}

/** Where a stage's absolute path lies here. */
const inStage = (stage: number, path: string) => join(scratch, `stage${stage}`, path)

/** The files of a folder that a pattern with one star in its last part names. */
function matching(pattern: string): string[] {
  const [start = '', end = ''] = basename(pattern).split('*')
  return readdirSync(dirname(pattern))
    .filter((name) => name.startsWith(start) && name.endsWith(end))
    .map((name) => join(dirname(pattern), name))
}

describe('Containerfile', () => {
  const entry: string[] = []
  let user = 'root'
  let where = ''

  beforeAll(async () => {
    for (const [number, instructions] of stages().entries()) {
      const path = (name: string) => inStage(number, name)
      mkdirSync(path('tmp'), { recursive: true })
      let cwd = path('/')
      for (const { word, rest } of instructions) {
        if (word === 'WORKDIR') {
          cwd = path(rest)
          if (rest !== '/assay') mkdirSync(cwd, { recursive: true })
        } else if (word === 'COPY' && rest === '. .') copyProject(cwd)
        else if (word === 'COPY') {
          const [, pattern = '', to = ''] = rest.split(' ')
          for (const file of matching(inStage(0, pattern)))
            cpSync(file, join(path(to), basename(file)))
        } else if (word === 'RUN') {
          const command = rest.replaceAll(' /tmp/', ` ${path('tmp')}/`)
          const env = { npm_config_prefix: path('usr') }
          const { code, stdout, stderr } = await run('bash', ['-ec', command], { cwd, env })
          if (code !== 0) throw new Error(`RUN ${rest}\n${stdout}\n${stderr}`)
        } else if (word === 'USER') user = rest
        else if (word === 'ENTRYPOINT' || word === 'CMD')
          entry.push(...(JSON.parse(rest) as string[]))
        else if (word !== 'FROM') throw new Error(`${word} is not tried here`)
      }
      where = cwd
    }
  }, 600_000)

  test('its last stage has the command, not the tools that built it', () => {
    const modules = inStage(1, 'usr/lib/node_modules/assay')
    expect(existsSync(join(modules, 'dist', 'cli', 'main.js'))).toBe(true)
    expect(existsSync(join(modules, 'node_modules', 'typescript'))).toBe(false)
    expect(readdirSync(inStage(1, 'tmp'))).toEqual([])
  })

  test('it is no superuser who judges', () => {
    expect(user).toBe('node')
  })

  test('what it starts judges the reference bank', async () => {
    const [program = '', ...args] = entry
    const command = inStage(1, join('usr', 'bin', program))
    // The whole is judged by the action below, of the same build.
    const core = [...args, '--profile', 'core']
    const { code, stdout, stderr } = await run(command, core, { cwd: where })
    expect(stdout, stderr).toContain('CONFORMANT')
    expect(code).toBe(0)
  })
})

interface Action {
  inputs: Record<string, { default?: string }>
  outputs: Record<string, { value: string }>
  runs: { steps: { id?: string; run?: string; shell?: string; env?: Record<string, string> }[] }
}

describe('action.yml', () => {
  const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action
  /** Built by the Containerfile already: to install it once is enough. */
  const checkout = inStage(0, 'assay')
  const workspace = join(scratch, 'workspace')

  beforeAll(() => {
    mkdirSync(workspace)
  })

  /** Its scripts, one after the other, as a runner runs them; what they put out, and the exit code. */
  async function uses(given: Record<string, string>) {
    const output = join(scratch, 'output')
    writeFileSync(output, '')
    const inputs = new Map(
      Object.entries(action.inputs).map(([name, input]) => [
        name,
        given[name] ?? input.default ?? '',
      ]),
    )
    let last = { code: 0, stdout: '', stderr: '' }
    for (const step of action.runs.steps) {
      if (step.run === undefined) continue
      const values = Object.entries(step.env ?? {}).map(([name, value]) => [
        name,
        value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input) => inputs.get(input) ?? ''),
      ])
      const env = {
        ...Object.fromEntries(values),
        GITHUB_ACTION_PATH: checkout,
        npm_config_dry_run: 'true',
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: join(scratch, 'summary.md'),
      }
      const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run]
      last = await run(step.shell ?? '', bash, { cwd: workspace, env })
      if (last.code !== 0) break
    }
    const lines = readFileSync(output, 'utf8').trim().split('\n')
    return { ...last, outputs: Object.fromEntries(lines.map((line) => line.split('='))) }
  }

  test('the example of the docs gives inputs that exist and reads outputs that exist', () => {
    const page = readFileSync(join(root, 'docs', 'elsewhere.md'), 'utf8')
    const [, yaml = ''] = /```yaml\n([\s\S]+?)```/.exec(page) ?? []
    const { steps } = parse(yaml).jobs.conformance
    const [step] = steps.filter(({ uses }: { uses: string }) => uses === './assay')
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)))
    const read = [...yaml.matchAll(/steps\.assay\.outputs\.([\w-]+)/g)].map(([, name]) => name)
    expect(read.length).toBeGreaterThan(0)
    expect(Object.keys(action.outputs)).toEqual(expect.arrayContaining(read))
  })

  test('no input stands in a script, where it would be read as code', () => {
    for (const { run: script = '' } of action.runs.steps) expect(script).not.toContain('${{')
  })

  test('it judges the reference bank and says how that ended', async () => {
    const { code, stdout, stderr, outputs } = await uses({})
    expect(stdout, stderr).toContain('CONFORMANT')
    expect({ code, ...outputs }).toEqual({ code: 0, 'exit-code': '0', verdict: 'conformant' })
    const report = action.inputs.out?.default ?? ''
    expect(existsSync(join(workspace, report, 'report.html'))).toBe(true)
  }, 600_000)

  test('arguments are one a line, and the exit code is that of the run', async () => {
    const mistaken = await uses({ arguments: '--only\nNO-SUCH-CHECK' })
    expect(mistaken.code).toBe(2)
    // Not the verdict of the run before, which is still there.
    expect(mistaken.outputs).toEqual({ 'exit-code': '2' })
  }, 600_000)
})
