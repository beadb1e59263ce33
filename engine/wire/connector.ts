import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { offered } from '../configuration/material.ts'
import type { TransportDocument } from '../configuration/target.ts'
import { tunnel } from './connect-proxy.ts'
import { withoutInterim } from './interim.ts'

/** What is remembered of one connection, for the exchanges that it carries. */
export interface SocketFacts {
  protocol?: string
  cipher?: string
  /** Errors in order of arrival; under TLS 1.3 a refused certificate is one of them. */
  errors: Error[]
  /** Settles when the socket is closed: no more errors arrive after it. */
  closed: Promise<void>
  /** Requests written to it so far. */
  requests: number
  /** Called before a request is written: a response begins next. */
  expectResponse(): void
}

const facts = new WeakMap<Socket, SocketFacts>()

/** TLS facts and errors of a socket that a connector of this module made. */
export const factsOf = (socket: Socket) => facts.get(socket)

/**
 * Reads the certificate and key of an identity, once for all its connections.
 *
 * @throws Error of OpenSSL when they cannot be offered.
 */
export function contextOf(transport: TransportDocument = {}, trust?: string[]): SecureContext {
  return createSecureContext({ ...(trust && { ca: trust }), ...offered(transport) })
}

/**
 * A connector of undici for one identity. Every connection is a full handshake, but for sessions that
 * are resumed on purpose: one would show the certificate of an earlier connection. An error listener of its own is the first on every
 * socket, so that an alert after the handshake is not lost to the write that fails because of it.
 */
export function connector(options: {
  /** What an identity offers and trusts; see contextOf. */
  secureContext: SecureContext
  proxy: string | undefined
  /** Offer HTTP/2 beside HTTP/1.1 (ALPN)? */
  allowH2: boolean
  /** Milliseconds for a connection to stand, TLS included. */
  timeout: number
  /** A session for an origin that is resumed instead of a full handshake. */
  resumed?: ((origin: string) => Promise<Buffer | undefined>) | undefined
  /** Called with true when a TCP connection begins, with false when it stands or has failed. */
  reaching(begun: boolean): void
}): buildConnector.connector {
  const { proxy, reaching, resumed, ...rest } = options
  // Said outright, since NODE_TLS_REJECT_UNAUTHORIZED changes the default.
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

/** Says that a connection begins, and returns how to say, once, that it no longer does. */
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
 * Tells the socket on which a request is written. undici announces the headers in the same turn in
 * which it started the request, so the last one started is the one announced.
 */
export function onNextWrite(listener: (socket: Socket) => void): void {
  writing = listener
}

subscribe('undici:client:sendHeaders', (message) => {
  const listener = writing
  writing = undefined
  listener?.((message as { socket: Socket }).socket)
})
