import type { Exchange } from '../../engine/wire/exchange.ts'
import type { Wire, WireMessage } from '../../engine/wire/wire.ts'

/** A wire that keeps what was sent and answers nothing: builders are judged by their messages. */
export function recordingWire(): Wire & { sent: WireMessage[] } {
  const sent: WireMessage[] = []
  return {
    sent,
    async send(message) {
      sent.push(message)
      const { endpoint, about = {}, method, url, headers, body, identity } = message
      const exchange: Exchange = {
        id: `x${sent.length}`,
        endpoint,
        about,
        startedAt: new Date().toISOString(),
        durationMs: 0,
        request: { method, url, headers, ...(body !== undefined && { body }) },
        response: { status: 200, headers: [], body: '', bytes: 0 },
        connection: { identity },
      }
      return exchange
    },
    onExchange: () => () => {},
    onRequest: () => () => {},
    has: () => true,
    canResume: async () => false,
    get requests() {
      return sent.length
    },
    async close() {},
  }
}
