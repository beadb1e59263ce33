import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** The one module whose functions take any text and never throw. */
const PERCENT = 'engine/record/percent.ts'

/** Tables of values, made of texts of our own. */
const isOwn = (file: string) => file === PERCENT || file.startsWith('suites/values/')

test('texts from outside are percent-encoded and decoded by functions that never throw', () => {
  const sources = ['engine', 'cli', 'suites'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${room}/${name}`),
  )
  expect(sources).toContain(PERCENT)
  const others = sources.filter(
    (file) => !isOwn(file) && /(en|de)codeURI/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(others, `use percentEncoded or percentDecoded of ${PERCENT}`).toEqual([])
})
