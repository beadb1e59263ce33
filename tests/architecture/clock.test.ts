import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** The one module that reads the wall clock. */
const CLOCK = 'engine/record/clock.ts'

/** `Date.now`, and a Date that is made of nothing. */
const WALL_CLOCK = /\bDate\s*\.\s*now\b|\bnew Date\s*(?:\(\s*\)|(?!\s*\())|(?<!\bnew )\bDate\(\s*\)/

const readsWallClock = (source: string) => WALL_CLOCK.test(source)

test.each([
  'Date.now()',
  'map(Date.now)',
  'new Date()',
  'new Date',
  'new Date( ).getTime()',
  'Date()',
])('%s reads the wall clock', (source) => expect(readsWallClock(source)).toBe(true))

test.each(['new Date(now())', 'Date.parse(text)', 'new Date(0)', 'Date.UTC(2000, 0)', 'isDate()'])(
  '%s does not',
  (source) => expect(readsWallClock(source)).toBe(false),
)

test('engine and suites ask one clock, which nobody can set while they judge', () => {
  const sources = ['engine', 'suites'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${room}/${name}`),
  )
  expect(sources).toContain(CLOCK)
  const others = sources.filter(
    (file) => file !== CLOCK && readsWallClock(readFileSync(join(root, file), 'utf8')),
  )
  expect(others, `use now() of ${CLOCK}, or performance.now() for a duration`).toEqual([])
})
