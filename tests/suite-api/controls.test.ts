import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openSession } from '../../engine/run/open.ts'
import { createRun } from '../../engine/run/run.ts'
import type { Judgement } from '../../engine/run/run-check.ts'
import { namedBy, registeredChecks } from '../../engine/suite-api/check.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { openProofContext } from '../../proof/judge-bank.ts'
import { openDirectory } from '../directory.ts'

/** Every check of a run of the correct bank. */
const judgements: Judgement[] = []
const exchanges = new Map<string, Exchange>()
let bank: Awaited<ReturnType<typeof startBank>>
beforeAll(async () => {
  const { catalogue, suites, directory } = await openProofContext(openDirectory())
  bank = await startBank({ directory })
  const target = targetFrom(structuredClone(bank.target) as TargetDocument)
  const onExchange = (exchange: Exchange) => void exchanges.set(exchange.id, exchange)
  const session = openSession({ target, catalogue, suites, onExchange })
  const scope = { profile: 'full', only: [] } as const
  const run = createRun({
    session,
    catalogue,
    checks: suites.checks,
    scope: { ...scope, only: [] },
  })
  for (const check of run.checks) judgements.push(await run.judge(check))
  await run.finish()
  await session.close()
}, 120_000)
afterAll(() => bank?.close())

const idOf = ({ result }: Judgement) => result.id

test('every negative has a control', () => {
  expect(judgements.filter(({ uncontrolled }) => uncontrolled).map(idOf)).toEqual([])
})

test('a control is a request without deviation that was served', () => {
  const controls = judgements.flatMap(({ result }) => result.control ?? [])
  expect(controls.length).toBeGreaterThan(100)
  for (const { exchange: id, summary } of controls) {
    const exchange = exchanges.get(id)
    expect(exchange?.about.deviation, summary).toBeUndefined()
    expect(exchange?.response?.status, summary).toBeLessThan(400)
  }
})

test('no check uses an approval that it does not name, also not through a shared fixture', () => {
  const named = new Map(
    registeredChecks().map(({ id, options }) => [id, namedBy(options).map(({ name }) => name)]),
  )
  const unnamed = judgements.flatMap(({ result: { id }, approvals }) =>
    approvals.filter((name) => !named.get(id)?.includes(name)).map((name) => `${id}: ${name}`),
  )
  expect(judgements.flatMap(({ approvals }) => approvals).length).toBeGreaterThan(100)
  expect(unnamed).toEqual([])
})
