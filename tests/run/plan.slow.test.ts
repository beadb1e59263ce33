import { beforeAll, describe, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import { plannedTarget } from '../../bank/target.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { planOf } from '../../engine/run/plan.ts'
import type { Scope } from '../../engine/run/scope.ts'
import { judgeBank, openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'
import { observed, rowsOf } from '../observed.ts'

let context: ProofContext
let target: TargetDocument
beforeAll(async () => {
  context = await openProofContext(openDirectory())
  const bank = await startBank({ directory: context.directory })
  target = structuredClone(bank.target) as TargetDocument
  await bank.close()
})

const FULL: Scope = { profile: 'full', only: [] }

async function planned(document: TargetDocument, scope: Scope) {
  const { catalogue, suites } = context
  return planOf({ target: document, catalogue, checks: suites.checks, scope })
}

test('the reference bank is planned for as it is, before it is started', async () => {
  const foreseen = plannedTarget(target.name)
  expect(Object.keys(foreseen).sort()).toEqual(
    Object.keys(target)
      .filter((name) => name !== 'trust')
      .sort(),
  )
  expect(await planned(foreseen, FULL)).toEqual(await planned(target, FULL))
})

/** Transactions of the first customer, of the larger card and of the smaller one. */
const WHOLE = [90, 72, 18]

/**
 * A run of the correct bank: visits that took place, requests, how many of them brought every
 * transaction of the first customer or of one card, and what was not applicable. Which card is asked
 * for is chance: the ids of accounts are random, and with them their order.
 */
async function happened(scope: Scope, change?: (document: TargetDocument) => void) {
  const run = await (scope === FULL && !change ? observed() : judged(scope, change))
  const inapplicable = run.results.filter(({ outcome }) => outcome === 'not-applicable')
  const failed = run.results.filter(({ outcome }) => ['fail', 'warn', 'error'].includes(outcome))
  return {
    visits: run.visits,
    // In its visit the customer opens another request in a second tab.
    tabs: run.results.filter(
      ({ id, outcome }) => id === 'DATA-08/one-browser' && outcome === 'pass',
    ).length,
    requests: run.requests,
    histories: run.rows.filter((rows) => WHOLE.includes(rows)).length,
    inapplicable,
    failed: failed.map(({ id }) => id),
  }
}

async function judged(scope: Scope, change?: (document: TargetDocument) => void) {
  let visits = 0
  const door = {
    id: 'counts-visits',
    story: 'Somebody stands at the door and counts.',
    async middleware({ path }: { path: string }, next: () => Promise<void>) {
      if (path === '/authorize') visits += 1
      await next()
    },
  }
  const rows: number[] = []
  const { results, requests } = await judgeBank(context, [door], {
    scope,
    target: change,
    onExchange: (exchange) => void rows.push(...rowsOf(exchange)),
  })
  return { visits, requests, rows, results: [...results.values()] }
}

function visitsOf({ approvals, visits }: Awaited<ReturnType<typeof planned>>): number {
  const asked = approvals.filter(({ missing }) => missing === undefined).length
  return visits.reduce((sum, { count }) => sum + count, asked)
}

describe.each<[string, Scope, ((document: TargetDocument) => void)?]>([
  ['everything', FULL],
  ['core', { profile: 'core', only: [] }],
  ['two chapters', { profile: 'full', only: ['account-information/authorisation', 'life-cycle'] }],
  [
    'a poor target',
    FULL,
    (document) => {
      document.hooks = undefined
      document.freshRegistrations = false
      document.rateLimitBurst = 0
      document.expiryPatience = 0
      document.customers.second = undefined
      document.absent = ['second-customer']
    },
  ],
])('of %s', (_, scope, change) => {
  test('the plan says what happens', { timeout: 120_000 }, async () => {
    const document = structuredClone(target)
    change?.(document)
    const plan = await planned(document, scope)
    const run = await happened(scope, change)
    expect(run.failed).toEqual([])
    // What a result rests on is judged as well, where a selection leaves it out.
    const more = scope.only.length > 0 ? 2 : 0
    const visits = run.visits - run.tabs
    expect(visits - visitsOf(plan)).toBeGreaterThanOrEqual(0)
    expect(visits - visitsOf(plan)).toBeLessThanOrEqual(more)
    expect(plan.requests).toBeGreaterThan(run.requests * 0.85)
    expect(plan.requests).toBeLessThan(run.requests * 1.2)
    expect(Math.abs(plan.histories - run.histories)).toBeLessThan(Math.max(10, run.histories / 4))
    for (const { name, by, checks } of plan.hooks) {
      const without = run.inapplicable.filter(({ message }) =>
        message.startsWith(`the target has no hook ${name}`),
      )
      if (by === undefined) expect(without.map(({ id }) => id).sort()).toEqual([...checks].sort())
      else expect(without).toEqual([])
    }
  })
})

test('core is one approval and destroys nothing', async () => {
  const plan = await planned(target, { profile: 'core', only: [] })
  expect(plan.approvals.map(({ name, spentBy }) => [name, spentBy])).toEqual([['everything', []]])
  expect(plan).toMatchObject({ visits: [], registrations: [], bursts: [] })
})

test('full is ten approvals at most, each after what it rests on', async () => {
  const plan = await planned(target, FULL)
  const names = plan.approvals.map(({ name }) => name)
  expect(names.length).toBeLessThanOrEqual(10)
  expect(names[0]).toBe('everything')
  expect(new Set(names).size).toBe(names.length)
})

test('what a second client or customer would be needed for is not asked for', async () => {
  const document = structuredClone(target)
  document.clients.second = undefined
  document.customers.second = undefined
  const plan = await planned(document, FULL)
  const missing = plan.approvals.filter((approval) => approval.missing !== undefined)
  expect(missing.map(({ name }) => name).sort()).toEqual([
    'second client',
    'second client and customer',
    'second customer',
  ])
})
