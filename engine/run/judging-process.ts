import { join } from 'node:path'
import type { Announced } from '../authorisation-drivers/driver.ts'
import { loadCatalogue } from '../catalogue/catalogue.ts'
import { makeKeysMeanwhile } from '../client/jwt.ts'
import { consentFacts, DATA_PERMISSIONS } from '../client-session/consent.ts'
import { endpointsOf, layoutOf } from '../configuration/addresses.ts'
import { targetFrom, USUAL_INTENT_CLAIM } from '../configuration/resolve.ts'
import type { TargetDocument } from '../configuration/target.ts'
import { ownMistake } from '../doctor/clients.ts'
import { intentClaimMistake } from '../doctor/intent-claim.ts'
import { withPlaces } from '../doctor/places-in-file.ts'
import { type Result, ruleResults } from '../judge/results.ts'
import { now } from '../record/clock.ts'
import { environmentFacts } from '../record/environment.ts'
import { createEvidence } from '../report/evidence-index.ts'
import type { ApprovalUse, CheckResult, PreflightLine, Report } from '../report/report.ts'
import { shown, write } from '../report/terminal.ts'
import type { SuiteCheck } from '../suite-api/check.ts'
import { openExchangeLog } from '../wire/exchange-log.ts'
import { createRedactor } from '../wire/redaction.ts'
import { certificateEnds } from '../wire/transport-certificates.ts'
import { batchApprovals } from './batch-approvals.ts'
import { checkResult, composeReport, observation, writeReport } from './compose.ts'
import type { Deviation } from './deviations.ts'
import { appendJournal, JOURNAL } from './journal.ts'
import { createLatency } from './latency.ts'
import { notRun } from './not-run.ts'
import { openSession } from './open.ts'
import { neededBy } from './plan.ts'
import { resumeRun } from './resume.ts'
import { createRun } from './run.ts'
import { ruleInScope, type Scope } from './scope.ts'
import { loadSuites, type Suites } from './suites.ts'

/** What the command line hands to the process that judges; it holds secrets and stays in memory. */
export interface Assignment {
  /** Everything of the target, inline. */
  target: TargetDocument
  /** The target file, absolute. */
  targetFile: string
  /** Tells whether two runs were configured alike. */
  configurationDigest: string
  /** Directory that hooks' commands are relative to. */
  base: string
  scope: Scope
  /** Folder of the suites, source or built. */
  suites: string
  /** Folder of this run's reports. */
  out: string
  version: string
  deviations?: Deviation[]
  /** Folder in which the bank's clients and leftovers are remembered; absent: it ends with the run. */
  memory?: string
  /** Is there a terminal, and so somebody in front of it? */
  terminal?: boolean
  /** Ids of checks that took longer than their share, in this run: they are not judged again. */
  stuck?: readonly string[]
  /** Seconds without any sign of life, beyond the target's own time-out, after which a check has taken too long. */
  share?: number
  /** Whether nothing of an interrupted run is gone on with. */
  fresh?: boolean
  /** Minutes after which nothing more is asked of the bank; absent: no such limit. */
  deadline?: number
  /** Milliseconds by which the clock of the run is ahead of the wall clock, where that was set meanwhile. */
  clock?: number
  /** Approvals that the run is going to need, for the person who is asked for them. */
  announced?: Announced[]
}

/** Why nothing is judged where the bank refused what the target file names. */
const OWN_MISTAKE = 'the bank refused what the target file names'

