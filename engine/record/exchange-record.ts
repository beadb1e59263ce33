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
  failure?: {
    kind: string
    code: string
    message: string
    alone?: { before: string; after: string }
  }
  connection: { protocol?: string; cipher?: string; identity: string }
  retriedBy?: string
  /** SHA-256, hex, over the previous line's `hash` and this line without `hash`. */
  hash: string
}
