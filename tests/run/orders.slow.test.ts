import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openSession } from '../../engine/run/open.ts'
import { createRun } from '../../engine/run/run.ts'
import { phaseOf, type Scope } from '../../engine/run/scope.ts'
import type { SuiteCheck } from '../../engine/suite-api/check.ts'
import { drawOfCommit } from '../../proof/clock/moments.ts'
import { drawn } from '../../proof/run/draw.ts'
import { judgeBank, openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'
import { random } from '../random.ts'
import { type BankName, recorded } from '../report/recorded.ts'

/**
 * No check leans on another: whatever was judged before, and whatever was not, it says the same. Orders cost a whole
 * run and two of `core`. Few checks at a time cost four whole runs, as each few need clients and approvals of their
 * own; so each commit draws a part of them, and together commits try all. ASSAY_TESTS=whole tries all at once.
 */

let context: ProofContext
let whole: Map<string, string>

beforeAll(async () => {
  context = await openProofContext(openDirectory())
  const { report } = await recorded('correct')
  whole = new Map(report.checks.map(({ id, outcome }) => [id, outcome]))
}, 300_000)

afterAll(() => context.directory.close())

async function outcomes(order: Parameters<typeof judgeBank>[2]): Promise<Map<string, string>> {
  const { results } = await judgeBank(context, [], order)
  return new Map([...results.values()].map(({ id, outcome }) => [id, outcome]))
}

test('the correct bank passes whatever judges it', () => {
  const bad = [...whole].filter(([, outcome]) => ['fail', 'warn', 'error'].includes(outcome))
  expect(bad).toEqual([])
})

/** The last first: of every two checks of a phase, each stands once before the other. */
const backwards = (place: number) => (1 - place) / 2
const shuffled = random(11)

test.each<{ how: string; name: BankName; scope: Scope; key: (place: number) => number }>([
  { how: 'backwards', name: 'correct', scope: { profile: 'full', only: [] }, key: backwards },
  // Which checks share an approval, and so may disturb each other, is seen best where all share one.
  { how: 'shuffled', name: 'core', scope: { profile: 'core', only: [] }, key: shuffled },
])(
  '$name $how, phases kept, every outcome is the same',
  { timeout: 240_000 },
  async ({ how, name, scope, key }) => {
    const { report } = await recorded(name)
    const judged = await outcomes({
      scope,
      order: (checks) =>
        checks
          .map((check, place) => ({ check, key: phaseOf(check) + key(place / checks.length) }))
          .sort((a, b) => a.key - b.key)
          .map(({ check }) => check),
    })
    const different = report.checks
      .filter(({ id, outcome }) => judged.get(id) !== outcome)
      .map(({ id, outcome }) => `${id}: ${judged.get(id)} ${how}, ${outcome} in order`)
    expect(different).toEqual([])
    expect(judged.size).toBe(report.checks.length)
  },
)

/** Checks that are judged in one session: few enough that none finds what another than these left behind. */
const FEW = 6

/** All checks in groups of a few, from chapters that lie far apart. */
function fewAtATime(checks: SuiteCheck[]): SuiteCheck[][] {
  const many = Math.ceil(checks.length / FEW)
  const groups = Array.from({ length: many }, (): SuiteCheck[] => [])
  for (const [place, check] of checks.entries()) groups[place % many]?.push(check)
  return groups
}

/** The part of the groups that a commit draws. */
const PART = process.env.ASSAY_TESTS === 'whole' ? 1 : 1 / 6

function drawnOf(groups: SuiteCheck[][]): SuiteCheck[][] {
  const seed = drawOfCommit()
  const chosen = drawn(groups, seed).slice(0, Math.ceil(groups.length * PART))
  console.log(`few checks at a time: ${chosen.length} of ${groups.length} groups, draw ${seed}`)
  return chosen
}

test('every check among few gives the outcome that it has among all', async () => {
  const { catalogue, suites, directory } = context
  const different: string[] = []
  let bank = await startBank({ directory })
  const groups = drawnOf(fewAtATime(suites.checks))
  expect(groups.length).toBeGreaterThan(5)
  for (const group of groups) {
    const only = group.map(({ id }) => id)
    const target = targetFrom(structuredClone(bank.target) as TargetDocument)
    const session = openSession({ target, suites })
    const scope = { profile: 'full' as const, only }
    const run = createRun({ session, catalogue, checks: suites.checks, scope })
    for (const each of run.checks) await run.judge(each)
    const { results } = await run.finish()
    await session.close()
    for (const id of only) {
      const outcome = results.get(id)?.outcome
      const among = whole.get(id)
      if (outcome !== among)
        different.push(`${id}: ${outcome} among ${only.join(', ')}, ${among} among all`)
    }
    const wrong = [...results.values()].filter(({ outcome }) => outcome === 'fail')
    for (const { id } of wrong) different.push(`${id} fails among ${only.join(', ')}`)
    if (group.some(({ options }) => options.bursts)) {
      await bank.close()
      bank = await startBank({ directory })
    }
  }
  await bank.close()
  expect(different).toEqual([])
}, 300_000)
