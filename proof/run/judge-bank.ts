import { join } from 'node:path'
import { type BankOptions, startBank } from '../../bank/bank.ts'
import { createDirectory, type Directory } from '../../bank/directory/directory.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { Bank } from '../../bank/running-bank.ts'
import { defaults } from '../../bank/state/settings.ts'
import { type Catalogue, loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import type { Session } from '../../engine/client-session/session.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { verdictOf } from '../../engine/judge/results.ts'
import { createEvidence } from '../../engine/report/evidence-index.ts'
import { openSession } from '../../engine/run/open.ts'
import { createRun, type Finished } from '../../engine/run/run.ts'
import type { Judgement } from '../../engine/run/run-check.ts'
import type { Scope } from '../../engine/run/scope.ts'
import { loadSuites, type Suites } from '../../engine/run/suites.ts'
import type { SuiteCheck } from '../../engine/suite-api/check.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { type Misblame, misblamesOf } from './blames.ts'
import type { Judged } from './proof.ts'

/** What all proofs of a process share; loaded once. */
export interface ProofContext {
  catalogue: Catalogue
  suites: Suites
  directory: Directory
  /** Milliseconds before each answer of a bank. */
  delay?: number
}

export async function openProofContext(
  directory: Promise<Directory> = createDirectory(),
): Promise<ProofContext> {
  const catalogue = loadCatalogue()
  const [suites, opened] = await Promise.all([
    loadSuites(join(import.meta.dirname, '..', '..', 'suites'), catalogue),
    directory,
  ])
  return { catalogue, suites, directory: opened }
}

export interface BankRun extends Finished {
  exitCode: number
  /** What a report would attribute to the target, the customers' data or the network. */
  misblames: readonly Misblame[]
  requests: number
  /** Number of times that each alteration took effect. */
  firedBy: ReadonlyMap<string, number>
  milliseconds: number
}

/**
 * Settings of banks that are judged here: a client that reaches the rate limit need not wait a minute. The window is
 * still longer than most runs, so that requests before a burst count until its end.
 */
const SETTINGS = { rateLimit: { ...defaults.rateLimit, threshold: 100, window: 20 } }

/** Judges a reference bank with these alterations by the whole suite, in this process. */
export async function judgeBank(
  context: ProofContext,
  alterations: Alteration[],
  options: {
    scope?: Scope
    onExchange?: (exchange: Exchange) => void
    onJudged?: (judgement: Judgement) => void
    /** Changes the bank's target, for example by leaving things out. */
    target?: (document: TargetDocument) => void
    /** A bank of another size. */
    bank?: Pick<BankOptions, 'transactions'>
    /** Prepares the state of the bank before the first request. */
    prepare?: (bank: Bank) => unknown
    /** Called with each cell of a table before it is tested. */
    onCell?: Session['extent']['onCell']
    /** Changes the order of the checks. */
    order?: (checks: SuiteCheck[]) => SuiteCheck[]
  } = {},
): Promise<BankRun> {
  const { catalogue, suites, directory } = context
  const started = performance.now()
  const settings = { ...SETTINGS, responseDelayMs: context.delay ?? 0 }
  const bank = await startBank({ ...options.bank, alterations, directory, settings })
  await options.prepare?.(bank)
  const document = structuredClone(bank.target) as TargetDocument
  options.target?.(document)
  const target = targetFrom(document)
  const evidence = createEvidence()
  const session = openSession({
    ...{ target, suites },
    onExchange(exchange) {
      evidence.note(exchange)
      options.onExchange?.(exchange)
    },
  })
  try {
    const scope = options.scope ?? { profile: 'full', only: [] }
    const run = createRun({
      ...{ session, catalogue, scope },
      ...{ checks: suites.checks, histories: suites.histories },
    })
    // A table is tested under every possible approval, even when only its check is judged.
    if (options.onCell) {
      session.extent = { ...session.extent, approvals: undefined, onCell: options.onCell }
    }
    const order = options.order ?? ((checks) => checks)
    for (const check of order(run.checks)) {
      const judgement = await run.judge(check)
      options.onJudged?.(judgement)
    }
    const finished = await run.finish()
    const { exitCode } = verdictOf(finished.results.values())
    const milliseconds = performance.now() - started
    const { firedBy } = bank
    const misblames = misblamesOf(finished, evidence)
    const { requests } = session.wire
    return { ...finished, exitCode, misblames, firedBy, requests, milliseconds }
  } finally {
    await session.close()
    await bank.close()
  }
}

/** The outcomes that a proof compares. */
export function summed(id: string, run: BankRun): Judged {
  const results = [...run.results.values()]
  const ids = (outcome: string) =>
    results.filter((result) => result.outcome === outcome).map((result) => result.id)
  const spoken = results.filter(({ message }) => message !== '')
  return {
    id,
    fails: ids('fail'),
    warns: ids('warn'),
    blocks: results
      .filter(({ outcome, level }) => outcome === 'blocked' && level === 'must')
      .map((result) => result.id),
    errors: ids('error'),
    fired: run.firedBy.get(id) ?? 0,
    exitCode: run.exitCode,
    requests: run.requests,
    milliseconds: Math.round(run.milliseconds),
    messages: Object.fromEntries(
      spoken.map(({ id: check, message, blockedBy }) => [
        check,
        blockedBy ? `${message} [${blockedBy}]` : message,
      ]),
    ),
    leftBehind: run.leftBehind.filter(({ kind }) => kind === 'consent').length,
  }
}
