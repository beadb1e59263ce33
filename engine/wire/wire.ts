import type { Agent } from 'undici'
import type { Target } from '../configuration/resolve.ts'
import { type Bodies, createBodies } from './bodies.ts'
import { type Identity, openIdentity } from './client-certificate.ts'
import { decoded } from './decode.ts'
import { type Arrival, dispatch } from './dispatch.ts'
import type { About, Endpoint, Exchange } from './exchange.ts'
import { cutShort, failureOf, WireLimit } from './failure.ts'
import { assertRoomFor } from './memory.ts'
import { createBudget } from './rate-limiter.ts'
import { createRetries, type Retry } from './retry-after.ts'

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
  /**
   * Certificate that is offered where the server shows nothing without one, and no sentence says
   * whether it may ask for one.
   */
  elseIdentity?: string
  /** Milliseconds, instead of the target's. */
  timeout?: number
  /**
   * Repeat after 429, 502, 503 and 504, or after all of them but 429, honouring Retry-After. Without it
   * the answer is taken as it comes.
   */
  retry?: Retry
  /** Body of a repeat, where the first must not be sent twice. */
  renewed?: () => string
}

export interface Wire {
  /**
   * Sends one request. It never throws for anything that the network or the bank does.
   *
   * @throws what a listener of onRequest throws, and then nothing was sent; OwnTrouble where the
   *   request could not be sent for a reason of ours.
   */
  send(message: WireMessage): Promise<Exchange>
  /** Calls the listener before every request; returns how to stop that. */
  onRequest(listener: (message: WireMessage) => void): () => void
  /**
   * Calls the listener with every exchange, repeats included, and waits for what it returns before
   * the sender has the exchange; returns how to stop that.
   */
  onExchange(listener: Listener): () => void
  /** Whether the target gives a certificate of this name. */
  has(identity: string): boolean
  /** Requests sent so far. */
  readonly requests: number
  /** Closes every connection; what is under way ends as trouble of our own. */
  close(): Promise<void>
}

type Listener = (exchange: Exchange) => unknown

/**
 * Opens the wire to a target: one pool of connections per identity, nothing retained after.
 *
 * @param sent requests of the same run before it was interrupted.
 */
