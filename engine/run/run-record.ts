import { join } from 'node:path'
import { createTransitions } from '../model/transitions.ts'
import type { Observation } from '../record/check-result.ts'
import { createEvidence, type Evidence } from '../report/evidence-index.ts'
import type { CheckResult } from '../report/report.ts'
import type { Exchange } from '../wire/exchange.ts'
import { openExchangeLog } from '../wire/exchange-log.ts'
import { createRedactor } from '../wire/redaction.ts'
import { appendJournal, JOURNAL, type JournalLine } from './journal.ts'
import { createLatency } from './latency.ts'

/** What is recorded during a run, in its folder and for its report. */
export type RunRecord = ReturnType<typeof openRunRecord>

/**
 * Opens the exchange log and the journal of a run.
 *
 * @param secrets values that are never written.
 */
export function openRunRecord(out: string, secrets: string[]) {
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), createRedactor(secrets))
  const { redact, read, close } = log
  const latency = createLatency()
  const transitions = createTransitions()
  const evidence = createEvidence()
  let unwritable: string | undefined

  const writeDown = (write: () => void) => {
    if (unwritable !== undefined) return
    try {
      write()
    } catch (error) {
      unwritable = `nothing more could be written: ${(error as Error).message}`
    }
  }
  /** Throws if the journal cannot be written. */
  const append = (line: JournalLine) => appendJournal(join(out, JOURNAL), line)

  return {
    ...{ redact, latency, transitions, read, close, append },
    evidence: evidence as Evidence,
    /** Why nothing more can be recorded: whatever is judged from then on would be lost. */
    get unwritable() {
      return unwritable
    },
    exchange(exchange: Exchange) {
      latency.note(exchange)
      transitions.note(exchange)
      evidence.note(exchange)
      writeDown(() => log.append(exchange))
    },
    waiting(what: string | undefined) {
      const line = { kind: 'waiting' as const, for: what && redact(what) }
      writeDown(() => append(line))
    },
    /** Rules that were found broken follow the check that showed it. */
    judged(result: CheckResult, observations: Observation[], broken: CheckResult[]) {
      writeDown(() => {
        append({ kind: 'judged', result, observations })
        for (const rule of broken) append({ kind: 'judged', result: rule, observations: [] })
      })
    },
    flush: () => writeDown(log.flush),
  }
}
