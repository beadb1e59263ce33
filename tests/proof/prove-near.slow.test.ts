import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CORRECT, loadAlterations } from '../../proof/run/jobs.ts'
import { openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { proveNear } from '../../proof/run/prove-near.ts'
import { openDirectory } from '../directory.ts'

/** What `prove --check` asks of a bank: little, but what does not hold there is judged whole. */

vi.setConfig({ testTimeout: 300_000 })

/** Requests of a run that judges one check are far fewer, those of a whole one far more. */
const FEW = 400

const CHECK = 'TXN-17/to-alone'
const all = await loadAlterations()
const fault = (id: string) => all.faults.filter((each) => each.id === id)
let context: ProofContext

beforeAll(async () => {
  context = await openProofContext(openDirectory())
})
afterAll(() => context.directory.close())

const near = async (
  kind: 'fault' | 'variant' | 'correct',
  group: Parameters<typeof proveNear>[2],
) => {
  const [proof] = await proveNear(context, kind, group, [CHECK], () => {})
  if (!proof) throw new Error('no proof came')
  const { complaints, judged } = proof
  return { complaints, fails: judged.fails, requests: judged.requests, few: judged.requests < FEW }
}

test('a fault, the correct bank and freedoms that share one, by few requests', async () => {
  const wrong = await near('fault', fault('to-filter-needs-from'))
  expect(wrong).toMatchObject({ complaints: [], fails: [CHECK], few: true })
  const right = await near('correct', [CORRECT])
  expect(right).toMatchObject({ complaints: [], fails: [], few: true })
  expect(right.requests).toBeGreaterThan(10)
  const freedoms = all.variants.filter(({ id }) =>
    /^(links-of-any-form|three-transactions)$/.test(id),
  )
  expect(await near('variant', freedoms)).toMatchObject({ complaints: [], fails: [], few: true })
})

test('a fault that a check finds only under an approval of others', async () => {
  const found = await near('fault', fault('loses-last-row-transactions-second-customer'))
  expect(found).toMatchObject({ complaints: [], fails: ['TXN-23/all-accounts'], few: true })
})

test('a fault that does not show at what it names is judged by the whole suite, and said', async () => {
  const [one] = fault('to-filter-needs-from')
  if (!one) throw new Error('no such fault')
  const elsewhere = await near('fault', [{ ...one, fails: ['TXN-01/answers-200'] }])
  expect(elsewhere.few).toBe(false)
  expect(elsewhere.complaints).toContain('fails: TXN-01/answers-200 was expected')
  expect(elsewhere.fails).toEqual([CHECK])
})
