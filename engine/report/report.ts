import type { CheckResult, Observation } from '../record/check-result.ts'
import type { EnvironmentFact } from '../record/environment.ts'
import type { Transitions } from '../record/transition.ts'
import type { Level, Outcome, Verdict } from '../record/words.ts'

export type { CheckResult, Observation } from '../record/check-result.ts'
export type { ExchangeRecord } from '../record/exchange-record.ts'
export type { Level, Outcome, Verdict } from '../record/words.ts'

export interface RequirementResult {
  id: string
  level: Level
  /** account-information/transactions */
  chapter: string
  text: string
  source: string
  /** Words of the document. */
  quote: string[]
  outcome: Outcome
  /** Ids of its checks and rules in scope. */
  checks: string[]
  /** Ids of its checks and rules that the selection left out. */
  leftOut?: string[]
  notTested?: string
  open?: string
  /** The decision on how an ambiguous sentence is read. */
  decision?: { id: string; text: string }
}

export interface ApprovalUse {
  name: string
  customer: string
  client: string
  outcome: 'granted' | 'refused' | 'stopped' | 'failed'
  /** True for an approval that checks share, as opposed to the visit of a single check. */
  shared?: true
  used: string[]
  at: string
  /** The visit took place before an interruption, and the run continued with its result. */
  resumed?: true
}

/** The content of report.json; its schema is schemas/assay/report.schema.json. */
export interface Report {
  assay: {
    version: string
    specsDigest: string
    node: string
    /** Environment variables that concern how servers are verified and reached. */
    environment?: EnvironmentFact[]
  }
  target: {
    name: string
    /** Set if a TPP's client was judged instead of a bank. */
    side?: 'TPP'
    /** Host and port of the data endpoints. */
    host?: string
    /** The layout of its addresses. */
    environment?: 'production' | 'sandbox'
    configurationDigest: string
    /** A keyed digest of each member of the target file, which tells what differs between two runs. */
    members?: Record<string, string>
    /** Absolute path of the target file, for commands that send requests to this bank again. */
    file?: string
    /** End of validity of each client's transport certificate, UTC. */
    certificates?: { client: string; notAfter: string }[]
  }
  /** The selection. Whatever it leaves out is not in scope and is counted nowhere. */
  scope: {
    profile: 'core' | 'quick' | 'full' | 'exhaustive'
    only: string[]
    /** The seed of the cells that were drawn; default 1. */
    seed?: number
    requirements: number
    /** Number of checks and rules. */
    checks: number
    /** Number of checks and rules that the selection left out. */
    leftOut: number
  }
  startedAt: string
  finishedAt: string
  verdict: Verdict
  exitCode: number
  /** Why the run ended early, or could judge nothing; absent for a complete run. */
  partial?: string
  /** Set if exchanges recorded by others were judged: this is not a run, and never conformant. */
  recording?: ReportedRecording
  /** Set for a round of a monitor, which is a recording as well. */
  monitor?: ReportedMonitor
  /** The results of the preflight; present only if it failed and nothing was judged. */
  preflight?: PreflightLine[]
  /** What was restored from an interrupted run: it was judged then, by the same rules. */
  resumed?: { since: string; checks: number; approvals: number; requests: number }
  summary: Record<
    'pass' | 'fail' | 'warn' | 'observed' | 'blocked' | 'notApplicable' | 'notRun' | 'error',
    number
  >
  /** Musts in scope, each counted once; the basis of the verdict. */
  musts: {
    /** Passed or failed, including known deviations. */
    judged: number
    passed: number
    failed: number
    /** Failed, and known deviations cover every failure. */
    known: number
    blocked: number
    /** Not judged only because of known deviations. */
    excused: number
    notApplicable: number
    notRun: number
    notTested: number
    error: number
  }
  /**
   * Musts that depend on a registration of an earlier run: judged again from its kept answer of that day, or, without a
   * day, not judged by this run.
   */
  earlier?: { day?: string; musts: number }[]
  /** What is wrong, each cause once with everything that it explains; the most serious first. */
  causes: ReportedCause[]
  requirements: RequirementResult[]
  checks: CheckResult[]
  observations: Observation[]
  approvals: ApprovalUse[]
  /** Number of requests sent. */
  requests: number
  /** Number of cells asked, and of all cells in the tables of values and places; absent if there are none. */
  cells?: { asked: number; of: number }
  /** Median, 95th and 99th percentile in ms, and count, per endpoint; older reports have no p99. Never judged. */
  latency: { endpoint: string; count: number; p50: number; p95: number; p99?: number }[]
  /** The consent states that occurred; older reports have none. */
  states?: Transitions
  /** Consents and clients that the run created and could not remove. */
  leftBehind: { kind: 'consent' | 'client'; id: string; why: string }[]
  problems: string[]
}

/** What was recorded, and how much of it could be judged. */
export interface ReportedRecording {
  files: {
    file: string
    /** `HAR`, `exchanges.jsonl`, or a gateway. */
    format: string
    exchanges: number
    /** Number of requests that no server received. */
    unsent: number
    /** Number of unreadable lines or entries. */
    unreadable: number
  }[]
  /** Number of all exchanges, and of those that are operations of the documents. */
  exchanges: number
  operations: number
  /** When the first and the last operation began, UTC. */
  span?: { from: string; to: string }
  /** Requests that are not operations, the most frequent first. */
  elsewhere: { name: string; exchanges: number }[]
  /** Musts that anything tests: their number, those exercised by an exchange, and those broken. */
  musts: { of: number; exercised: number; broken: number }
  /** What the recording does not show, and how many rules could not judge an exchange because of that. */
  lacks: { what: string; rules: number }[]
}

/** The state of a monitor after a round. */
export interface ReportedMonitor {
  /** Start of its first round. */
  since: string
  /** Parts that were ever requested: since when served or away, and the result of this round's request, if any. */
  parts: {
    part: string
    is?: 'served' | 'away' | 'limited'
    up: boolean
    since: string
    why?: string
  }[]
  /** Hosts and clients, with the end of validity of their certificates. */
  certificates: { what: string; notAfter: string }[]
  /** What is not watched, and how to change that. */
  unwatched: string[]
  /** True if data were requested. */
  data: boolean
}

/** One line of the preflight before a run, in the doctor's words. */
export interface PreflightLine {
  /** What was examined. */
  name: string
  level: 'ok' | 'note' | 'wrong' | 'skipped'
  text: string
  /** Who can fix it; only for what is wrong. */
  whose?: Whose
  /** What to do, or what to write and where; only for what is wrong. */
  mend?: string
  /** Found in the files that the target names, before any request to the bank: exit code 2. */
  onPaper?: true
}

/** Who can fix a cause; `either`: the target file says something that no answer of the bank confirms. */
export type Whose =
  | 'bank'
  | 'gateway'
  | 'TPP'
  | 'configuration'
  | 'either'
  | 'network'
  | 'suite'
  | 'nobody'

/** One cause: the findings that it explains and what it keeps from being judged. */
export interface ReportedCause {
  title: string
  whose: Whose
  /** What shows that its findings have one cause: the same exchange, the same deviation, … */
  evidence?: string
  /** Where it shows: `GET /accounts`. */
  where?: string
  /** What to do next. */
  mend?: string
  /** Checks and rules that failed, warned or had an error because of it, the most informative first. */
  findings: string[]
  /** Checks and rules that could not be judged because of it. */
  blocks: string[]
  /** Every finding is a known deviation. */
  known?: true
}
