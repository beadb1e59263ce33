import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Target } from '../../engine/configuration/resolve.ts'
import { openKeptApprovals } from '../../engine/monitor/kept-approvals.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-kept-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = join(folder, 'staging.monitor')
const keyOf = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const own = keyOf()

function opened(signingKey: KeyObject = own) {
  const target = { clients: { first: { signingKey } }, endpoints: { token: 'https://b.example/t' } }
  const kept = openKeptApprovals(file, target as unknown as Target)
  if (!kept) throw new Error('it is locked')
  return kept
}

const approval = {
  ...{
    name: 'everything',
    client: 'first' as const,
    clientId: 'tally',
    permissions: ['ReadBalances'],
  },
  facts: { id: 'c-1', permissions: ['ReadBalances'] },
}

test('after thousands of refreshes the newest tokens are there, and the file is short', () => {
  const first = opened()
  first.add(approval, { accessToken: 'token-0', expiresAt: Number.POSITIVE_INFINITY })
  for (let n = 1; n <= 1000; n += 1) first.hold('c-1', { accessToken: `token-${n}`, expiresAt: n })
  first.close()
  const long = statSync(file).size
  const second = opened()
  expect(second.all()).toEqual([
    { approval, tokens: { accessToken: 'token-1000', expiresAt: 1000 } },
  ])
  second.hold('c-1', { accessToken: 'last', expiresAt: Number.POSITIVE_INFINITY })
  second.close()
  expect(statSync(file).size).toBeLessThan(long / 100)
  expect(statSync(file).mode & 0o077).toBe(0)
  expect(existsSync(`${file}.new`)).toBe(false)
  expect(readFileSync(file, 'utf8')).not.toMatch(/token-|tally/)
  const third = opened()
  expect(third.all()[0]?.tokens).toEqual({
    accessToken: 'last',
    expiresAt: Number.POSITIVE_INFINITY,
  })
  third.close()
})

test('under another key nothing is there', () => {
  const kept = opened(keyOf())
  expect(kept.all()).toEqual([])
  kept.close()
})
