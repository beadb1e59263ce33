import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inFull } from '../../engine/doctor/finding.ts'
import { withPlaces } from '../../engine/doctor/places-in-file.ts'
import type { ReportedCause, Whose } from '../../engine/report/report.ts'
import { addressMend, THIS_ADDRESS } from '../../engine/report/whose.ts'

/** What a line says of itself where nothing stands around it. */

const folder = mkdtempSync(join(tmpdir(), 'assay-lines-'))
const file = join(folder, 'bank.yaml')
writeFileSync(
  file,
  [
    'name: staging',
    'addresses:',
    '  base_url: https://api.bank.example',
    '  auth_url: https://login.bank.example/start',
    '',
  ].join('\n'),
)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['first: certificate', 'certificate of clients.first: expired'],
  ['second: token for accounts', 'token for accounts of clients.second: expired'],
  ['https://api.bank.example', 'expired'],
  ['authorisation', 'expired'],
])('what is found of a client names the client: %s', (name, said) => {
  expect(inFull({ name, text: 'expired' })).toBe(said)
})

const cause = (title: string, whose: Whose, mend: string): ReportedCause => ({
  ...{ title, whose, mend, findings: [], blocks: [] },
})

test('of a server that did not answer the member and the line that give its address are said', () => {
  const mend = addressMend(THIS_ADDRESS, 'ask the bank.')
  const title = 'https://login.bank.example: nothing listens there'
  expect(withPlaces(cause(title, 'network', mend), file).mend).toBe(
    `${addressMend('addresses.auth_url', 'ask the bank.')} See ${file}:4.`,
  )
  expect(withPlaces(cause(title, 'bank', 'Ask.'), file).mend).toBe('Ask.')
  const elsewhere = 'https://elsewhere.example: nothing listens there'
  expect(withPlaces(cause(elsewhere, 'network', mend), file).mend).toBe(mend)
})

test('a member that the fix names is said with its line, and no other', () => {
  const mend = addressMend('addresses.base_url', 'ask the bank.')
  const title = 'https://login.bank.example: nothing listens there'
  expect(withPlaces(cause(title, 'network', mend), file).mend).toBe(`${mend} See ${file}:3.`)
})

test('lines stand in the order in which the fix names their members', () => {
  const mend = addressMend('addresses.auth_url, addresses.base_url', 'ask the bank.')
  expect(withPlaces(cause('nothing listens', 'network', mend), file).mend).toBe(
    `${mend} See ${file}:4 (and line 3).`,
  )
})
