import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Catalogue, loadCatalogue } from '../catalogue/catalogue.ts'
import type { SuiteCheck } from '../journey/context.ts'
import type { Announced } from '../journey/drivers/driver.ts'
import { type Result, ruleResults } from '../judge/fold.ts'
import type { ApprovalUse, CheckResult } from '../report/report.ts'
import { targetFrom } from '../target/resolve.ts'
import type { TargetDocument } from '../target/target.ts'
import { openExchangeLog } from '../wire/exchange-log.ts'
import { createRedactor } from '../wire/redaction.ts'
import { checkResult, composeReport, observation } from './compose.ts'
import type { Deviation } from './deviations.ts'
import { appendJournal } from './journal.ts'
import { createLatency } from './latency.ts'
import { openSession } from './open.ts'
import { neededBy } from './plan.ts'
import { goOn } from './resuming.ts'
import { createRun } from './run.ts'
import { ENDPOINT_OWNERS } from './runner.ts'
import { ruleInScope, type Scope } from './scope.ts'
import { sit } from './sitting.ts'
import { loadConsents, loadSuites } from './suites.ts'

/** What the command line hands to the process that judges; it holds secrets and stays in memory. */
export interface Assignment {
  /** Everything of the target, inline. */
  target: TargetDocument
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
  /** Folder in which the bank's clients and leftovers are remembered. */
  memory?: string
  /** Is there a terminal, and so somebody in front of it? */
  terminal?: boolean
  /** Whether nothing of an interrupted run is gone on with. */
  fresh?: boolean
  /** Approvals that the run is going to need, for the person who is asked for them. */
  announced?: Announced[]
}

/** The judging of one run: it alone sees raw exchanges, and writes only what is redacted. */
export interface Judging {
  readonly catalogue: Catalogue
  readonly checks: SuiteCheck[]
  judge(check: SuiteCheck): Promise<CheckResult>
  /** Ends the visit that is open, if any: nobody waits for a person after Ctrl-C. */
  interrupt(): void
  /** Cleans up at the bank and writes report.json. `partial` says why not everything was judged. */
  finish(partial?: string): Promise<void>
}

export const JOURNAL = 'judged.jsonl'

export async function openJudging(assignment: Assignment): Promise<Judging> {
  const { target: document, scope, out, version } = assignment
  const startedAt = new Date()
  const catalogue = loadCatalogue()
  const suites = await loadSuites(assignment.suites, catalogue)
  const target = targetFrom(document, assignment.base)
  const redactor = createRedactor(target.secrets)
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), redactor)
  const latency = createLatency()
  const journal = join(out, JOURNAL)
  const redact = (text: string) => redactor.redactText(text)
  const session = openSession({
    target,
    catalogue,
    suites,
    memory: assignment.memory,
    operator: target.attended || assignment.terminal === true,
    keep: {
      binding: `${version} ${catalogue.digest} ${assignment.configurationDigest}`,
      fresh: assignment.fresh === true,
    },
    onExchange(exchange) {
      latency.note(exchange)
      log.append(exchange)
    },
    approvals: {
      announced: assignment.announced,
      onWaiting: (what) =>
        appendJournal(journal, {
          kind: 'waiting',
          ...(what !== undefined && { for: redact(what) }),
        }),
    },
  })
  const run = createRun({ session, catalogue, checks: suites.checks, scope })
  const resumed = await goOn(session, suites.checks)
  if (resumed) {
    const { since, checks, approvals } = resumed
    const what = `${checks} checks are judged, ${approvals} approvals still work`
    process.stderr.write(`Goes on with the run of ${since}: ${what}. --fresh begins anew.\n`)
  }
  const told = new Set<string>()
  /** Rules that were broken since this was asked last. */
  const newlyBroken = () => {
    const states = session.rulebook
      .states()
      .filter((state) => state.violated > 0 && !told.has(state.id))
      .filter(({ id, uses }) => ruleInScope({ id, uses }, catalogue, scope))
    for (const { id } of states) told.add(id)
    return ruleResults(states, catalogue, new Map(), ENDPOINT_OWNERS)
  }
  const before = new Set(session.keptRun?.earlier.judgements.map(({ result }) => result.id))
  const left = run.checks.filter(({ id }) => !before.has(id))
  const needed = neededBy(left, await loadConsents(assignment.suites))
  let sat: Promise<void> | undefined
  appendJournal(journal, {
    kind: 'start',
    pid: process.pid,
    checks: run.checks.map(({ id }) => id),
  })

  return {
    catalogue,
    checks: run.checks,
    async judge(check) {
      // What needs nobody is looked at first: no one is asked while the bank is not even there.
      if (target.attended && check.options.uses?.length) sat ??= sit(session, needed)
      await sat
      const { result, observations } = await run.judge(check)
      const safe = checkResult(result, redact)
      const noted = observations.map((each) => observation(each, redact))
      appendJournal(journal, { kind: 'judged', result: safe, observations: noted })
      for (const rule of newlyBroken()) {
        appendJournal(journal, {
          kind: 'judged',
          result: checkResult(rule, redact),
          observations: [],
        })
      }
      return safe
    },
    interrupt: () => session.interrupt(),
    async finish(partial) {
      const { results, observations, used, leftBehind } = await run.finish(partial !== undefined)
      for (const check of run.checks) {
        if (!results.has(check.id)) results.set(check.id, notRun(check, catalogue, partial))
      }
      const report = composeReport({
        version,
        target: { name: target.name, configurationDigest: assignment.configurationDigest },
        scope,
        startedAt,
        finishedAt: new Date(),
        catalogue,
        results,
        observations,
        approvals: session.visits.map((visit): ApprovalUse => {
          const name = visit.name.split(':')[0] as string
          return { ...visit, name, used: used.get(name) ?? [] }
        }),
        requests: session.wire.requests,
        latency: latency.summary(),
        leftBehind,
        partial,
        resumed,
        deviations: assignment.deviations,
        redact,
      })
      writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
      log.close()
      await session.close()
    },
  }
}

/** A check that the run did not come to. */
export function notRun(
  check: { id: string; title: string },
  catalogue: Catalogue,
  why = 'the run ended before it',
): Result {
  const requirement = catalogue.owners.get(check.id)
  return {
    id: check.id,
    requirement: requirement?.id ?? '',
    level: requirement?.level ?? 'observe',
    kind: 'check',
    title: check.title,
    outcome: 'not-run',
    message: why,
    exchanges: [],
    durationMs: 0,
  }
}
