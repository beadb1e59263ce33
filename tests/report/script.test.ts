import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { root } from '../../engine/record/root.ts'
import { scriptOf } from '../../engine/report/html/script.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-script-'))
afterAll(() => rmSync(folder, { recursive: true }))

function written(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return join(folder, 'main.js')
}

test('modules of one script share what they export, and no other name', () => {
  const entry = written({
    'main.js':
      "import { next } from './next.js'\nimport { count } from './count.js'\n\nconst step = 5\nnext()\nnext()\nsaid.push(count(), step)\n",
    'next.js':
      "import { add } from './count.js'\nconst step = 2\nexport function next() {\n  add(step)\n}\n",
    'count.js':
      'let sum = 0\nexport const count = () => sum\nexport function add(step) {\n  sum += step\n}\n',
  })
  const said: unknown[] = []
  new Function('said', scriptOf(entry))(said)
  expect(said).toEqual([4, 5])
})

test('a module that exports in another way is none of these', () => {
  const entry = written({ 'main.js': 'export default 1\n' })
  expect(() => scriptOf(entry)).toThrow(/main\.js imports or exports otherwise/)
})

test('the script of report.html can be parsed, and holds every module of its folder', () => {
  const page = join(root, 'engine', 'report', 'html', 'page')
  const script = scriptOf(join(page, 'main.js'))
  expect(() => new Function(script)).not.toThrow()
  for (const name of readdirSync(page)) expect(script).toContain(`modules["${name}"]`)
  for (const name of readdirSync(page)) {
    const wanted = readFileSync(join(page, name), 'utf8').matchAll(
      /import \{([^}]*)\} from '\.\/(.*)'/g,
    )
    for (const [, words = '', from = ''] of wanted) {
      const text = readFileSync(join(page, from), 'utf8')
      for (const word of words.split(',')) {
        expect(text, `${word} of ${from}`).toMatch(
          new RegExp(`^export (async function|function|const) ${word.trim()}\\b`, 'm'),
        )
      }
    }
  }
})
