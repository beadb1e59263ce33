import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadSchemas } from '../../engine/judge/schemas.ts'
import { judgeBank, openWorkshop, type Workshop } from '../../proof/judge-bank.ts'

/**
 * The schemas judged by a validator that others wrote. It knows neither our formats nor our literals,
 * so what only these tell apart is left out of the comparison.
 */

const folder = resolve(import.meta.dirname, '..', '..', 'schemas')
const OURS = new Set(['format', 'literal', 'requirement', 'presence', 'observe', 'responses'])
const answers = new Map<string, unknown[]>()
let workshop: Workshop

beforeAll(async () => {
  workshop = await openWorkshop()
  await judgeBank(workshop, [], {
    onExchange({ endpoint, response }) {
      if (!response || response.json === undefined || response.bytes > 20_000) return
      const key = `${endpoint} ${response.status >= 400 ? 'error' : '2xx'}`
      answers.set(key, [...(answers.get(key) ?? []).slice(0, 5), response.json])
    },
  })
})

afterAll(() => workshop.directory.close())

/** A schema without what only we understand. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !OURS.has(key))
      .map(([key, value]) => [key, plain(value)]),
  )
}

const files = ['account-information', 'product-information'].flatMap((document) =>
  readdirSync(join(folder, document), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${document}/${name}`),
)

describe.each(files)('%s', (file) => {
  const source = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { responses: string[] }
  const second = new Validator(plain(source) as object, '2020-12', false)
  const [ours] = loadSchemas(folder, (name) => name === file)

  test('both validators agree on generated answers', () => {
    const seeds = source.responses.flatMap(
      (response) => answers.get(response.replace(/ 2\d\d$/, ' 2xx')) ?? [],
    )
    expect(seeds.length, 'no recorded answer to start from').toBeGreaterThan(0)
    if (!ours) throw new Error(`${file} was not loaded`)
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.infiniteStream(fc.nat()),
        fc.jsonValue(),
        (seed, picks, value) => {
          const instance = changed(structuredClone(seed), picks, value)
          const findings = [...ours.validate(instance, {}).findings.values()].flat()
          const both = findings.filter(({ expected }) => !/^(format|literal) /.test(expected))
          expect(both.length === 0).toBe(second.validate(instance).valid)
        },
      ),
      { numRuns: 400 },
    )
  })
})

/** One place of an instance, chosen by the picks, replaced or dropped. */
function changed(instance: unknown, picks: Iterator<number>, value: unknown): unknown {
  const pick = (of: number) => (picks.next().value as number) % of
  let node = instance as Record<string, unknown>
  for (let depth = 0; depth < 8; depth += 1) {
    const keys = Object.keys(node)
    if (keys.length === 0) return instance
    const key = keys[pick(keys.length)] as string
    const inner = node[key]
    if (typeof inner === 'object' && inner !== null && pick(4) > 0) {
      node = inner as Record<string, unknown>
      continue
    }
    if (pick(3) === 0 && !Array.isArray(node)) delete node[key]
    else node[key] = value
    return instance
  }
  return instance
}
