import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openSession } from '../../engine/run/open.ts'
import { createRun } from '../../engine/run/run.ts'
import { openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'

/** A client that an earlier run registered, at a bank that may have been set up again since. */

const folder = mkdtempSync(join(tmpdir(), 'assay-forgotten-'))
const file = join(folder, 'kept.clients.json')
let context: ProofContext

beforeAll(async () => {
  context = await openProofContext(openDirectory())
})

afterAll(async () => {
  await context.directory.close()
  rmSync(folder, { recursive: true })
})

/** A night: what is asked of registration, with clients that may have been kept. */
async function nightAt(
  bank: Awaited<ReturnType<typeof startBank>>,
  memory: string,
  fresh: boolean,
) {
  const { catalogue, suites } = context
  const document = structuredClone(bank.target) as TargetDocument
  const target = targetFrom({ ...document, name: 'kept', freshRegistrations: fresh })
  const session = openSession({ target, suites, memory, redact: (text) => text })
  const scope = {
    profile: 'full' as const,
    only: ['REG-08', 'REG-09', 'REG-06', 'REG-13', 'REG-23'],
  }
  const run = createRun({ session, catalogue, checks: suites.checks, scope })
  for (const each of run.checks) await run.judge(each)
  const { results } = await run.finish()
  await session.close()
  const outcomes = Object.fromEntries([...results].map(([id, { outcome }]) => [id, outcome]))
  return { outcomes, ofEarlierRuns: session.ofEarlierRuns.map(({ id }) => id) }
}

test('the second night judges the registration of the first again, or registers anew', async () => {
  const bank = await startBank({ directory: context.directory })
  const memory = mkdtempSync(join(folder, 'nights-'))
  const first = await nightAt(bank, memory, false)
  expect(first.outcomes).toMatchObject({ 'REG-08/created': 'pass', 'REG-06/all-values': 'pass' })
  expect(first.ofEarlierRuns).toEqual([])

  const second = await nightAt(bank, memory, false)
  expect(second.outcomes).toEqual(first.outcomes)
  expect(second.ofEarlierRuns).toEqual(['r1'])

  const third = await nightAt(bank, memory, true)
  expect(third.outcomes).toMatchObject({ 'REG-08/created': 'pass', 'REG-06/all-values': 'pass' })
  expect(third.ofEarlierRuns).toEqual([])
  await bank.close()
})

/** The client_id that is kept after a run of one check, and how that ended. */
async function ranAt(bank: Awaited<ReturnType<typeof startBank>>) {
  const { catalogue, suites } = context
  const document = structuredClone(bank.target) as TargetDocument
  const target = targetFrom({ ...document, name: 'kept', freshRegistrations: false })
  const session = openSession({ target, suites, memory: folder })
  const scope = { profile: 'full' as const, only: ['CONS-01/answers-201'] }
  const run = createRun({ session, catalogue, checks: suites.checks, scope })
  for (const each of run.checks) await run.judge(each)
  const { results } = await run.finish()
  await session.close()
  const [kept] = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>)
  return { outcome: results.get('CONS-01/answers-201')?.outcome, kept }
}

test('one that the bank knows is used again, and one that it forgot is registered anew', async () => {
  const bank = await startBank({ directory: context.directory })
  const first = await ranAt(bank)
  expect(first.outcome).toBe('pass')
  const second = await ranAt(bank)
  expect(second).toEqual(first)

  const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>
  const forgotten = Object.entries(all).map(([key, client]) => [
    key,
    { ...client, client_id: 'of-the-bank-before' },
  ])
  writeFileSync(file, JSON.stringify(Object.fromEntries(forgotten)))
  const third = await ranAt(bank)
  expect(third.outcome).toBe('pass')
  expect(third.kept).not.toMatchObject({ client_id: 'of-the-bank-before' })
  await bank.close()
})
