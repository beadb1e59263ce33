import { subscribe } from 'node:diagnostics_channel'
import {
  getDefaultAutoSelectFamilyAttemptTimeout,
  type Socket,
  setDefaultAutoSelectFamilyAttemptTimeout,
} from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { offered } from '../configuration/material.ts'
import type { TransportDocument } from '../configuration/target.ts'
import { tunnel } from './connect-proxy.ts'
import { withoutInterim } from './interim.ts'

/**
 * Milliseconds after which Node tries the next address of a name. Its own quarter of a second is too short for a distant
 * bank: where the next address is of IPv6, and this machine has none, the bank would seem to be away.
 */
const ATTEMPT = 1000

setDefaultAutoSelectFamilyAttemptTimeout(
  Math.max(ATTEMPT, getDefaultAutoSelectFamilyAttemptTimeout()),
)

/** Facts about one connection, for the exchanges that it carries. */
export interface SocketFacts {
  protocol?: string
  cipher?: string
  /** Errors in order of arrival; under TLS 1.3 they include a refused certificate. */
  errors: Error[]
  /** Settles when the socket is closed: no errors arrive after that. */
  closed: Promise<void>
  /** Number of requests written to it so far. */
  requests: number
  /** Called before a request is written: a response begins next. */
  expectResponse(): void
}

const facts = new WeakMap<Socket, SocketFacts>()

/** TLS facts and errors of a socket that a connector of this module created. */
export const factsOf = (socket: Socket) => facts.get(socket)

/**
 * Loads the certificate and key of an identity, once for all its connections.
 *
 * @throws Error of OpenSSL when they cannot be offered.
 */
export function contextOf(transport: TransportDocument = {}, trust?: string[]): SecureContext {
  return createSecureContext({ ...(trust && { ca: trust }), ...offered(transport) })
}

/**
 * An undici connector for one identity. Every connection makes a full handshake, except for sessions that are resumed
 * on purpose: a resumed session would show the certificate of an earlier connection. The connector's error listener is
 * the first on every socket, so that an alert after the handshake is not lost to the write that fails because of it.
 */
export function connector(options: {
  /** What an identity offers and trusts; see contextOf. */
  secureContext: SecureContext
  proxy: string | undefined
  /** If true, offers HTTP/2 in addition to HTTP/1.1 (ALPN). */
  allowH2: boolean
  /** Maximum time for opening a connection, TLS included, in milliseconds. */
  timeout: number
  /** Gives the session to resume for an origin instead of a full handshake. */
  resumed?: ((origin: string) => Promise<Buffer | undefined>) | undefined
  /** Called with true when a TCP connection begins, with false when it is open or has failed. */
  reaching(begun: boolean): void
}): buildConnector.connector {
  const { proxy, reaching, resumed, ...rest } = options
  // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
  const verified = { rejectUnauthorized: true, maxCachedSessions: 0 }
  const opening = (session?: Buffer): buildConnector.connector => {
    const connect = buildConnector({ ...rest, ...verified, ...(session && { session }) })
    return (target, callback) => {
      const reached = begin(reaching, target.httpSocket === undefined)
      // undici's connector returns the socket that it is connecting; its types do not say so.
      const socket = connect(target, (...[error, connected]) => {
        reached()
        if (error) return callback(error, null)
        const known = facts.get(connected)
        if (known && connected instanceof TLSSocket) {
          known.protocol = connected.getProtocol() ?? undefined
          known.cipher = connected.getCipher().name
        }
        callback(null, connected)
      }) as unknown as Socket
      socket.once('connect', reached)
      watch(socket)
    }
  }
  const direct = opening()
  const open: buildConnector.connector = (target, callback) => {
    if (!resumed) return direct(target, callback)
    const reached = begin(reaching, target.httpSocket === undefined)
    resumed(`${target.protocol}//${target.host}`)
      .finally(reached)
      .then((session) => opening(session)(target, callback))
  }
  if (proxy === undefined) return open
  return (target, callback) => {
    const reached = begin(reaching, true)
    tunnel(proxy, target, rest.timeout)
      .finally(reached)
      .then(
        (httpSocket) => open({ ...target, httpSocket }, callback),
        (error: Error) => callback(error, null),
      )
  }
}

/** Reports that a connection begins; the returned function reports, once, that it has ended. */
function begin(reaching: (begun: boolean) => void, direct: boolean): () => void {
  let pending = direct
  if (pending) reaching(true)
  return () => {
    if (pending) reaching(false)
    pending = false
  }
}

function watch(socket: Socket): void {
  const errors: Error[] = []
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.prependListener('error', (error) => errors.push(error))
  facts.set(socket, { errors, closed, requests: 0, expectResponse: withoutInterim(socket) })
}

let writing: ((socket: Socket) => void) | undefined

/**
 * Gives the listener the socket on which a request is written. undici announces the headers in the same turn in which
 * it started the request, so the request started last is the one announced.
 */
export function onNextWrite(listener: (socket: Socket) => void): void {
  writing = listener
}

subscribe('undici:client:sendHeaders', (message) => {
  const listener = writing
  writing = undefined
  listener?.((message as { socket: Socket }).socket)
})
