import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

const root = resolve(import.meta.dirname, '..', '..')
const pages = [
  'README.md',
  'reports/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const blocks = (page: string, kind: string) => {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, of = '']) => of,
  )
}
const having = (kind: string) => pages.filter((page) => blocks(page, kind).length > 0)

test.each(having('yaml'))('%s: its examples are YAML', (page) => {
  for (const block of blocks(page, 'yaml')) {
    const mistakes = parseAllDocuments(block).flatMap(({ errors }) => errors)
    expect(mistakes.map(({ message }) => message)).toEqual([])
  }
})

test.each(pages)('%s: what it links to is there', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#([^)\s]+))?\)|(?:src|href)="([^"#]+)"/g)]
  for (const [, link, heading, source] of links) {
    const to = link ?? source ?? ''
    if (/^https?:/.test(to)) continue
    const file = join(root, page, '..', to)
    expect(() => readdirOrRead(file), `${page} → ${to}`).not.toThrow()
    if (heading) expect(headings(file), `${to}#${heading}`).toContain(heading)
  }
})

test('every page is linked from another one', () => {
  const linked = new Set(
    pages.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#\s]+\.md)/g)]
        .map(([, to = '']) => join(page, '..', to))
        .filter((to) => to !== page),
    ),
  )
  expect(pages.filter((page) => page !== 'README.md' && !linked.has(page))).toEqual([])
})

function readdirOrRead(file: string): unknown {
  try {
    return readFileSync(file)
  } catch {
    return readdirSync(file)
  }
}

/** As GitHub names the headings of a page. */
function headings(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, words = '']) =>
    words
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
