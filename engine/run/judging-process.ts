import type { Announced } from '../authorisation-drivers/driver.ts'
import { type Catalogue, loadCatalogue } from '../catalogue/catalogue.ts'
import { makeKeysMeanwhile } from '../client/jwt.ts'
import type { Session } from '../client-session/session.ts'
import { endpointsOf, layoutOf } from '../configuration/addresses.ts'
import { isProductsAlone } from '../configuration/products-alone.ts'
import { targetFrom } from '../configuration/resolve.ts'
import { HOOKS, type HookName, type TargetDocument } from '../configuration/target.ts'
import { ruleResults } from '../judge/results.ts'
import { now } from '../record/clock.ts'
import { environmentFacts } from '../record/environment.ts'
import { verdictSentence } from '../report/counts.ts'
import type { ApprovalUse, CheckResult, PreflightLine, Report } from '../report/report.ts'
import { shown, write } from '../report/terminal.ts'
import type { SuiteCheck } from '../suite-api/check.ts'
import { certificateEnds } from '../wire/transport-certificates.ts'
import { batchApprovals } from './batch-approvals.ts'
import { checkResult, composeReport, observation, writeReport } from './compose.ts'
import { memberDigests } from './configuration-digest.ts'
import type { Deviation } from './deviations.ts'
import { type KeptCase, withKeptCases } from './kept-cases.ts'
import { notRun } from './not-run.ts'
import { openSession } from './open.ts'
import { createOwnMistakes } from './own-mistakes.ts'
import { neededBy } from './plan.ts'
import { resumeRun } from './resume.ts'
import { createRun } from './run.ts'
import { openRunRecord, type RunRecord } from './run-record.ts'
import { ruleInScope, type Scope } from './scope.ts'
import { loadSuites, type Suites } from './suites.ts'

/** What the command line passes to the judging process; it holds secrets and stays in memory. */
export interface Assignment {
  /** Everything of the target, inline. */
  target: TargetDocument
  /** The target file, absolute. */
  targetFile: string
  /** Shows whether two runs have the same configuration. */
  configurationDigest: string
  /** Directory to which the commands of hooks are relative. */
  base: string
  scope: Scope
  /** Folder of the suites, source or built. */
  suites: string
  /** Folder of this run's reports. */
  out: string
  version: string
  deviations?: Deviation[]
  /** Histories that are judged as separate checks, at the end. */
  cases?: readonly KeptCase[]
  /** Folder that stores the bank's clients and leftovers; absent: they are forgotten after the run. */
  memory?: string
  /** True if there is a terminal, and so a person. */
  terminal?: boolean
  /** Ids of checks that took too long in this run: they are not judged again. */
  stuck?: readonly string[]
  /** Seconds without activity, beyond the target's time-out, after which a check has taken too long. */
  share?: number
  /** If true, nothing of an interrupted run is resumed. */
  fresh?: boolean
  /** Minutes after which nothing more is sent to the bank; absent: no limit. */
  deadline?: number
  /** Milliseconds by which the run's clock is ahead of the wall clock, where that was set during the run. */
  clock?: number
  /** Approvals that the run will need, for the person who is asked for them. */
  announced?: Announced[]
}

/** Why nothing is judged where the bank refused what the target file names. */
const OWN_MISTAKE = 'the bank refused what the target file names'

/** The judging of one run: only this code sees raw exchanges, and it writes only redacted data. */
export async function openJudging(
  assignment: Assignment,
  documented = loadCatalogue(),
  loaded?: Suites,
) {
  makeKeysMeanwhile()
  const { target: document, scope, out, version } = assignment
  const startedAt = new Date(now())
  const suites = loaded ?? (await loadSuites(assignment.suites, documented))
  const { catalogue, cases } = withKeptCases(documented, assignment.cases)
  const target = targetFrom(document, assignment.base)
  const record = openRunRecord(out, target.secrets)
  const { redact } = record
  const session = openSession({
    target,
    suites,
    memory: assignment.memory,
    redact,
    deadline: assignment.deadline,
    operator: target.attended || assignment.terminal === true,
    keep: {
      binding: `${version} ${catalogue.digest} ${assignment.configurationDigest}`,
      fresh: assignment.fresh === true,
    },
    onExchange: record.exchange,
    approvals: { announced: assignment.announced, onWaiting: record.waiting },
  })
  const run = createRun({
    ...{ session, catalogue, scope },
    ...{ checks: suites.checks, histories: suites.histories },
    stuck: new Set(assignment.stuck),
    cases,
  })
  const resumed = await resumeRun(session, suites.checks)
  if (resumed) {
    const { since, checks, approvals } = resumed
    const what = `${checks} checks are judged, ${approvals} approvals still work`
    write(process.stderr, shown`Resumes the run of ${since}: ${what}. --fresh starts over.`)
  }
  const newlyBroken = createNewlyBroken(session, { catalogue, scope, suites })
  const before = new Set(session.resumable?.earlier.judgements.map(({ result }) => result.id))
  const needed = neededBy(run.checks.filter(({ id }) => !before.has(id)))
  let sat: Promise<void> | undefined
  const mistakes = createOwnMistakes(session, assignment.targetFile, record.evidence)
  record.append({
    kind: 'start',
    pid: process.pid,
    checks: run.checks.map(({ id }) => id),
    run: {
      version,
      scope,
      target: targetOf(assignment),
      memory: assignment.memory,
      startedAt: startedAt.toISOString(),
    },
  })

  return {
    catalogue,
    checks: run.checks,
    cases,
    async judge(check: SuiteCheck): Promise<CheckResult> {
      const left = (why: string) => checkResult(notRun(check, catalogue, why), redact)
      if (record.unwritable !== undefined) return left(record.unwritable)
      // Checks that need no person come first: nobody is asked while the bank may not even be there.
      if (target.attended && check.options.uses?.length) sat ??= batchApprovals(session, needed)
      await sat
      if (mistakes.found.length > 0) return left(OWN_MISTAKE)
      const { result, observations } = await run.judge(check)
      await mistakes.lookAt(result)
      const safe = checkResult(result, redact)
      const noted = observations.map((each) => observation(each, redact))
      const broken = newlyBroken().map((rule) => checkResult(rule, redact))
      record.judged(safe, noted, broken)
      return safe
    },
    /** Ends the open visit, if any: after Ctrl-C the run does not wait for a person. */
    interrupt: () => session.interrupt(),
    /** The redacted record of an exchange. */
    exchange: record.read,
    /** Cleans up at the bank and writes report.json. `cut` says why not everything was judged. */
    finish: (cut?: string): Promise<Report> =>
      finishRun(
        { assignment, catalogue, session, run, cases, record, startedAt, resumed },
        mistakes.found,
        cut,
      ),
  }
}

