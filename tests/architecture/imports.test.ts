import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..')
const ROOMS = ['engine', 'suites', 'bank', 'proof', 'authoring', 'cli']

/** Every import between files of the project, as room → room with its place. */
const imports = ROOMS.flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const file = join(root, room, name)
      const source = readFileSync(file, 'utf8')
      const found = source.matchAll(
        /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm,
      )
      return [...found].map(([, type, from, dynamic]) => ({
        from: relative(root, file),
        to: relative(root, resolve(dirname(file), (from ?? dynamic) as string)),
        typeOnly: type !== undefined,
      }))
    }),
)

function offenders(within: string, allowed: string[], types = false): string[] {
  return imports
    .filter(({ from, typeOnly }) => from.startsWith(within) && !(types && typeOnly))
    .filter(({ to }) => ![within, ...allowed].some((room) => to.startsWith(room)))
    .map(({ from, to }) => `${from} → ${to}`)
}

test('there is something to look at', () => {
  expect(imports.length).toBeGreaterThan(300)
})

test('suites import themselves and the one door of the engine', () => {
  expect(offenders('suites/', ['engine/suite-api/'])).toEqual([])
})

test('the engine imports none of suites, bank, proof, cli: the bank under judgement is anybody’s', () => {
  expect(offenders('engine/', [])).toEqual([])
})

test('the bank never imports the engine: shared code would hide one bug in both', () => {
  expect(offenders('bank/', [])).toEqual([])
})

test('proof imports bank, engine and suites', () => {
  expect(offenders('proof/', ['bank/', 'engine/', 'suites/'])).toEqual([])
})

test('what makes pages and looks for mistakes in sources is no part of a run', () => {
  expect(offenders('authoring/', ['engine/'])).toEqual([])
})

test('what a run records is defined below everything, once', () => {
  expect(offenders('engine/record/', [])).toEqual([])
})

test('what judges imports only the catalogue, the record, and the shape of an exchange', () => {
  const wire = (line: string) => !line.endsWith('engine/wire/exchange.ts')
  expect(
    offenders('engine/judge/', ['engine/catalogue/', 'engine/record/'], true).filter(wire),
  ).toEqual([])
})

test('the wire never judges', () => {
  const lines = offenders('engine/wire/', ['engine/configuration/', 'engine/record/'], true)
  expect(lines).toEqual([])
})

test('reports are made of report.json and exchanges.jsonl alone', () => {
  expect(offenders('engine/report/', ['engine/record/'])).toEqual([])
})