/** The judging of one run: it alone sees raw exchanges, and writes only what is redacted. */
export async function openJudging(
  assignment: Assignment,
  catalogue = loadCatalogue(),
  loaded?: Suites,
) {
  makeKeysMeanwhile()
  const { target: document, scope, out, version } = assignment
  const startedAt = new Date(now())
  const suites = loaded ?? (await loadSuites(assignment.suites, catalogue))
  const target = targetFrom(document, assignment.base)
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), createRedactor(target.secrets))
  const { redact } = log
  const latency = createLatency()
  const evidence = createEvidence()
  const journal = join(out, JOURNAL)
  /** Why nothing more can be written down: what is judged from then on would be lost. */
  let unwritable: string | undefined
  const writeDown = (write: () => void) => {
    if (unwritable !== undefined) return
    try {
      write()
    } catch (error) {
      unwritable = `nothing more could be written: ${(error as Error).message}`
    }
  }
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
    onExchange(exchange) {
      latency.note(exchange)
      evidence.note(exchange)
      writeDown(() => log.append(exchange))
    },
    approvals: {
      announced: assignment.announced,
      onWaiting: (what) => {
        const line = { kind: 'waiting' as const, for: what && redact(what) }
        writeDown(() => appendJournal(journal, line))
      },
    },
  })
  const run = createRun({
    ...{ session, catalogue, checks: suites.checks, scope },
    stuck: new Set(assignment.stuck),
  })
  const resumed = await resumeRun(session, suites.checks)
  if (resumed) {
    const { since, checks, approvals } = resumed
    const what = `${checks} checks are judged, ${approvals} approvals still work`
    write(process.stderr, shown`Resumes the run of ${since}: ${what}. --fresh starts over.`)
  }
  const told = new Set<string>()
  /** Rules that were broken since this was asked last. */
  const newlyBroken = () => {
    const states = session.rules
      .states()
      .filter((state) => state.violated > 0 && !told.has(state.id))
      .filter(({ id, uses }) => ruleInScope({ id, uses }, catalogue, scope))
    for (const { id } of states) told.add(id)
    return ruleResults(states, catalogue, new Map(), suites.owners.endpoints)
  }
  const before = new Set(session.resumable?.earlier.judgements.map(({ result }) => result.id))
  const left = run.checks.filter(({ id }) => !before.has(id))
  const needed = neededBy(left)
  /** Names of the approvals that checks share, as `assay plan` says them. */
  const announced = new Set(neededBy(run.checks).map(({ name }) => name))
  let sat: Promise<void> | undefined
  /** What the target file says that keeps every check from being judged, seen when the bank refused it. */
  let ownMistakes: PreflightLine[] = []
  const looked = new Set<string>()
  /** Before a refused registration or visit is blamed on the bank, it is looked at whether the target file can be right. */
  const lookAtRefusal = async ({ id, outcome, because }: Result) => {
    const { registration, visit } = suites.owners.steps
    const owner = [registration, visit].find(
      (each) =>
        (id === each && outcome === 'fail') || (because?.kind === 'check' && because.id === each),
    )
    if (owner === undefined || looked.has(owner)) return
    looked.add(owner)
    const isRegistration = owner === registration
    const finding = await (isRegistration ? mistakeInRegistration() : mistakeInVisit())
    if (!finding) return
    const name = isRegistration ? 'first: registration' : 'authorisation'
    ownMistakes = [withPlaces({ name, ...finding }, assignment.targetFile)]
  }
  const mistakeInRegistration = async () => {
    const { exchange, value } = await session.steps.registration()
    if (!exchange || value) return undefined
    const { value: configuration } = await session.steps.discovery()
    return ownMistake(exchange, target.clients.first, configuration)
  }
  const mistakeInVisit = async () => {
    if (target.intentClaim === USUAL_INTENT_CLAIM) return undefined
    const client = await session.caller()
    const body = { Data: { Permissions: DATA_PERMISSIONS }, Risk: {} }
    const created = await client.post('/account-access-consents', body)
    const facts = consentFacts(created, body.Data)
    return facts && intentClaimMistake(session, client.tpp, facts.id)
  }
  appendJournal(journal, {
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
    async judge(check: SuiteCheck): Promise<CheckResult> {
      if (unwritable !== undefined) return checkResult(notRun(check, catalogue, unwritable), redact)
      // What needs nobody is looked at first: no one is asked while the bank is not even there.
      if (target.attended && check.options.uses?.length) sat ??= batchApprovals(session, needed)
      await sat
      if (ownMistakes.length > 0) return checkResult(notRun(check, catalogue, OWN_MISTAKE), redact)
      const { result, observations } = await run.judge(check)
      await lookAtRefusal(result)
      const safe = checkResult(result, redact)
      const noted = observations.map((each) => observation(each, redact))
      const broken = newlyBroken().map((rule) => checkResult(rule, redact))
      writeDown(() => {
        appendJournal(journal, { kind: 'judged', result: safe, observations: noted })
        for (const result of broken) {
          appendJournal(journal, { kind: 'judged', result, observations: [] })
        }
      })
      return safe
    },
    /** Ends the visit that is open, if any: nobody waits for a person after Ctrl-C. */
    interrupt: () => session.interrupt(),
    /** What is written of an exchange: redacted. */
    exchange: log.read,
    /** Cleans up at the bank and writes report.json. `cut` says why not everything was judged. */
    async finish(cut?: string): Promise<Report> {
      writeDown(log.flush)
      const mistake = ownMistakes.length > 0
      const partial = cut ?? unwritable ?? (mistake ? OWN_MISTAKE : undefined)
      const { results, observations, used, leftBehind } = await run.finish(partial !== undefined)
      for (const check of run.checks) {
        if (mistake || !results.has(check.id))
          results.set(check.id, notRun(check, catalogue, partial))
      }
      const report = composeReport({
        environment: environmentFacts(process.env, target.trust !== undefined),
        ofEarlierRuns: session.ofEarlierRuns,
        version,
        target: targetOf(assignment),
        scope,
        startedAt,
        finishedAt: new Date(now()),
        catalogue,
        results,
        observations,
        approvals: session.visits.map((visit): ApprovalUse => {
          const name = visit.name.split(':')[0] as string
          const shared = announced.has(name) && { shared: true as const }
          return { ...visit, name, ...shared, used: used.get(name) ?? [] }
        }),
        requests: session.wire.requests,
        evidence,
        latency: latency.summary(),
        // A bank that nothing is remembered of ends with the run, and all that is in it.
        leftBehind: assignment.memory === undefined ? [] : leftBehind,
        partial,
        ...(mistake && { preflight: ownMistakes }),
        resumed,
        deviations: assignment.deviations,
        redact,
      })
      if (unwritable !== undefined) {
        report.problems.push(unwritable)
        report.verdict = 'error'
        report.exitCode = 5
      }
      writeReport(out, report)
      log.close()
      await session.close()
      return report
    },
  }
}

export function targetOf(assignment: Assignment): Report['target'] {
  const { target, configurationDigest, targetFile } = assignment
  const { aisp, products, discovery } = endpointsOf(target)
  const address = [aisp, products, discovery].find((url) => URL.canParse(url))
  return {
    name: target.name,
    ...(address !== undefined && { host: new URL(address).host }),
    environment: layoutOf(target.addresses),
    configurationDigest,
    file: targetFile,
    certificates: certificateEnds(target.clients),
  }
}
