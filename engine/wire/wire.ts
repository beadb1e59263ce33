import type { Agent } from 'undici'
import type { Target } from '../target/resolve.ts'
import { createBudget } from './budget.ts'
import { decoded } from './decode.ts'
import { type Arrival, dispatch } from './dispatch.ts'
import type { About, Endpoint, Exchange, WireResponse } from './exchange.ts'
import { failureOf, WireLimit } from './failure.ts'
import { type Identity, openIdentity } from './identity.ts'
import { waitBefore } from './retry-after.ts'

/** One request as a sender wants it on the wire. */
export interface WireMessage {
  endpoint: Endpoint
  about?: About
  /** Which client certificate is offered: first, second, none, untrusted, expired. */
  identity: string
  method: string
  url: string
  headers: [string, string][]
  body?: string
  /** Milliseconds, instead of the target's. */
  timeout?: number
  /** Repeat after 429 or 503, honouring Retry-After. Never for a request that is judged. */
  retry?: boolean
}

export interface Wire {
  /** Sends one request. It never throws for anything that the network or the bank does. */
  send(message: WireMessage): Promise<Exchange>
  /**
   * Calls the listener with every exchange, repeats included, and waits for what it returns before
   * the sender has the exchange; returns how to stop that.
   */
  onExchange(listener: Listener): () => void
  /** Whether the target gives a certificate of this name. */
  has(identity: string): boolean
  /** Requests sent so far. */
  readonly requests: number
  /** Closes every connection; what is under way ends as closed. */
  close(): Promise<void>
}

type Listener = (exchange: Exchange) => unknown

/** Repeats after 429 and 503. */
const REPEATS = 2

/**
 * Opens the wire to a target: one pool of connections per identity, nothing retained after.
 *
 * @param sent requests of the same run before it was interrupted.
 */
export function createWire(target: Target, sent = 0): Wire {
  const agents = new Map<string, Promise<Identity>>()
  const listeners = new Set<Listener>()
  const turn = createBudget(target.requestsPerMinute)
  let requests = sent

  const identity = (name: string): Promise<Identity> => {
    if (!has(name)) throw new TypeError(`the target has no client certificate named ${name}`)
    const known = agents.get(name) ?? openIdentity(target, name)
    agents.set(name, known)
    return known
  }

  const has = (name: string) =>
    name === 'none' || name === 'untrusted' || target.transports[name] !== undefined

  const nextId = () => {
    requests += 1
    return `x${requests}`
  }

  const once = async (message: WireMessage, id: string, fresh: boolean) => {
    const { agent, oneConnection, reaching } = await identity(message.identity)
    await turn()
    const started = Date.now()
    const exchange: Exchange = {
      id,
      endpoint: message.endpoint,
      about: message.about ?? {},
      startedAt: new Date(started).toISOString(),
      durationMs: 0,
      request: {
        method: message.method,
        url: message.url,
        headers: message.headers,
        ...(message.body !== undefined && { body: message.body }),
      },
      connection: { identity: message.identity },
    }
    const clock = performance.now()
    const dispatcher = fresh ? oneConnection() : agent
    const arrival = await arrive(dispatcher, message, target, reaching)
    if (fresh) void dispatcher.close()
    exchange.durationMs = Math.round((arrival.endedAt - clock) * 1000) / 1000
    const { protocol, cipher } = arrival.socket ?? {}
    if (protocol) exchange.connection = { protocol, cipher, identity: message.identity }
    await fill(exchange, arrival, target.maxResponseSize)
    return { exchange, reused: arrival.reused }
  }

  const tell = async (exchange: Exchange) => {
    for (const listener of listeners) await listener(exchange)
    return exchange
  }

  const repeat = async (message: WireMessage, exchange: Exchange, fresh: boolean) => {
    exchange.retriedBy = nextId()
    await tell(exchange)
    return once(message, exchange.retriedBy, fresh)
  }

  return {
    async send(message) {
      let sent = await once(message, nextId(), false)
      if (sent.exchange.failure?.kind === 'closed' && sent.reused) {
        // The server closed an idle connection just as the request was on its way to it.
        sent = await repeat(message, sent.exchange, true)
      }
      for (let repeats = 1; message.retry && repeats <= REPEATS; repeats += 1) {
        const wait = waitBefore(sent.exchange, repeats)
        if (wait === undefined) break
        await new Promise((resolve) => setTimeout(resolve, wait))
        sent = await repeat(message, sent.exchange, false)
      }
      return tell(sent.exchange)
    },
    onExchange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    has,
    get requests() {
      return requests
    },
    async close() {
      const opened = await Promise.allSettled(agents.values())
      const agentsOpen = opened.flatMap((one) =>
        one.status === 'fulfilled' ? [one.value.agent] : [],
      )
      await Promise.all(agentsOpen.map((agent) => agent.destroy()))
    },
  }
}

async function arrive(
  dispatcher: Agent,
  message: WireMessage,
  target: Target,
  reaching: () => number,
): Promise<Arrival> {
  if (!URL.canParse(message.url)) {
    const error = new WireLimit('unreachable', 'ERR_INVALID_URL', 'the address is not a URL')
    return { errors: [error], reused: false, endedAt: performance.now() }
  }
  const { origin, pathname, search } = new URL(message.url)
  const timeout = message.timeout ?? target.timeout
  return dispatch(
    dispatcher,
    {
      origin,
      path: pathname + search,
      method: message.method,
      headers: message.headers.flat(),
      body: message.body ?? null,
    },
    {
      timeout,
      maxResponseSize: target.maxResponseSize,
      notConnected: () =>
        reaching() > 0
          ? new WireLimit('unreachable', 'ETIMEDOUT', `no connection within ${timeout / 1000} s`)
          : new WireLimit('timeout', 'TIMEOUT', `no TLS session within ${timeout / 1000} s`),
    },
  )
}

async function fill(exchange: Exchange, arrival: Arrival, limit: number): Promise<void> {
  if (!arrival.response) {
    exchange.failure = failureOf(arrival.errors)
    return
  }
  const { status, headers, body } = arrival.response
  try {
    const plain = await decoded(body, headers, limit)
    exchange.response = responseOf(status, headers, plain)
  } catch (error) {
    exchange.failure = failureOf([error as Error])
  }
}

function responseOf(status: number, headers: [string, string][], body: Buffer): WireResponse {
  const text = body.toString('utf8')
  const response: WireResponse = { status, headers, body: text, bytes: body.length }
  try {
    response.json = JSON.parse(text)
  } catch {
    // Not JSON: `json` stays absent, and whoever needs it says so.
  }
  return response
}
