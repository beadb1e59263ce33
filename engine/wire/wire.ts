import { Readable } from 'node:stream'
import type { Agent } from 'undici'
import type { Target } from '../configuration/resolve.ts'
import { heardTime, now } from '../record/clock.ts'
import { createBodies } from './bodies.ts'
import {
  canForge,
  canResume,
  FORGED,
  type Identity,
  openIdentity,
  RESUMED,
} from './client-certificate.ts'
import { decoded } from './decode.ts'
import { type Arrival, dispatch } from './dispatch.ts'
import type { About, Endpoint, Exchange } from './exchange.ts'
import { failureOf, WireLimit } from './failure.ts'
import { assertRoomFor } from './memory.ts'
import { originOf } from './origin.ts'
import { createBudget } from './rate-limiter.ts'
import { createRetries, type Retry } from './retry-after.ts'

/** One request as a sender gives it to the wire. */
export interface WireMessage {
  endpoint: Endpoint
  about?: About
  /** The client certificate that is offered: first, second, none, untrusted, forged, expired, resumed. */
  identity: string
  method: string
  url: string
  headers: [string, string][]
  body?: string
  /**
   * Certificate that is offered if the server shows nothing without one, where no sentence says whether it may ask for
   * one.
   */
  elseIdentity?: string
  /** In milliseconds; replaces the target's time-out. */
  timeout?: number
  /** Uses a new connection; otherwise one of the pool. */
  newConnection?: boolean
  /**
   * Retries after a temporary answer (429, 503 and their like), or after all of them except 429, honouring Retry-After.
   * Without it the first answer is final.
   */
  retry?: Retry
  /** Body of a retry, where the first body must not be sent twice. */
  renewed?: () => string
}

/** Sends requests to a target and reports them. */
export type Wire = ReturnType<typeof createWire>

type Listener = (exchange: Exchange) => unknown

/** Identities for which a target configures nothing. */
const ALWAYS = new Set(['none', 'untrusted', RESUMED])

/** One pool of connections to a target per identity. */
function createConnections(target: Target) {
  const agents = new Map<string, Promise<Identity>>()
  const bodies = createBodies()
  const turn = createBudget(target.requestsPerMinute)
  const forgeable = canForge(target)

  const identity = (name: string): Promise<Identity> => {
    if (!has(name)) throw new TypeError(`the target has no client certificate named ${name}`)
    const known = agents.get(name) ?? openIdentity(target, name)
    agents.set(name, known)
    return known
  }

  /** True if the target has a certificate of this name. */
  const has = (name: string): boolean =>
    ALWAYS.has(name) || (name === FORGED ? forgeable : target.transports[name] !== undefined)

  const once = async (given: WireMessage, id: string, fresh: boolean) => {
    const message = { ...given, headers: introduced(given.headers) }
    const { agentFor, oneConnection, inHttp2, reaching } = await identity(message.identity)
    const origin = originOf(message.url) ?? ''
    await turn()
    const started = now()
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
    await fill(exchange, arrival)
    return { exchange, reused: arrival.reused }
  }

  const fill = async (exchange: Exchange, { response, errors }: Arrival) => {
    if (!response) {
      exchange.failure = failureOf(errors)
      return
    }
    const { status, headers, body } = response
    try {
      const stated = (wanted: string) =>
        headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
      const announced = stated('content-length')
      if (announced !== undefined && body.length > 0 && body.length < Number(announced)) {
        // An HTTP/2 stream that is reset in its body ends like any other.
        const words = `${body.length} of ${announced} bytes of the body came`
        throw new WireLimit('closed', 'CONTENT_LENGTH', words)
      }
      const plain = await decoded(body, headers, target.maxResponseSize)
      assertRoomFor(plain.length)
      exchange.response = { status, headers, ...bodies.keep(plain, stated('content-type')) }
      const time = Date.parse(stated('date') ?? '')
      if (!Number.isNaN(time)) heardTime(time)
    } catch (error) {
      exchange.failure = failureOf([error as Error])
    }
  }

  return {
    identity,
    has,
    once,
    /** Closes every connection; unfinished requests end as a fault of Assay's own. */
    async close(): Promise<void> {
      const opened = await Promise.allSettled(agents.values())
      const agentsOpen = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      await Promise.all(agentsOpen.map((agent) => agent.destroy()))
    },
  }
}

