import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadSchemas } from '../../engine/judge/schemas.ts'
import { fits, mutants, type Recorded } from '../../proof/run/mutants.ts'
import { observed } from '../observed.ts'

/**
 * The files of schemas/ as they are, in the hands of validators that know nothing of us: one that
 * others wrote, and a plain Ajv with nothing but the standard formats. Whatever the suite finds in
 * an answer they find too, and nothing else.
 */

const folder = resolve(import.meta.dirname, '..', '..', 'schemas')
/** What a strict validator must be told to ignore, as docs/schemas.md says. */
const ANNOTATIONS = ['responses', 'requirement', 'presence', 'observe', 'literal']

/** With their text, of which the same is judged once. */
let answers: (Recorded & { text: string })[]

beforeAll(async () => {
  const seen = await observed()
  answers = seen.answers
    .filter(({ owns }) => owns.length === 0)
    .map((answer) => ({ ...answer, text: JSON.stringify(answer.json) }))
}, 300_000)

const files = ['account-information', 'product-information'].flatMap((document) =>
  readdirSync(join(folder, document), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${document}/${name}`),
)

describe.each(files)('%s', (file) => {
  const source = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { responses: string[] }
  const cfworker = new Validator(source as object, '2020-12', false)
  const strict = new Ajv2020({ strictSchema: true, strictTypes: false })
  strict.addVocabulary(ANNOTATIONS)
  addFormats.default(strict)
  const ajv = strict.compile(source)
  const lax = addFormats.default(new Ajv2020({ strict: false })).compile(source)
  const [ours] = loadSchemas(folder, (name) => name === file)

  const verdicts = (instance: unknown) => ({
    ours: ours?.validate(instance, {}).findings.size === 0,
    cfworker: cfworker.validate(instance).valid,
    strict: ajv(instance),
    lax: lax(instance),
  })
  const agree = (instance: unknown) => {
    const { ours: valid, ...others } = verdicts(instance)
    // Written out only where they do not agree: it may be long.
    if (Object.values(others).some((other) => other !== valid)) {
      expect(others, JSON.stringify(instance)).toEqual({
        cfworker: valid,
        strict: valid,
        lax: valid,
      })
    }
    return valid
  }
  const seeds = () => {
    const ofIt = answers.filter(({ endpoint, status }) =>
      source.responses.some((one) => fits(one, endpoint, status)),
    )
    return [...new Map(ofIt.map((answer) => [answer.text, answer])).values()]
  }

  test('every recorded answer of the correct bank is valid', () => {
    const found = seeds()
    expect(found.length, 'no recorded answer').toBeGreaterThan(0)
    for (const { json } of found) expect(agree(json)).toBe(true)
  })

  test('all agree on every mutant of the shortest and the longest answer', () => {
    const sorted = seeds()
      .filter(({ text }) => text.length < 40_000)
      .sort((one, other) => one.text.length - other.text.length)
    const chosen = new Set([sorted.at(0), sorted.at(sorted.length >> 1), sorted.at(-1)])
    let invalid = 0
    for (const seed of chosen) {
      for (const { mutant } of mutants(seed?.json)) if (!agree(mutant)) invalid += 1
    }
    expect(invalid).toBeGreaterThan(0)
  })

  test('all agree on generated answers', () => {
    const short = seeds().filter(({ text }) => text.length < 20_000)
    fc.assert(
      fc.property(
        fc.constantFrom(...short.slice(0, 12)),
        fc.infiniteStream(fc.nat()),
        fc.oneof(fc.jsonValue(), DATE_TIMES, ADDRESSES),
        ({ json }, picks, value) => {
          agree(changed(structuredClone(json), picks, value))
        },
      ),
      { numRuns: 400 },
    )
  })
})

/** Date-times in the spellings of RFC 3339, and in some that are not. */
const DATE_TIMES = fc
  .tuple(
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
    fc.constantFrom('Z', 'z', '', '+00:00', '-00:00', '+01:00', '+0100', '+01', '+24:00', ' Z'),
    fc.constantFrom('T', 't', ' ', '_'),
  )
  .map(([date, zone, separator]) => date.toISOString().replace('T', separator).replace('Z', zone))

const ADDRESSES = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.constantFrom('/relative', 'null/x', 'https://[::1]:8443/x', 'https:///x', 'urn:x:y', 'a b'),
  fc.constantFrom('https://bank.example/a b', 'https://bank.example/{id}', 'HTTPS://BANK.EXAMPLE'),
)

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
