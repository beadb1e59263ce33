import { Blocked } from '../judge/outcome.ts'
import { type Exchange, refusesConnection } from '../wire/exchange.ts'
import { originOf } from '../wire/origin.ts'
import type { WireMessage } from '../wire/wire.ts'

/** Requests of one kind in a row without an answer, after which that kind is not sent any more. */
const DOUBT = 2

/** Requests in a row that a listener left without an answer, after which it is asked as before. */
const DOUBT_OF_LISTENER = 3

/** Milliseconds after which one request is let through to what had no answer: it may be back. */
const AGAIN = 120_000

/** A row of requests that had no answer. */
interface Silence {
  times: number
  last: Exchange
  /** On the clock of performance.now(). */
  since: number
}

/**
 * Notices which listener of the bank has gone, and what it leaves unanswered, so that a run ends soon
 * instead of waiting for every time-out, and so that trouble is told from a refusal.
 *
 * @param send a request as it is, without a deviation of its own.
 */
export function createLiveness(send: (message: WireMessage) => Promise<Exchange>) {
  const silences = new Map<string, Silence>()
  /** The last answered request without a deviation that changes nothing, by listener and by endpoint too. */
  const answered = new Map<string, Exchange>()
  /** The last exchange that was answered: by listener, and of right requests by endpoint too. */
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
    /** Is there no listener any more that answers? */
    get gone() {
      return origins.size > 0 && [...origins].every((origin) => silent(origin, DOUBT_OF_LISTENER))
    },
    /**
     * Called before a request is sent.
     *
     * @throws Blocked where requests of its kind, or all to its listener, had no answer.
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
        // One request is let through: an answer to it ends the silence.
        found.since = performance.now()
        return
      }
      throw unasked(origin, found)
    },
    /** Called with every exchange; asks the listener again where only that explains what came. */
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
      // Where no session stood, nobody has seen what was asked: only who asked.
      more(protocol === undefined ? `${origin} ${identity}` : kind, exchange)
      // A firewall may drop what is wrong and serve what is right: that says nothing of the listener.
      if (wrong) return
      if (more(origin, exchange) !== DOUBT_OF_LISTENER || !answered.has(origin)) return
      await ask(origin, exchange)
    },
  }
}

/** What a listener answered before, or what was asked of it just now without what is wrong in it. */
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

/** What is asked of a listener: wrong requests may be left unanswered where right ones are not. */
function kindOf(origin: string, endpoint: string, identity: string, wrong: boolean): string {
  return [origin, endpoint, identity, wrong ? 'wrong' : ''].join(' ')
}

/** Is there something about the request for which a bank may refuse it? */
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