/**
 * Opens the wire to a target: nothing is kept after it is closed.
 *
 * @param sent number of requests of the same run before it was interrupted.
 */
export function createWire(target: Target, sent = 0) {
  const { identity, has, once, close } = createConnections(target)
  const listeners = new Set<Listener>()
  const askedBefore = new Set<(message: WireMessage) => void>()
  const retries = createRetries()
  /** Listeners that cut connections with such a certificate, by identity: shown by one retry and answers around it. */
  const cutsAlways = new Set<string>()
  let requests = sent

  const nextId = () => {
    requests += 1
    return `x${requests}`
  }

  const tell = async (exchange: Exchange) => {
    for (const listener of listeners) await listener(exchange)
    return exchange
  }

  const repeat = async (message: WireMessage, exchange: Exchange, fresh = false) => {
    exchange.retriedBy = nextId()
    await tell(exchange)
    return once(message, exchange.retriedBy, fresh)
  }

  /** Origins that show nothing to a client without a certificate. */
  const wantCertificates = new Set<string>()

  /** Sends in the version of HTTP that the server speaks, and with a certificate where it asks for one. */
  const adapted = async (message: WireMessage) => {
    const origin = originOf(message.url) ?? ''
    const { elseIdentity } = message
    const wants = elseIdentity !== undefined && wantCertificates.has(origin)
    const asked = wants ? { ...message, identity: elseIdentity } : message
    let sent = await once(asked, nextId(), message.newConnection === true)
    if (speaksOtherwise(sent.exchange)) {
      ;(await identity(asked.identity)).speaksHttp2(origin)
      sent = await repeat(asked, sent.exchange)
    }
    if (elseIdentity !== undefined && !wants && wantsCertificate(sent.exchange)) {
      sent = await repeat({ ...message, identity: elseIdentity }, sent.exchange)
      if (sent.exchange.response) wantCertificates.add(origin)
    }
    return sent
  }

  return {
    /**
     * Sends one request. Nothing that the network or the bank does makes it throw.
     *
     * @throws what a listener of onRequest throws, and then nothing was sent; OwnTrouble where the request could not be
     *   sent because of Assay itself.
     */
    async send(message: WireMessage): Promise<Exchange> {
      for (const listener of askedBefore) listener(message)
      let sent = await adapted(message)
      const place = `${originOf(message.url)} ${message.identity}`
      const again = sent.reused || (repeatable(message) && !cutsAlways.has(place))
      if (sent.exchange.failure?.kind === 'closed' && again) {
        // The server closed an idle connection just when the request was sent, or the connection was cut once: a second
        // cut is not chance.
        sent = await repeat(renewed(message), sent.exchange, true)
        sent.exchange.afterCut = true
        const { response } = sent.exchange
        if (!repeatable(message) && (response?.status ?? 0) >= 400) {
          sent.exchange.unavailable = `answered ${response?.status} to a request whose first sending was cut: the bank may have taken that one`
        }
      }
      const earlier: Exchange[] = []
      while (isRepeated(message, sent.exchange)) {
        const wait = retries.waitBefore(sent.exchange, earlier.length + 1)
        if (wait === undefined) break
        await new Promise((resolve) => setTimeout(resolve, wait))
        earlier.push(sent.exchange)
        sent = await repeat(renewed(message), sent.exchange)
      }
      if (isRepeated(message, sent.exchange)) retries.settle(sent.exchange, earlier)
      const exchange = await tell(sent.exchange)
      if (exchange.failure?.alone && REFUSED.has(message.identity)) cutsAlways.add(place)
      return exchange
    },
    /** Calls the listener before every request; returns a function that stops this. */
    onRequest(listener: (message: WireMessage) => void): () => void {
      askedBefore.add(listener)
      return () => askedBefore.delete(listener)
    },
    /**
     * Calls the listener with every exchange, retries included, and awaits its result before the sender gets the
     * exchange; returns a function that stops this.
     */
    onExchange(listener: Listener): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    has,
    /** True if there is a TLS session that the identity `resumed` can resume. */
    canResume: () => canResume(target),
    /** Number of requests sent so far. */
    get requests() {
      return requests
    },
    close,
  }
}

