import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { CHAIN_START, chainedLine } from '../record/chain.ts'
import type { ExchangeRecord } from '../record/exchange-record.ts'
import type { Exchange } from './exchange.ts'
import { meanwhile } from './meanwhile.ts'
import type { Redactor } from './redaction.ts'

/** Writes exchanges.jsonl during a run. A write error is thrown by the next call. */
export type ExchangeLog = ReturnType<typeof openExchangeLog>

/** Opens a new exchanges.jsonl and replaces an existing one. */
export function openExchangeLog(path: string, redactor: Redactor) {
  const file = openSync(path, 'w', 0o600)
  let head = CHAIN_START
  let count = 0
  let end = 0
  /** Position of each line, in bytes. */
  const places = new Map<string, { start: number; length: number }>()
  let waiting: Exchange[] = []
  let trouble: Error | undefined

  const write = (exchange: Exchange) => {
    const { hash, line } = chainedLine(head, redactor.redactExchange(exchange))
    const length = writeSync(file, line)
    places.set(exchange.id, { start: end, length })
    end += length
    head = hash
    count += 1
  }

  const flush = () => {
    const due = waiting
    waiting = []
    try {
      if (!trouble) for (const exchange of due) write(exchange)
    } catch (error) {
      trouble = error as Error
    }
  }

  const flushed = () => {
    flush()
    if (trouble) throw trouble
  }

  return {
    /**
     * Writes one exchange in its present state, redacted and chained, while the bank handles the next request: at the
     * latest when anything else of the log is used.
     */
    append(exchange: Exchange): void {
      if (trouble) throw trouble
      if (waiting.length === 0) meanwhile(flush)
      waiting.push({ ...exchange, about: { ...exchange.about } })
    },
    /** Writes pending exchanges. */
    flush: flushed,
    /** The text without secrets, including those found in any exchange so far. */
    redact(text: string): string {
      if (text === '') return text
      flush()
      return redactor.redactText(text)
    },
    /** The written record of an exchange. */
    read(id: string): ExchangeRecord | undefined {
      flushed()
      const place = places.get(id)
      if (!place) return undefined
      const line = Buffer.alloc(place.length)
      // Opened separately, so that reading also works after the log was closed.
      const reading = openSync(path, 'r')
      readSync(reading, line, 0, place.length, place.start)
      closeSync(reading)
      return JSON.parse(line.toString()) as ExchangeRecord
    },
    /** Hash of the last line; the start of the chain if there is none. */
    get head() {
      flush()
      return head
    },
    /** Number of lines written. */
    get count() {
      flush()
      return count
    },
    close(): void {
      flush()
      closeSync(file)
      if (trouble) throw trouble
    },
  }
}
