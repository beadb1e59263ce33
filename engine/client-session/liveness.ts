import { Blocked } from '../judge/outcome.ts'
import { type Exchange, refusesConnection } from '../wire/exchange.ts'
import { originOf } from '../wire/origin.ts'
import type { WireMessage } from '../wire/wire.ts'

/** After this number of consecutive unanswered requests of one kind, that kind is not sent any more. */
const DOUBT = 2

/** After this number of consecutive unanswered requests to a listener, an earlier request is repeated to test it. */
const DOUBT_OF_LISTENER = 3

/** After this number of milliseconds one request is let through to what did not answer: it may be back. */
const AGAIN = 120_000

/** A series of unanswered requests. */
interface Silence {
  times: number
  last: Exchange
  /** On the clock of performance.now(). */
  since: number
}

/**
 * Detects which listener of the bank has gone and what it leaves unanswered, so that a run ends soon instead of waiting
 * for every time-out, and so that a fault is told from a refusal.
 *
 * @param send sends a request as it is, without its own deviation.
 */
export function createLiveness(send: (message: WireMessage) => Promise<Exchange>) {
  const silences = new Map<string, Silence>()
  /** The last answered correct request that changes nothing, by listener and also by endpoint. */
  const answered = new Map<string, Exchange>()
  /** The last answered exchange: by listener and, for correct requests, also by endpoint. */
  const lastAnswered = new Map<string, string>()
  const origins = new Set<string>()
  const asking = new Set<string>()

  const silent = (key: string, most: number): Silence | undefined => {
    const found = silences.get(key)
    return found && found.times >= most ? found : undefined
  }

  const more = (key: string, last: Exchange): number => {
    const times = (silences.get(key)?.times ?? 0) + 1
    silences.set(key, { times, last, since: performance.now() })
    return times
  }

  const ask = async (origin: string, exchange: Exchange) => {
    const before = answered.get(`${origin} ${exchange.endpoint}`) ?? answered.get(origin)
    asking.add(origin)
    try {
      return await send(rightOne(exchange, before))
    } finally {
      asking.delete(origin)
    }
  }

  return {
    /** True if no listener answers any more. */
    get gone() {
      return origins.size > 0 && [...origins].every((origin) => silent(origin, DOUBT_OF_LISTENER))
    },
    /**
     * Called before a request is sent.
     *
     * @throws Blocked if requests of its kind, or all to its listener, had no answer.
     */
    admit(message: WireMessage) {
      const origin = originOf(message.url)
      if (origin === undefined || asking.has(origin)) return
      const found =
        silent(origin, DOUBT_OF_LISTENER) ??
        silent(`${origin} ${message.identity}`, DOUBT) ??
        silent(kindOf(origin, message.endpoint, message.identity, deviates(message)), DOUBT)
      if (!found) return
      if (performance.now() - found.since > AGAIN) {
        // One request is let through; an answer to it ends the silence.
        found.since = performance.now()
        return
      }
      throw unasked(origin, found)
    },
    /** Called with every exchange; sends another request to the listener where only that can explain the result. */
    async note(exchange: Exchange) {
      const origin = originOf(exchange.request.url)
      if (origin === undefined || exchange.retriedBy !== undefined) return
      const { endpoint, response, failure, request, about } = exchange
      const { identity, protocol } = exchange.connection
      const wrong = deviates({ about, headers: request.headers })
      const kind = kindOf(origin, endpoint, identity, wrong)
      const asked = `${origin} ${endpoint}`
      origins.add(origin)
      if (response) {
        for (const key of [origin, `${origin} ${identity}`, kind]) silences.delete(key)
        lastAnswered.set(origin, exchange.id)
        if (!wrong) lastAnswered.set(asked, exchange.id)
        const plain = !wrong && request.method === 'GET' && endpoint !== 'authorisation'
        if (plain) answered.set(origin, exchange).set(asked, exchange)
        return
      }
      if (asking.has(origin)) return
      const cut = failure && ['closed', 'tls-alert'].includes(failure.kind)
      if (cut && !refusesConnection(failure) && wrong) {
        const before = lastAnswered.get(asked) ?? lastAnswered.get(origin)
        if (before === undefined) return
        const after = await ask(origin, exchange)
        if (after.response) failure.alone = { before, after: after.id }
        return
      }
      if (failure?.kind !== 'timeout' && failure?.kind !== 'unreachable') return
      // Without a TLS session the bank has not seen the request, only the client.
      more(protocol === undefined ? `${origin} ${identity}` : kind, exchange)
      // A firewall may drop wrong requests and pass correct ones: that says nothing about the listener.
      if (wrong) return
      if (more(origin, exchange) !== DOUBT_OF_LISTENER || !answered.has(origin)) return
      await ask(origin, exchange)
    },
  }
}

/** A request that the listener answered before, or else the current request without its deviation. */
function rightOne({ request, about, connection }: Exchange, before?: Exchange): WireMessage {
  const identity = ['first', 'second'].includes(connection.identity)
    ? connection.identity
    : (about.client ?? 'first')
  return {
    endpoint: before?.endpoint ?? 'elsewhere',
    about: { ...before?.about, deviation: 'is the listener there?' },
    identity: before?.connection.identity ?? identity,
    method: 'GET',
    url: before?.request.url ?? request.url,
    headers: before?.request.headers ?? [['Accept', 'application/json']],
    retry: true,
  }
}

/** The kind of a request: a bank may leave wrong requests unanswered but answer correct ones. */
function kindOf(origin: string, endpoint: string, identity: string, wrong: boolean): string {
  return [origin, endpoint, identity, wrong ? 'wrong' : ''].join(' ')
}

/** True if a bank may refuse the request because of something in it. */
function deviates({ about = {}, headers }: Pick<WireMessage, 'about' | 'headers'>): boolean {
  if (about.deviation !== undefined || about.optional) return true
  // "429 … while the customer is not present (no x-fapi-customer-ip-address header)".
  const data = about.consent !== undefined
  return data && !headers.some(([name]) => name.toLowerCase() === 'x-fapi-customer-ip-address')
}

function unasked(origin: string, { times, last }: Silence): Blocked {
  const why = last.failure?.message ?? 'no answer'
  const what = `${origin} does not answer: ${why}`
  const message = `not asked any more: ${times} requests in a row had no answer, the last is ${last.id}: ${why}`
  return new Blocked({ kind: 'environment', what }, message, last)
}
