import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { loadSchemas } from '../../engine/judge/schemas.ts'
import { fits, mutants } from '../../proof/run/mutants.ts'
import { observed } from '../observed.ts'

const root = resolve(import.meta.dirname, '..', '..')

/** Runs in the build, which alone has validators of its own; tells whether ajv was loaded for it. */
const SCRIPT = `
  import { readFileSync } from 'node:fs'
  import { createRequire } from 'node:module'
  import { loadSchemas } from './dist/engine/judge/schemas.js'
  const verdicts = []
  const instances = JSON.parse(readFileSync(process.argv[1], 'utf8'))
  for (const schema of loadSchemas()) {
    for (const instance of instances[schema.file] ?? []) {
      const { findings, visited, observed } = schema.validate(instance, {})
      verdicts.push([schema.file, [...findings], [...visited], observed])
    }
  }
  const { cache } = createRequire(import.meta.url)
  const compiler = Object.keys(cache).filter((file) => file.endsWith('ajv/dist/core.js'))
  console.log(JSON.stringify({ verdicts, compiler }))
`

test('validators of the build say what those say that are compiled, and need no compiler', async () => {
  const { answers } = await observed()
  const instances: Record<string, unknown[]> = {}
  const verdicts: unknown[] = []
  for (const { file, responses, validate } of loadSchemas()) {
    const ofIt = answers.filter(({ endpoint, status }) =>
      responses.some((one) => fits(one, endpoint, status)),
    )
    const seeds = [ofIt.at(0), ofIt.at(-1)].map((answer) => answer?.json)
    const mine = seeds.flatMap((json) => [json, ...[...mutants(json)].map(({ mutant }) => mutant)])
    const whole = mine.filter((json) => json !== undefined).slice(0, 400)
    instances[file] = whole
    for (const instance of whole) {
      const { findings, visited, observed } = validate(instance, {})
      verdicts.push([file, [...findings], [...visited], observed])
    }
  }
  const list = join(mkdtempSync(join(tmpdir(), 'validators-')), 'instances.json')
  writeFileSync(list, JSON.stringify(instances))
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT, list], options)
  const built = JSON.parse(out)
  expect(verdicts.length).toBeGreaterThan(1000)
  expect(built.compiler).toEqual([])
  expect(built.verdicts).toEqual(JSON.parse(JSON.stringify(verdicts)))
}, 300_000)

test('a validator that was built from another text is not taken', () => {
  const script = `
    import { builtValidator } from './dist/engine/record/built-validators.js'
    import { readFileSync } from 'node:fs'
    const text = readFileSync('schemas/assay/target.schema.json', 'utf8')
    const given = [text, text + '\\n'].map((each) => builtValidator('assay/target/target', each))
    console.log(given.map((each) => typeof each).join())
  `
  const options = { cwd: root, encoding: 'utf8' } as const
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], options)
  expect(out.trim()).toBe('function,undefined')
})
