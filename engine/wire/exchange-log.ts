import { closeSync, openSync, writeSync } from 'node:fs'
import { CHAIN_START, chained } from '../report/chain.ts'
import type { Exchange } from './exchange.ts'
import type { Redactor } from './redaction.ts'

/** exchanges.jsonl while a run goes on. */
export interface ExchangeLog {
  /** Writes one exchange, redacted and chained; it is in the file when this returns. */
  append(exchange: Exchange): void
  /** Hash of the last line; the start of a chain while there is none. */
  readonly head: string
  /** Lines written. */
  readonly count: number
  close(): void
}

/** Opens a new exchanges.jsonl; one that is already there is replaced. */
export function openExchangeLog(path: string, redactor: Redactor): ExchangeLog {
  const file = openSync(path, 'w', 0o600)
  let head = CHAIN_START
  let count = 0
  return {
    append(exchange) {
      const record = chained(head, redactor.redactExchange(exchange))
      writeSync(file, `${JSON.stringify(record)}\n`)
      head = record.hash
      count += 1
    },
    get head() {
      return head
    },
    get count() {
      return count
    },
    close: () => closeSync(file),
  }
}
