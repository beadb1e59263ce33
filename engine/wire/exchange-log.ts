import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { CHAIN_START, chainedLine } from '../record/chain.ts'
import type { ExchangeRecord } from '../record/exchange-record.ts'
import type { Exchange } from './exchange.ts'
import { meanwhile } from './meanwhile.ts'
import type { Redactor } from './redaction.ts'

/** exchanges.jsonl while a run goes on. Whatever cannot be written throws at the next call. */
export type ExchangeLog = ReturnType<typeof openExchangeLog>

/** Opens a new exchanges.jsonl; one that is already there is replaced. */
export function openExchangeLog(path: string, redactor: Redactor) {
  const file = openSync(path, 'w', 0o600)
  let head = CHAIN_START
  let count = 0
  let end = 0
  /** Where each line stands, in bytes. */
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
     * Writes one exchange as it is now, redacted and chained, while the bank is busy with the next: at the
     * latest when anything else is asked of the log.
     */
    append(exchange: Exchange): void {
      if (trouble) throw trouble
      if (waiting.length === 0) meanwhile(flush)
      waiting.push({ ...exchange, about: { ...exchange.about } })
    },
    /** Writes what waits. */
    flush: flushed,
    /** Text without secrets, those of every exchange so far among them. */
    redact(text: string): string {
      if (text === '') return text
      flush()
      return redactor.redactText(text)
    },
    /** What was written of an exchange. */
    read(id: string): ExchangeRecord | undefined {
      flushed()
      const place = places.get(id)
      if (!place) return undefined
      const line = Buffer.alloc(place.length)
      // Read also after the end: what is written is there, closed or not.
      const reading = openSync(path, 'r')
      readSync(reading, line, 0, place.length, place.start)
      closeSync(reading)
      return JSON.parse(line.toString()) as ExchangeRecord
    },
    /** Hash of the last line; the start of a chain while there is none. */
    get head() {
      flush()
      return head
    },
    /** Lines written. */
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
