import type { Result } from '../judge/results.ts'
import type { Observation } from '../record/check-result.ts'
import { parsedJson } from '../record/json.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { ResumableApproval } from './resume-approval.ts'
import type { ResumeFile } from './resume-file.ts'
import type { TokenSet } from './tokens.ts'
import type { Visit, VisitRecord } from './visit.ts'

/** One check as judged before an interruption. */
export interface EarlierJudgement {
  result: Result
  observations: Observation[]
  approvals: string[]
}

type Entry =
  | { exchange: Exchange }
  | { visited: VisitRecord; visit?: Visit; first?: string; last?: string }
  | { approved: ResumableApproval }
  | { tokens: TokenSet; of: string }
  | { spends: string }
  | { judged: EarlierJudgement }

export type ResumableRun = ReturnType<typeof resumableRun>

/**
 * What a run saves as it goes, raw and encrypted, so that the next run can resume after an interruption: every
 * exchange, for the rules to judge again; every visit and its result; and every check that was judged.
 */
export function resumableRun(file: ResumeFile) {
  const append = (entry: Entry) => file.append(entry)
  return {
    /** What an interrupted run left. */
    earlier: earlierOf(file),
    exchange: (exchange: Exchange) => append({ exchange: withoutJson(exchange) }),
    /** A refused visit is not repeated after an interruption; a code from a visit is useless later. */
    visited(visited: VisitRecord, visit: Visit | undefined) {
      if (!visit || visit.kind === 'granted') return append({ visited })
      const { first, last, ...rest } = visit
      append({ visited, visit: rest, first: first?.id, last: last?.id })
    },
    approved: (approved: ResumableApproval) => append({ approved }),
    /** The current tokens, whatever they came from. */
    tokens: ({ id }: ConsentFacts, tokens: TokenSet) => append({ tokens, of: id }),
    /** A check that consumes this approval begins. */
    spends: (spends: string) => append({ spends }),
    judged(judged: EarlierJudgement) {
      if (counts(judged.result)) append({ judged })
    },
    /** The run is over, or starts again: nothing is kept. */
    drop: () => file.drop(),
    close: () => file.close(),
  }
}

/** What the environment did to a check does not predict how it ends the next time. */
function counts({ outcome, because }: Result): boolean {
  if (outcome === 'error' || outcome === 'not-run') return false
  return outcome !== 'blocked' || because?.kind !== 'environment'
}

function earlierOf({ since, records }: ResumeFile) {
  const earlier = {
    since,
    exchanges: [] as Exchange[],
    visits: [] as VisitRecord[],
    /** Visits that ended without a code, by their purpose. */
    refusals: new Map<string, Visit[]>(),
    approvals: new Map<string, ResumableApproval>(),
    /** ConsentId → the last tokens in use. */
    tokens: new Map<string, TokenSet>(),
    spent: new Set<string>(),
    judgements: [] as EarlierJudgement[],
  }
  const sent = new Map<string, Exchange>()
  for (const entry of records as Entry[]) {
    if ('exchange' in entry) {
      const exchange = withJson(entry.exchange)
      earlier.exchanges.push(exchange)
      sent.set(exchange.id, exchange)
    } else if ('visited' in entry) {
      const { visited, visit, first = '', last = '' } = entry
      earlier.visits.push({ ...visited, resumed: true })
      if (!visit) continue
      const made = { ...visit, first: sent.get(first), last: sent.get(last) }
      earlier.refusals.set(visited.name, [...(earlier.refusals.get(visited.name) ?? []), made])
    } else if ('approved' in entry) {
      earlier.approvals.set(entry.approved.consent.name, entry.approved)
      earlier.spent.delete(entry.approved.consent.name)
    } else if ('tokens' in entry) earlier.tokens.set(entry.of, lasting(entry.tokens))
    else if ('spends' in entry) earlier.spent.add(entry.spends)
    else earlier.judgements.push(entry.judged)
  }
  return earlier
}

/** JSON has no Infinity, which means that the bank did not say when the token expires. */
export function lasting(tokens: TokenSet): TokenSet {
  return { ...tokens, expiresAt: (tokens.expiresAt as number | null) ?? Number.POSITIVE_INFINITY }
}

/** A body that was parsed as JSON can be parsed again, unless it was so large that its text was cut. */
function withoutJson(exchange: Exchange): Exchange {
  const { response } = exchange
  if (!response || response.digest !== undefined) return exchange
  const { json: _, ...rest } = response
  return { ...exchange, response: rest }
}

function withJson(exchange: Exchange): Exchange {
  const { response } = exchange
  if (!response || response.digest !== undefined) return exchange
  return { ...exchange, response: { ...response, json: parsedJson(response.body) } }
}
