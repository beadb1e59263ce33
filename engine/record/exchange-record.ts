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
    /** Name and value in the spelling and order of the wire. */
    headers: [string, string][]
    /** UTF-8 text; empty when there was none. */
    body: string
    /** Length of the body on arrival, in bytes, after content decoding. */
    bytes: number
    /** SHA-256 of the whole body as received, hex, when `body` was cut. */
    digest?: string
  }
  /** Why no response arrived. `unreachable` and `untrusted` are the environment, never the bank. */
  failure?: {
    kind:
      | 'unreachable' // ECONNREFUSED, ENOTFOUND, EAI_AGAIN, EHOSTUNREACH
      | 'untrusted' // our own trust store refuses the server's certificate
      | 'tls-alert' // the server refused in the handshake and said why
      | 'closed' // the connection was closed or reset before a response
      | 'timeout' // no complete response within the target's time
      | 'garbage' // not HTTP
      | 'too-large' // body over the limit of the target
    code: string
    message: string
    /**
     * Ids of a request to the same endpoint, or else to the same listener, before, and of one just after,
     * which were answered: only this one was cut. Without them nobody can tell a refusal from trouble.
     */
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
