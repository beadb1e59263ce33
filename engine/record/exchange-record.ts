/** One line of exchanges.jsonl: an Exchange after redaction, bodies bounded. */
export interface ExchangeRecord {
  /** x1, x2, … in order of sending. */
  id: string
  endpoint: string
  about: Record<string, unknown>
  /** UTC, RFC 3339 with milliseconds. */
  startedAt: string
  durationMs: number
  /** Headers by name and value as sent, in order. */
  request: { method: string; url: string; headers: [string, string][]; body?: string }
  response?: {
    status: number
    headers: [string, string][]
    body: string
    bytes: number
    /** SHA-256 of the whole body as received, hex, when `body` was cut. */
    digest?: string
  }
  failure?: {
    kind: string
    code: string
    message: string
    alone?: { before: string; after: string }
  }
  /**
   * TLSv1.2, TLSv1.3; the client certificate that was offered by its name: first, second, none, untrusted,
   * expired.
   */
  connection: { protocol?: string; cipher?: string; identity: string }
  retriedBy?: string
  /** SHA-256, hex, over the previous line's `hash` and this line without `hash`. */
  hash: string
}
