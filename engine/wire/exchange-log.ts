import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { CHAIN_START, chained } from '../record/chain.ts'
import type { ExchangeRecord } from '../record/exchange-record.ts'
import type { Exchange } from './exchange.ts'
import type { Redactor } from './redaction.ts'

/** exchanges.jsonl while a run goes on. */
export interface ExchangeLog {
  /** Writes one exchange, redacted and chained; it is in the file when this returns. */
  append(exchange: Exchange): void
  /** What was written of an exchange. */
  read(id: string): ExchangeRecord | undefined
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
  let end = 0
  /** Where each line stands, in bytes. */
  const places = new Map<string, { start: number; length: number }>()
  return {
    append(exchange) {
      const record = chained(head, redactor.redactExchange(exchange))
      const length = writeSync(file, `${JSON.stringify(record)}\n`)
      places.set(record.id, { start: end, length })
      end += length
      head = record.hash
      count += 1
    },
    read(id) {
      const place = places.get(id)
      if (!place) return undefined
      const line = Buffer.alloc(place.length)
      // Read also after the end: what is written is there, closed or not.
      const reading = openSync(path, 'r')
      readSync(reading, line, 0, place.length, place.start)
      closeSync(reading)
      return JSON.parse(line.toString()) as ExchangeRecord
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
