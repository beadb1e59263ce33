import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GATEWAYS } from '../../proof/gateways/prove-gateways.ts'
import { proveSituations, SITUATIONS } from '../../proof/situations/prove-situations.ts'

/** One of each kind; `assay prove --situations` tries all of them. */
const SAMPLE = [
  'clients.first.signing.kid-missing',
  'kid-wrong',
  'scope-wrong',
  'statement-of-another-directory',
  'certificate-of-another-authority',
  'every-down',
  'every-cut',
  '502-everywhere',
]

test('ids of situations are unique, and the page has each of them', () => {
  const ids = SITUATIONS.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThanOrEqual(120)
  const page = readFileSync(join(import.meta.dirname, '../../docs/situations.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (\S+) \|/gm)].map(([, id]) => id)
  expect(rows.filter((id) => id !== 'situation' && id !== '---').sort()).toEqual(ids.toSorted())
})

test('the page of gateways has each of them', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/gateways.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (\S+) \|/gm)].map(([, id]) => id)
  const ids = GATEWAYS.map(({ id }) => id)
  expect(rows.filter((id) => id !== 'gateway' && id !== '---')).toEqual(ids)
  expect(page).not.toContain('**')
})

test('run and doctor take a situation of each kind as they should', async () => {
  const chosen = SITUATIONS.filter(({ id }) => SAMPLE.includes(id))
  expect(chosen).toHaveLength(SAMPLE.length)
  const proofs = await proveSituations(chosen, 2, () => {})
  const complaints = proofs.flatMap(({ situation, complaints }) =>
    complaints.map((complaint) => `${situation.id}: ${complaint}`),
  )
  expect(complaints).toEqual([])
}, 120_000)
