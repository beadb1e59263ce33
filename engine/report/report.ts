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
  /** Ids of those that the selection left out. */
  leftOut?: string[]
  notTested?: string
  open?: string
  /** Decision that says how an ambiguous sentence is read. */
  decision?: { id: string; text: string }
}

export interface ApprovalUse {
  name: string
  customer: string
  client: string
  outcome: 'granted' | 'refused' | 'stopped' | 'failed'
  /** It is one of the approvals that checks share, and not the visit of a single check. */
  shared?: true
  used: string[]
  at: string
  /** The visit took place before an interruption, and the run went on with what it yielded. */
  resumed?: true
}

/** The whole of report.json; its schema is schemas/assay/report.schema.json. */
export interface Report {
  assay: {
    version: string
    specsDigest: string
    node: string
    /** Variables of the environment that concern how servers are verified and reached. */
    environment?: EnvironmentFact[]
  }
  target: {
    name: string
    /** Set where a TPP's client was judged, and not a bank. */
    side?: 'TPP'
    /** Where data are read: host and port. */
    host?: string
    /** As its addresses are laid out. */
    environment?: 'production' | 'sandbox'
    configurationDigest: string
    /** The target file, absolute: what asks this bank again finds it there. */
    file?: string
    /** Until when each client's transport certificate is good, UTC. */
    certificates?: { client: string; notAfter: string }[]
  }
  /** What was selected. Whatever a selection leaves out is not in scope, and counts nowhere. */
  scope: {
    profile: 'core' | 'quick' | 'full' | 'exhaustive'
    only: string[]
    /** Which draw of cells was asked; 1 without it. */
    seed?: number
    requirements: number
    /** Checks and rules. */
    checks: number
    /** Checks and rules that the selection left out. */
    leftOut: number
  }
  startedAt: string
  finishedAt: string
  verdict: Verdict
  exitCode: number
  /** Why the run ended early, or could judge nothing; absent on a whole run. */
  partial?: string
  /** Set where exchanges that others recorded were judged: no run, and never conformant. */
  recording?: ReportedRecording
  /** Set of a round of a monitor, which is a recording as well. */
  monitor?: ReportedMonitor
  /** What was looked at before anything was judged; only where that went wrong, and nothing was. */
  preflight?: PreflightLine[]
  /** What was taken over from a run that was interrupted: judged then, by the same rules. */
  resumed?: { since: string; checks: number; approvals: number; requests: number }
  summary: Record<
    'pass' | 'fail' | 'warn' | 'observed' | 'blocked' | 'notApplicable' | 'notRun' | 'error',
    number
  >
  /** Musts in scope, each counted once; what the verdict rests on. */
  musts: {
    /** Passed or failed, known deviations among them. */
    judged: number
    passed: number
    failed: number
    /** Failed, and all of it is covered by known deviations. */
    known: number
    blocked: number
    /** Not judged because of known deviations alone. */
    excused: number
    notApplicable: number
    notRun: number
    notTested: number
    error: number
  }
  /**
   * Musts of which something rests on a registration of an earlier run: judged again by its kept answer of that day, or,
   * without a day, not judged by this run.
   */
  earlier?: { day?: string; musts: number }[]
  /** What is wrong, once each, with everything that it explains; the gravest first. */
  causes: ReportedCause[]
  requirements: RequirementResult[]
  checks: CheckResult[]
  observations: Observation[]
  approvals: ApprovalUse[]
  /** Requests sent. */
  requests: number
  /** Cells of the tables of values and places that were asked, of those that there are; absent where there are none. */
  cells?: { asked: number; of: number }
  /** Median, 95th and 99th percentile in milliseconds, and count, per endpoint; older reports have no p99. Never judged. */
  latency: { endpoint: string; count: number; p50: number; p95: number; p99?: number }[]
  /** The states of consents that were gone through; older reports have none. */
  states?: Transitions
  /** Consents and clients that the run made and could not remove. */
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
    /** Requests of which no server was asked. */
    unsent: number
    /** Lines or entries. */
    unreadable: number
  }[]
  /** All that were read, and those of them that are operations of the documents. */
  exchanges: number
  operations: number
  /** When the first and the last operation began, UTC. */
  span?: { from: string; to: string }
  /** What is no operation, the most frequent first. */
  elsewhere: { name: string; exchanges: number }[]
  /** Musts that anything tests: exercised by an exchange, and broken. */
  musts: { of: number; exercised: number; broken: number }
  /** What the recording does not tell, and how many rules could not judge an exchange for it. */
  lacks: { what: string; rules: number }[]
}

/** What a monitor knows after a round. */
export interface ReportedMonitor {
  /** When its first round began. */
  since: string
  /** Parts that were ever asked for, since when they are served or away, and how the round found them where it asked. */
  parts: {
    part: string
    is?: 'served' | 'away' | 'limited'
    up: boolean
    since: string
    why?: string
  }[]
  /** Hosts and clients, and until when their certificates are good. */
  certificates: { what: string; notAfter: string }[]
  /** What is not watched, and how it can be. */
  unwatched: string[]
  /** Whether data were asked for. */
  data: boolean
}

/** One line of what is looked at before a run, in the doctor's words. */
export interface PreflightLine {
  /** What was looked at. */
  name: string
  level: 'ok' | 'note' | 'wrong' | 'skipped'
  text: string
  /** Who can fix it; of what is wrong. */
  whose?: Whose
  /** What to do, or to write and where; of what is wrong. */
  mend?: string
  /** Seen in what the target file names, before the bank was asked for anything: exit code 2. */
  onPaper?: true
}

/** Who can fix a cause. */
export type Whose = 'bank' | 'gateway' | 'TPP' | 'configuration' | 'network' | 'suite' | 'nobody'

/** One thing that is wrong, the findings that it explains and what it keeps from being judged. */
export interface ReportedCause {
  title: string
  whose: Whose
  /** What shows that its findings have one cause: the same exchange, the same deviation, … */
  evidence?: string
  /** Where it shows: `GET /accounts`. */
  where?: string
  /** What to do next. */
  mend?: string
  /** Checks and rules that failed, warned or erred by it, the most telling first. */
  findings: string[]
  /** Checks and rules that could not be judged because of it. */
  blocks: string[]
  /** Every finding is a known deviation. */
  known?: true
}
