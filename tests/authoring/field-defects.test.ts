import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type FieldDefect,
  fieldDefectProblems,
  fieldDefectsPage,
  loadFieldDefects,
} from '../../authoring/field-defects.ts'
import { root } from '../../engine/record/root.ts'
import { loadFaults } from '../../proof/run/load.ts'

const faults = [
  { id: 'one', fails: ['TXN-17/to-alone'], warns: ['TXN-19/malformed'] },
  { id: 'many', fails: Array.from({ length: 9 }, (_, n) => `SEC-0${n}/x`) },
]
const defect = (more: Partial<FieldDefect>): FieldDefect => {
  return { id: 'D01', defect: 'It went wrong.', place: 'f.yaml:1:1', ...more }
}
const problems = (...list: FieldDefect[]) => fieldDefectProblems(list, faults, ['TXN-17/to-alone'])

test('the list of the repository names nothing that there is not, and its page is up to date', async () => {
  const all = await loadFaults()
  const list = loadFieldDefects()
  const ids = all.flatMap(({ fails }) => fails)
  const unknown = fieldDefectProblems(list, all, [...ids, ...list.flatMap((d) => d.checks ?? [])])
  expect(unknown).toEqual([])
  expect(list.length).toBeGreaterThanOrEqual(120)
  const page = readFileSync(join(root, 'docs', 'field-defects.md'), 'utf8')
  expect(page).toBe(fieldDefectsPage(list, all))
})

test.each([
  [defect({ faults: ['none'] }), 'f.yaml:1:1: D01 names none, and there is no such fault.'],
  [defect({ checks: ['X-1/y'] }), 'D01 names X-1/y, and there is no such check or rule.'],
  [defect({}), 'D01 has no faults and no checks. Name some, or say under untold'],
  [defect({ faults: ['one'], untold: 'Nobody can.' }), 'and a reason why nothing tells it'],
])('%j is a mistake', (wrong, says) => {
  expect(problems(wrong)).toEqual([expect.stringContaining(says)])
})

test('an id stands once', () => {
  const twice = defect({ faults: ['one'] })
  expect(problems(twice, twice)).toEqual(['f.yaml:1:1: D01 is there twice.'])
})

test('the page has faults, what fails, what warns in brackets, and a link to each report', () => {
  const page = fieldDefectsPage(
    [
      defect({ faults: ['one'], source: ['owner/name#12', 'a list | of quirks'], note: 'A part.' }),
      defect({ id: 'D02', faults: ['many'] }),
      defect({ id: 'D03', untold: 'Nobody can see it.' }),
    ],
    faults,
  )
  expect(page).toContain(
    '| D01 | It went wrong. *A part.* | [owner/name#12](https://github.com/owner/name/issues/12), a list \\| of quirks | `one` | `TXN-17/to-alone`, (`TXN-19/malformed`) |',
  )
  expect(page).toContain('`SEC-05/x`, and 3 more |')
  expect(page).toContain('| D03 | It went wrong. | no public report | Nobody can see it. |')
  expect(page).toContain('2 are found by checks and rules')
})

test('a member that is not known is told with its line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-defects-'))
  const file = join(folder, 'field-defects.yaml')
  writeFileSync(file, '- id: D01\n  defect: It went wrong.\n  fault: [one]\n')
  expect(() => loadFieldDefects(file)).toThrow(/field-defects\.yaml:3:3: .*fault/)
  rmSync(folder, { recursive: true })
})
