import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { judgeBank, openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'

/** A target that describes the correct bank in other ways than its own does not condemn it. */

// A whole run: on a busy machine it takes a minute.
vi.setConfig({ testTimeout: 300_000 })

let context: ProofContext

beforeAll(async () => {
  context = await openProofContext(openDirectory())
})

afterAll(() => context.directory.close())

test('redirect URIs on IP addresses; no spellings of literals, issuer, tolerance and names', async () => {
  const directory = await openDirectory({
    redirectUris: {
      first: ['https://127.0.0.1:3443/callback', 'https://127.0.0.1:3443/'],
      second: ['https://[::1]:8443/'],
    },
  })
  const target = (document: TargetDocument) => {
    delete document.literals
    delete document.issuer
    delete document.clockTolerance
    delete document.customers.first.names
  }
  expect(await condemned({ ...context, directory }, target)).toEqual([])
  await directory.close()
})

async function condemned(at: ProofContext, target: (document: TargetDocument) => void) {
  const { results } = await judgeBank(at, [], { target })
  return [...results.values()]
    .filter(({ outcome }) => outcome !== 'pass' && outcome !== 'observed')
    .filter(({ outcome }) => outcome !== 'not-applicable')
    .map(({ id, outcome, message }) => `${outcome} ${id}: ${message}`)
}
