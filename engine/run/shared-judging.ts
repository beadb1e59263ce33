import { inject } from 'vitest'
import { loadCatalogue } from '../catalogue/catalogue.ts'
import { handRulesTo } from '../judge/rule.ts'
import type { CheckResult, Outcome, Report } from '../report/report.ts'
import { handChecksTo, type SuiteCheck } from '../suite-api/check.ts'
import { checkResult } from './compose.ts'
import { type Assignment, openJudging } from './judging-process.ts'
import { notRun } from './not-run.ts'
import { phaseOf } from './scope.ts'
import { idsOf, loadSuites, type Suites } from './suites.ts'
import type { Selection } from './vitest-sequencer.ts'

/**
 * The judging that all suite files of one vitest run share: one session with the bank, opened by the first test and
 * finished by the last one or by the first rule. vitest runs the files one after the other in one process, and imports
 * this module once.
 */

type Shared = Awaited<ReturnType<typeof opened>>

let opening: Promise<Shared> | undefined
let finishing: Promise<Report> | undefined
let cancelled: string | undefined
/** Rules whose tests have run. */
const told = new Set<string>()

/** Judges a check. Before one that consumes or exhausts something, judges all that must come earlier, from any file. */
export async function judgeShared(id: string, signal: AbortSignal): Promise<CheckResult> {
  const shared = await open()
  const { judging, suites } = shared
  signal.addEventListener('abort', () => {
    cancelled ??= 'the run was interrupted'
    judging.interrupt()
  })
  const check = suites.checks.find((each) => each.id === id)
  if (!check) throw new Error(`no suite defines ${id}`)
  for (const earlier of judging.checks) {
    if (signal.aborted) break
    if (phaseOf(earlier) < phaseOf(check)) await once(shared, earlier)
  }
  return once(shared, check)
}

function once({ judging, judged }: Shared, check: SuiteCheck): Promise<CheckResult> {
  const known = judged.get(check.id) ?? judging.judge(check)
  judged.set(check.id, known)
  return known
}

/** The result of a rule over the whole run: nothing is sent to the bank after this. */
export async function finalResult({
  id,
  title,
}: Pick<SuiteCheck, 'id' | 'title'>): Promise<CheckResult> {
  const { judging } = await open()
  told.add(id)
  const report = await finish()
  const result = report?.checks.find((check) => check.id === id)
  if (result) return result
  const why = 'the run did not choose it'
  return checkResult(notRun({ id, title }, judging.catalogue, why), (text) => text)
}

/**
 * What is left to report at the end: results that the whole run changed after their test had passed, results of kept
 * cases, and the ids that had a test. Nothing if no test ran, for example when tests are only listed.
 */
export async function atTheEnd(): Promise<{
  changed: CheckResult[]
  cases: CheckResult[]
  tested: Set<string>
}> {
  if (!opening) return { changed: [], cases: [], tested: new Set() }
  const { judged, judging } = await opening
  const report = await finish()
  const before = new Map<string, Outcome>()
  for (const [id, result] of judged) before.set(id, (await result).outcome)
  const changed = (report?.checks ?? []).filter(
    ({ id, outcome }) => !told.has(id) && before.has(id) && before.get(id) !== outcome,
  )
  const ids = new Set(judging.cases.map(({ id }) => id))
  const cases = (report?.checks ?? []).filter(({ id }) => ids.has(id))
  return { changed, cases, tested: new Set([...before.keys(), ...told]) }
}

/** Cleans up at the bank and closes the session; nothing if none was opened. */
export function finish(): Promise<Report> | undefined {
  finishing ??= opening?.then(({ judging }) => judging.finish(cancelled))
  return finishing
}

/** True if everything requested has been judged, or the run was interrupted. */
export async function isOver(): Promise<boolean> {
  if (!opening) return false
  const { judging, judged } = await opening
  return cancelled !== undefined || judging.checks.every(({ id }) => judged.has(id))
}

/** The requirement of a result and its evidence, redacted, for reporters. */
export async function behind({ id, exchanges, control }: CheckResult) {
  const { catalogue, exchange } = (await open()).judging
  const requirement = catalogue.owners.get(id)
  const decision = catalogue.decisions.get(requirement?.decision ?? '')
  const ids = [...exchanges, ...(control ? [control.exchange] : [])]
  const records = ids.flatMap((each) => exchange(each) ?? [])
  return {
    requirement: requirement && {
      ...requirement,
      decision: decision && { id: decision.id, text: decision.decision },
    },
    exchanges: new Map(records.map((record) => [record.id, record])),
  }
}

function open(): Promise<Shared> {
  opening ??= opened()
  return opening
}

async function opened() {
  const assignment: Assignment = JSON.parse(inject('assignment'))
  const catalogue = loadCatalogue()
  // vitest must import each file itself, one after the other; to order all checks, all files are needed now.
  handChecksTo(undefined)
  handRulesTo(undefined)
  const suites = await loadSuites(assignment.suites, catalogue, '?all')
  const only = selected(suites, inject('selection'))
  const scope = { ...assignment.scope, only }
  const judging = await openJudging({ ...assignment, scope }, catalogue, suites)
  return { judging, suites, judged: new Map<string, Promise<CheckResult>>() }
}

/** Ids of what vitest was asked to run, derived from files and names; empty: everything. */
function selected(suites: Suites, { files, last, name }: Selection): string[] {
  const titles = new Map<string, string>()
  for (const { id, title } of [...suites.checks, ...suites.rules]) titles.set(id, title)
  for (const { stated } of suites.schemas) {
    for (const { id, title } of stated) if (!titles.has(id)) titles.set(id, title)
  }
  const pattern = name === undefined ? undefined : new RegExp(name.source, name.flags)
  const ids = idsOf(suites)
  const chosen = ids.filter((id) => {
    const file = suites.files.get(id) ?? last
    const named = pattern === undefined || `${id} ${titles.get(id)}`.match(pattern)
    return files.includes(file) && named
  })
  return chosen.length === ids.length ? [] : chosen
}
