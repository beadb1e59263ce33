import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { wordProblems } from '../../authoring/words.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-words-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a word that readers did not understand is named with its line, in pages and in comments alone', () => {
  for (const room of ['docs', 'engine']) mkdirSync(join(folder, room))
  writeFileSync(join(folder, 'README.md'), '# Title\n\nHow to mend it: `mend`.\n')
  writeFileSync(join(folder, 'docs', 'ci.md'), 'Checks are read again.\nIt begins anew.\n')
  writeFileSync(join(folder, 'engine', 'a.ts'), '/** In vain. */\nconst mend = 1\n // Fix it.\n')

  expect(wordProblems(folder)).toEqual([
    'docs/ci.md:2: “anew”: write “again”.',
    'README.md:3: “mend”: write “fix”.',
    'engine/a.ts:1: “In vain”: write “without success”.',
  ])
})