/** A run that has begun. */
interface Begun {
  assignment: Assignment
  catalogue: Catalogue
  session: Session
  run: ReturnType<typeof createRun>
  /** Kept histories, judged at the end. */
  cases: readonly SuiteCheck[]
  record: RunRecord
  startedAt: Date
  resumed: Report['resumed']
}

/** Returns the rules that were broken since the last call. */
function createNewlyBroken(
  session: Session,
  parts: { catalogue: Catalogue; scope: Scope; suites: Suites },
) {
  const { catalogue, scope, suites } = parts
  const told = new Set<string>()
  return () => {
    const states = session.rules
      .states()
      .filter((state) => state.violated > 0 && !told.has(state.id))
      .filter(({ id, uses }) => ruleInScope({ id, uses }, catalogue, scope))
    for (const { id } of states) told.add(id)
    return ruleResults(states, catalogue, new Map(), suites.owners.endpoints)
  }
}

const hooksIn = (needs: readonly string[] = []): HookName[] =>
  HOOKS.filter((hook) => needs.includes(`hooks.${hook}`))

async function finishRun(
  { assignment, catalogue, session, run, cases, record, startedAt, resumed }: Begun,
  mistakes: PreflightLine[],
  cut: string | undefined,
): Promise<Report> {
  record.flush()
  const mistake = mistakes.length > 0
  const partial = cut ?? record.unwritable ?? (mistake ? OWN_MISTAKE : undefined)
  const { results, observations, used, leftBehind } = await run.finish(partial !== undefined)
  for (const check of [...run.checks, ...cases]) {
    if (mistake || !results.has(check.id)) results.set(check.id, notRun(check, catalogue, partial))
  }
  /** Names of the approvals that checks share, as in `assay plan`. */
  const announced = new Set(neededBy(run.checks).map(({ name }) => name))
  const report = composeReport({
    environment: environmentFacts(process.env, session.target.trust !== undefined),
    ofEarlierRuns: session.ofEarlierRuns,
    version: assignment.version,
    target: targetOf(assignment),
    scope: assignment.scope,
    startedAt,
    finishedAt: new Date(now()),
    catalogue,
    results,
    hooks: {
      of: new Map(run.checks.map(({ id, options }) => [id, hooksIn(options.needs)])),
      shownBy: session.owners.facts,
    },
    observations,
    approvals: session.visits.map((visit): ApprovalUse => {
      const name = visit.name.split(':')[0] as string
      const shared = announced.has(name) && { shared: true as const }
      return { ...visit, name, ...shared, used: used.get(name) ?? [] }
    }),
    requests: session.wire.requests,
    evidence: record.evidence,
    latency: record.latency.summary(),
    states: record.transitions.result(),
    // A bank whose data are not stored is discarded after the run, with everything in it.
    leftBehind: assignment.memory === undefined ? [] : leftBehind,
    partial,
    ...(mistake && { preflight: mistakes }),
    resumed,
    deviations: assignment.deviations,
    cases: assignment.cases,
    redact: record.redact,
  })
  if (record.unwritable !== undefined) {
    report.problems.push(record.unwritable)
    report.verdict = 'error'
    report.exitCode = 5
  }
  writeReport(assignment.out, report)
  record.close()
  await session.close(endWords(report, cut))
  return report
}

/** How a run ended, for the person who approved: the verdict, its basis, and what interrupted the run. */
function endWords(report: Report, cut: string | undefined): string {
  const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
  const stopped = cut === undefined ? [] : [`${sentence(cut)}.`]
  return [`${sentence(report.verdict)}.`, verdictSentence(report), ...stopped].join(' ')
}

/** The target of a run, as its report names it. */
export function targetOf(assignment: Assignment): Report['target'] {
  const { target, configurationDigest, targetFile } = assignment
  const { aisp, products, discovery } = endpointsOf(target)
  const address = [aisp, products, discovery].find((url) => URL.canParse(url))
  return {
    name: target.name,
    ...(address !== undefined && { host: new URL(address).host }),
    environment: layoutOf(target.addresses),
    configurationDigest,
    // The keys of the reference bank, and of a target without clients, are new in every run.
    ...(assignment.memory !== undefined &&
      !isProductsAlone(target) && { members: memberDigests(target) }),
    file: targetFile,
    certificates: certificateEnds(target.clients),
  }
}