export function createWire(target: Target, sent = 0): Wire {
  const agents = new Map<string, Promise<Identity>>()
  const listeners = new Set<Listener>()
  const askedBefore = new Set<(message: WireMessage) => void>()
  const bodies = createBodies()
  const turn = createBudget(target.requestsPerMinute)
  const retries = createRetries()
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

  const once = async (given: WireMessage, id: string, fresh: boolean) => {
    const message = { ...given, headers: introduced(given.headers) }
    const { agentFor, oneConnection, inHttp2, reaching } = await identity(message.identity)
    const origin = originOf(message.url)
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
    const dispatcher = fresh ? oneConnection(origin) : agentFor(origin)
    const arrival = await arrive(dispatcher, message, target, reaching, inHttp2(origin))
    if (fresh) void dispatcher.close()
    exchange.durationMs = Math.round((arrival.endedAt - clock) * 1000) / 1000
    const { protocol, cipher } = arrival.socket ?? {}
    if (protocol) exchange.connection = { protocol, cipher, identity: message.identity }
    await fill(exchange, arrival, target.maxResponseSize, bodies)
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

  /** Origins that show nothing to a client without a certificate. */
  const wantCertificates = new Set<string>()

  /** Sends in the version of HTTP that the server speaks, and with a certificate where it wants one. */
  const adapted = async (message: WireMessage) => {
    const origin = originOf(message.url)
    const { elseIdentity } = message
    const wants = elseIdentity !== undefined && wantCertificates.has(origin)
    let asked = wants ? { ...message, identity: elseIdentity } : message
    let sent = await once(asked, nextId(), false)
    if (speaksOtherwise(sent.exchange)) {
      ;(await identity(asked.identity)).speaksHttp2(origin)
      sent = await repeat(asked, sent.exchange, false)
    }
    if (elseIdentity !== undefined && !wants && wantsCertificate(sent.exchange)) {
      asked = { ...message, identity: elseIdentity }
      const second = await repeat(asked, sent.exchange, false)
      if (second.exchange.response) wantCertificates.add(origin)
      sent = second
    }
    return sent
  }

  return {
    async send(message) {
      for (const listener of askedBefore) listener(message)
      let sent = await adapted(message)
      if (sent.exchange.failure?.kind === 'closed' && (sent.reused || repeatable(message))) {
        // The server closed an idle connection just as the request was on its way to it, or the line
        // was cut once: what is cut again was not cut by chance.
        const body = message.renewed?.() ?? message.body
        sent = await repeat({ ...message, body }, sent.exchange, true)
        sent.exchange.afterCut = true
        const { response } = sent.exchange
        if (!repeatable(message) && (response?.status ?? 0) >= 400) {
          sent.exchange.unavailable = `answered ${response?.status} to a request whose first sending was cut: the bank may have taken that one`
        }
      }
      const asItComes = ({ response }: Exchange) =>
        !message.retry || (message.retry === 'not-429' && response?.status === 429)
      const earlier: Exchange[] = []
      while (!asItComes(sent.exchange)) {
        const wait = retries.waitBefore(sent.exchange, earlier.length + 1)
        if (wait === undefined) break
        await new Promise((resolve) => setTimeout(resolve, wait))
        earlier.push(sent.exchange)
        const body = message.renewed?.() ?? message.body
        sent = await repeat({ ...message, body }, sent.exchange, false)
      }
      if (!asItComes(sent.exchange)) retries.settle(sent.exchange, earlier)
      return tell(sent.exchange)
    },
    onRequest(listener) {
      askedBefore.add(listener)
      return () => askedBefore.delete(listener)
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
      const agentsOpen = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      await Promise.all(agentsOpen.map((agent) => agent.destroy()))
    },
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

/** Did the server refuse HTTP/1.1, and so speak HTTP/2 alone? RFC 7301: no_application_protocol. */
function speaksOtherwise({ failure }: Exchange): boolean {
  return /NO_APPLICATION_PROTOCOL|alert number 120/.test(`${failure?.code} ${failure?.message}`)
}

/** 400, 495 and 496 are nginx's words for a certificate that was not sent. */
const WITHOUT_CERTIFICATE = [400, 401, 403, 495, 496]

function wantsCertificate({ response, failure }: Exchange): boolean {
  if (response) return WITHOUT_CERTIFICATE.includes(response.status)
  return failure?.kind === 'tls-alert' || failure?.kind === 'closed'
}

/** Does it change nothing at the bank, or is it refused for its certificate before it is read? */
function repeatable({ method, identity }: WireMessage): boolean {
  return method === 'GET' || method === 'HEAD' || REFUSED.has(identity)
}

/** Certificates that no bank takes. */
const REFUSED = new Set(['none', 'untrusted', 'expired'])

async function arrive(
  dispatcher: Agent,
  message: WireMessage,
  target: Target,
  reaching: () => number,
  http2: boolean,
): Promise<Arrival> {
  if (!URL.canParse(message.url)) {
    const error = new WireLimit('unreachable', 'ERR_INVALID_URL', 'the address is not a URL')
    return { errors: [error], reused: false, endedAt: performance.now() }
  }
  // undici ends the stream of a GET with its headers.
  if (http2 && message.method === 'GET' && message.body) {
    const words = 'the server speaks HTTP/2 alone, in which this client sends no GET with a body'
    const error = new WireLimit('unreachable', 'ERR_HTTP2_GET_WITH_BODY', words)
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

/** With a User-Agent where none is given (RFC 9110 10.1.5): firewalls turn away what has none. */
function introduced(headers: [string, string][]): [string, string][] {
  const named = headers.some(([name]) => name.toLowerCase() === 'user-agent')
  return named ? headers : [...headers, ['User-Agent', 'Assay']]
}

async function fill(
  exchange: Exchange,
  arrival: Arrival,
  limit: number,
  bodies: Bodies,
): Promise<void> {
  if (!arrival.response) {
    exchange.failure = failureOf(arrival.errors)
    return
  }
  const { status, headers, body } = arrival.response
  try {
    const announced = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1]
    if (announced !== undefined && body.length > 0 && body.length < Number(announced)) {
      throw cutShort(body.length, announced)
    }
    const plain = await decoded(body, headers, limit)
    assertRoomFor(plain.length)
    exchange.response = { status, headers, ...bodies.keep(plain) }
  } catch (error) {
    exchange.failure = failureOf([error as Error])
  }
}
