export type Level = 'must' | 'should' | 'observe'

export type Outcome =
  | 'pass'
  | 'fail'
  | 'warn'
  | 'observed'
  | 'blocked'
  | 'not-applicable'
  | 'not-run'
  | 'error'

export type VerdictWord = 'conformant' | 'nonconformant' | 'incomplete' | 'error'

/** One check or rule, judged. */
export interface CheckResult {
  /** TXN-17/to-alone */
  id: string
  requirement: string
  level: Level
  /** An active check with a stimulus, or a rule over all exchanges. */
  kind: 'check' | 'rule'
  title: string
  outcome: Outcome
  /** One sentence; on pass empty. */
  message: string
  expected?: string
  actual?: string
  /** Instance path of the offending place in the body of the first exchange: /Data/Account/0/Currency. */
  place?: string
  /** Id of the check or rule that could not give what this one needs, or a cause in words. */
  blockedBy?: string
  /** Known deviation that covers this result. */
  deviation?: { reason: string; ticket?: string; owner?: string; expires: string }
  /** Ids of exchanges that are the evidence; the offending one first. */
  exchanges: string[]
  /** Id of the exchange that was the control of a negative. */
  control?: string
  durationMs: number
}

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
  /** Ids of its checks and rules. */
  checks: string[]
  notTested?: string
  open?: string
  /** Decision that says how an ambiguous sentence is read. */
  decision?: { id: string; text: string }
}

export interface Observation {
  requirement: string
  what: string
  value: string
  exchange?: string
}

export interface ApprovalUse {
  name: string
  customer: string
  client: string
  outcome: 'granted' | 'refused' | 'stopped' | 'failed'
  used: string[]
  at: string
  /** The visit took place before an interruption, and the run went on with what it yielded. */
  resumed?: true
}

/** The whole of report.json; its schema is schemas/assay/report.schema.json. */
export interface Report {
  assay: { version: string; specsDigest: string; node: string }
  target: { name: string; configurationDigest: string }
  scope: {
    profile: 'core' | 'full'
    only: string[]
    requirements: number
    checks: number
  }
  startedAt: string
  finishedAt: string
  verdict: VerdictWord
  exitCode: number
  /** Why the run ended early, or could judge nothing; absent on a whole run. */
  partial?: string
  /** What was taken over from a run that was interrupted: judged then, by the same rules. */
  resumed?: { since: string; checks: number; approvals: number; requests: number }
  summary: Record<
    'pass' | 'fail' | 'warn' | 'observed' | 'blocked' | 'notApplicable' | 'notRun' | 'error',
    number
  >
  /** Musts in scope by outcome; what the verdict rests on. */
  musts: {
    judged: number
    passed: number
    failed: number
    blocked: number
    notApplicable: number
    notRun: number
    notTested: number
  }
  requirements: RequirementResult[]
  checks: CheckResult[]
  observations: Observation[]
  approvals: ApprovalUse[]
  /** Requests sent. */
  requests: number
  /** Median and 95th percentile in milliseconds, and count, per endpoint. */
  latency: { endpoint: string; count: number; p50: number; p95: number }[]
  /** Consents and clients that the run made and could not remove. */
  leftBehind: { kind: 'consent' | 'client'; id: string; why: string }[]
  problems: string[]
}

/** One line of exchanges.jsonl: an Exchange after redaction, bodies bounded. */
export interface ExchangeRecord {
  id: string
  endpoint: string
  about: Record<string, unknown>
  startedAt: string
  durationMs: number
  request: { method: string; url: string; headers: [string, string][]; body?: string }
  response?: {
    status: number
    headers: [string, string][]
    body: string
    bytes: number
    /** SHA-256 of the whole body as received, hex, when `body` was cut. */
    digest?: string
  }
  failure?: { kind: string; code: string; message: string }
  connection: { protocol?: string; cipher?: string; identity: string }
  retriedBy?: string
  /** SHA-256, hex, over the previous line's `hash` and this line without `hash`. */
  hash: string
}
