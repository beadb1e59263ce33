import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..')

/** Runs in the build, which alone has lists of its own. */
const SCRIPT = `
  import { readdirSync, readFileSync } from 'node:fs'
  import { builtList } from './dist/engine/yaml/built-lists.js'
  import { parseList } from './dist/engine/yaml/list.js'
  const files = readdirSync('specs', { recursive: true }).filter((name) => /.[/].*yaml$/.test(name))
  console.log(JSON.stringify(files.map((name) => {
    const file = process.cwd() + '/specs/' + name
    const text = readFileSync(file, 'utf8')
    const read = parseList(name, 'requirements', text, [])
    const built = builtList(file, 'requirements', text)
    return {
      name,
      same: JSON.stringify(built?.entries) === JSON.stringify(read),
      stale: builtList(file, 'requirements', text + '\\n') !== undefined,
      otherSchema: builtList(file, 'decisions', text) !== undefined,
    }
  })))
`

test('the build holds every list of specs/ as it is read, and gives it for that text alone', () => {
  const options = { cwd: root, encoding: 'utf8' } as const
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], options)
  const found = JSON.parse(out) as { name: string }[]
  expect(found.length).toBeGreaterThan(20)
  for (const each of found) {
    expect(each).toEqual({ name: each.name, same: true, stale: false, otherSchema: false })
  }
})
