import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../engine/record/root.ts'
import { chapters } from '../hostile/chapters.ts'

const page = readFileSync(join(root, 'docs', 'hostile.md'), 'utf8')
const listed = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, id]) => id)
const all = chapters.flatMap(([, situations]) => situations)

test('docs/hostile.md lists every situation, once, and no other', () => {
  expect(listed).toEqual(all.map(({ id }) => id))
  expect(new Set(listed).size).toBe(listed.length)
  expect(listed.length).toBeGreaterThan(60)
})

test('each has limits, and says what must come of it', () => {
  for (const { what, expected, seconds, megabytes } of all) {
    expect(what).toMatch(/\.\)?$| \(driver \w+\)$/)
    expect(expected).toMatch(/\.$/)
    expect(seconds).toBeGreaterThan(0)
    expect(megabytes).toBeGreaterThan(0)
  }
})