/** The message for a retry. */
function renewed(message: WireMessage): WireMessage {
  return { ...message, body: message.renewed?.() ?? message.body }
}

/** True if a message is sent again where its answer asks for that. */
function isRepeated({ retry }: WireMessage, { response }: Exchange): boolean {
  return retry === 'not-429' ? response?.status !== 429 : retry === true
}

/** True if the server refused HTTP/1.1 and so speaks only HTTP/2. RFC 7301: no_application_protocol. */
function speaksOtherwise({ failure }: Exchange): boolean {
  return /NO_APPLICATION_PROTOCOL|alert number 120/.test(`${failure?.code} ${failure?.message}`)
}

/** 400, 495 and 496 are nginx's statuses for a certificate that was not sent. */
const WITHOUT_CERTIFICATE = [400, 401, 403, 495, 496]

function wantsCertificate({ response, failure }: Exchange): boolean {
  if (response) return WITHOUT_CERTIFICATE.includes(response.status)
  return failure?.kind === 'tls-alert' || failure?.kind === 'closed'
}

/** True if the request changes nothing at the bank, or is refused for its certificate before it is read. */
function repeatable({ method, identity }: WireMessage): boolean {
  return method === 'GET' || method === 'HEAD' || REFUSED.has(identity)
}

/** Certificates that no bank accepts. */
const REFUSED = new Set(['none', 'untrusted', FORGED, 'expired', RESUMED])

async function arrive(
  dispatcher: Agent,
  message: WireMessage,
  target: Target,
  reaching: () => number,
  http2: boolean,
): Promise<Arrival> {
  const unsent = (code: string, words: string): Arrival => {
    const errors = [new WireLimit('unreachable', code, words)]
    return { errors, reused: false, endedAt: performance.now() }
  }
  const { url, method, headers, body = null, timeout = target.timeout } = message
  if (!URL.canParse(url)) return unsent('ERR_INVALID_URL', 'the address is not a URL')
  // undici ends the stream of a GET with its headers.
  if (http2 && method === 'GET' && body) {
    const words = 'the server speaks HTTP/2 alone, in which this client sends no GET with a body'
    return unsent('ERR_HTTP2_GET_WITH_BODY', words)
  }
  const { origin, pathname, search } = new URL(url)
  const framing = headers.filter(([name]) => name.toLowerCase() === 'transfer-encoding')
  const request = {
    ...{ origin, path: pathname + search, method },
    // undici writes this header itself, before a body whose length it does not know.
    headers: headers.filter((line) => !framing.includes(line)).flat(),
    body: body !== null && framing.length > 0 ? Readable.from([body]) : body,
  }
  return dispatch(dispatcher, request, {
    timeout,
    maxResponseSize: target.maxResponseSize,
    notConnected: () =>
      reaching() > 0
        ? new WireLimit('unreachable', 'ETIMEDOUT', `no connection within ${timeout / 1000} s`)
        : new WireLimit('timeout', 'TIMEOUT', `no TLS session within ${timeout / 1000} s`),
  })
}

/** Adds a User-Agent where none is given (RFC 9110 10.1.5): firewalls reject requests without one. */
function introduced(headers: [string, string][]): [string, string][] {
  const named = headers.some(([name]) => name.toLowerCase() === 'user-agent')
  return named ? headers : [...headers, ['User-Agent', 'Assay']]
}
