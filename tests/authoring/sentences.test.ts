import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  loadUnquoted,
  sayingLines,
  sentenceProblems,
  unquotedIn,
} from '../../authoring/sentences.ts'
import { loadBothSides } from '../../engine/catalogue/catalogue.ts'
import { root } from '../../engine/record/root.ts'

const { requirements } = loadBothSides()
const listed = loadUnquoted()
const documents = new Map(
  ['account-information', 'product-information'].map((name) => [
    name,
    readFileSync(join(root, 'documents', `${name}.md`), 'utf8'),
  ]),
)

/** What is said when the product document is another one. */
function problems(change: (text: string) => string): string[] {
  const text = change(documents.get('product-information') ?? '')
  const changed = new Map(documents).set('product-information', text)
  return sentenceProblems(changed, requirements, listed)
}

test('every sentence of both documents is quoted, or listed with a reason', () => {
  expect(problems((text) => text)).toEqual([])
})

const NEW = 'Products are sorted by name.'

test('a new sentence is noticed: in a line of its own, behind others, in a row of a table', () => {
  const own = problems((text) => `${text}\n- ${NEW}\n`)
  expect(own).toEqual([
    expect.stringMatching(
      /^documents\/product-information\.md:\d+: no requirement quotes “Products/,
    ),
  ])
  const behind = problems((text) => text.replace(/(Base address: .*)/, `$1 ${NEW}`))
  expect(behind).toEqual([expect.stringContaining(`“${NEW}”`)])
  const inCell = problems((text) => text.replace('| Product data. |', `| Product data. ${NEW} |`))
  expect(inCell).toContainEqual(expect.stringContaining(`“${NEW}”`))
  const row = '| Colour | string | yes | Colour of the card. |'
  const inRow = problems((text) => text.replace(/(\| KeyFeatures .*)/, `$1\n${row}`))
  expect(inRow).toEqual([expect.stringContaining('“Colour | string | yes | Colour of the card.”')])
})

test('a heading, the head of a table and blank lines say nothing', () => {
  const table = '\n## Colours\n\n| Colour | Notes |\n|---|---|\n'
  expect(problems((text) => text + table)).toEqual([])
  expect(sayingLines(`${table}| red | Rare. |`)).toEqual([{ line: 6, text: '| red | Rare. |' }])
})

test('a reason for a sentence that is gone, or is quoted, is told', () => {
  const [first] = requirements.values()
  const [entry] = listed
  if (!first || !entry) throw new Error('nothing to try')
  const gone = { ...entry, text: 'The moon is a bank.' }
  expect(sentenceProblems(documents, requirements, [...listed, gone])).toEqual([
    expect.stringContaining('“The moon is a bank.” is quoted, or stands nowhere in documents/'),
  ])
  const quoting = new Map(requirements).set(first.id, { ...first, quote: [entry.text] })
  expect(sentenceProblems(documents, quoting, listed)).toContainEqual(
    expect.stringContaining(`“${entry.text}” is quoted`),
  )
})

test('a full stop within a word ends no sentence', () => {
  const said = unquotedIn('Version v3.1 is old. So is v1.\n', []).map(({ text }) => text)
  expect(said).toEqual(['Version v3.1 is old.', 'So is v1.'])
})
