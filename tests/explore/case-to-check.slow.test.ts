import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { writeAsCheck } from '../../cli/case-to-check.ts'
import { casesIn } from '../../cli/kept-cases.ts'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { caseText } from '../../engine/explore/case-file.ts'
import type { History } from '../../engine/model/moves.ts'
import { root } from '../../engine/record/root.ts'
import { handChecksTo, type SuiteCheck } from '../../engine/suite-api/check.ts'
import { judgeBank, openProofContext } from '../../proof/run/judge-bank.ts'
import { loadFaults } from '../../proof/run/load.ts'
import { openDirectory } from '../directory.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-case-'))
afterAll(() => rmSync(folder, { recursive: true }))

for (const name of ['specs', 'suites']) {
  cpSync(join(root, name), join(folder, name), { recursive: true })
}
symlinkSync(join(root, 'engine'), join(folder, 'engine'))

const ID = 'CLC-03/after-an-approval'

const MOVES: History = [
  { do: 'create', consent: 'c1', client: 'first', permissions: ['ReadAccountsBasic'] },
  { do: 'approve', consent: 'c1', client: 'first', customer: 'first', code: 'a1' },
  { do: 'delete', consent: 'c1', client: 'first' },
  { do: 'query', consent: 'c1', client: 'first' },
]

const file = join(folder, 'case.yaml')
writeFileSync(file, caseText({ found: 'CLC-03', moves: MOVES }))
const cases = () => casesIn(file, loadCatalogue())

/** What a file defines, kept out of the list that other tests see. */
async function definedIn(suite: string): Promise<SuiteCheck[]> {
  const checks: SuiteCheck[] = []
  handChecksTo((check) => checks.push(check))
  await import(pathToFileURL(suite).href)
  handChecksTo(undefined)
  return checks
}

test.each([
  ['CLC-04/after-an-approval', /breaks CLC-03, so write CLC-03\//],
  ['CLC-03/After', /small letters/],
  ['CLC-03/query-refused', /there is such a check already/],
])('an id that cannot be is refused: %s', (id, words) => {
  expect(() => writeAsCheck(id, cases(), loadCatalogue(), folder)).toThrow(words)
})

test('without the sources of the suites nothing is written', () => {
  const elsewhere = mkdtempSync(join(folder, 'elsewhere'))
  expect(() => writeAsCheck(ID, cases(), loadCatalogue(), elsewhere)).toThrow(/in a clone/)
  expect(() => writeAsCheck(ID, undefined, loadCatalogue(), folder)).toThrow(/--cases FILE/)
})

test('a kept case becomes a check, which passes at the correct bank and fails where it was found', async () => {
  writeAsCheck(ID, cases(), loadCatalogue(), folder)

  const suite = join(
    folder,
    'suites',
    'account-information',
    'life-cycle',
    'after-an-approval.check.ts',
  )
  expect(readFileSync(suite, 'utf8')).toMatchSnapshot()
  const catalogue = loadCatalogue(join(folder, 'specs'))
  expect(catalogue.owners.get(ID)?.id).toBe('CLC-03')

  const context = await openProofContext(openDirectory())
  const checks = await definedIn(suite)
  expect(checks.map(({ id, options }) => ({ id, options }))).toEqual([
    { id: ID, options: { last: true, needs: [], grants: [`${ID} a1`] } },
  ])
  const outcomeAt = async (...faults: string[]) => {
    const all = (await loadFaults()).filter(({ id }) => faults.includes(id))
    const { results } = await judgeBank(
      { ...context, catalogue, suites: { ...context.suites, checks } },
      all,
      { scope: { profile: 'full', only: [ID] } },
    )
    return results.get(ID)?.outcome
  }
  expect(await outcomeAt()).toBe('pass')
  expect(await outcomeAt('deleted-once-authorised-still-queried')).toBe('fail')
}, 60_000)
