/** One line of exchanges.jsonl: an Exchange after redaction, with truncated bodies. */
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
    /** Name and value in the spelling and order of the wire. */
    headers: [string, string][]
    /** UTF-8 text; empty when there was none. */
    body: string
    /** Length of the received body in bytes, after content decoding. */
    bytes: number
    /** SHA-256 of the whole received body, hex, when `body` was cut. */
    digest?: string
  }
  /** Why no response arrived. `unreachable` and `untrusted` are caused by the environment, never by the bank. */
  failure?: {
    kind:
      | 'unreachable' // ECONNREFUSED, ENOTFOUND, EAI_AGAIN, EHOSTUNREACH
      | 'untrusted' // Assay's own trust store rejects the server's certificate
      | 'tls-alert' // the server refused during the handshake and said why
      | 'closed' // the connection was closed or reset before a response
      | 'timeout' // no complete response within the time limit of the target
      | 'garbage' // not HTTP
      | 'too-large' // body over the limit of the target
    code: string
    message: string
    /**
     * Ids of two answered requests, one before and one just after, to the same endpoint or at least the same listener:
     * only this one was cut. Without them nobody can tell a refusal from a fault.
     */
    alone?: { before: string; after: string }
  }
  /** TLSv1.2, TLSv1.3; the name of the client certificate that was offered: first, second, none, untrusted, forged, expired. */
  connection: { protocol?: string; cipher?: string; identity: string }
  retriedBy?: string
  /** SHA-256, hex, over the previous line's `hash` and this line without `hash`. */
  hash: string
}
