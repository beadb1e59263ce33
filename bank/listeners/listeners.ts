import { randomBytes } from 'node:crypto'
import {
  createServer as createPlainServer,
  type Server as HttpServer,
  type RequestListener,
} from 'node:http'
import { createServer, Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Directory, secureOptions } from '../directory/directory.ts'
import type { ListenerName, Settings } from '../state/settings.ts'
import type { Identity } from './certificates.ts'
import { rememberConnections } from './connections.ts'
import { type Listener, listenersOf } from './endpoints.ts'
import { isBehindGateway } from './gateway.ts'

/** The open listeners of a bank. */
export interface Listeners {
  portOf(name: ListenerName): number
  /** The bank's own listener on a local port; undefined for the operator's. */
  at(port: number | undefined): Listener | undefined
  /** Uses another certificate from the next connection on, at every listener or at one. */
  present(server: Identity, at?: ListenerName): void
  /** When the connection of a request was accepted; only for its first request. */
  acceptedFor(socket: Socket): number | undefined
  /** Closes every idle connection. */
  cut(): void
  close(): Promise<void>
}

interface ListenerOptions {
  handle: RequestListener
  operator: HttpServer
  port?: number
  /** Called for each TLS connection whose handshake failed, with the address that was called. */
  onHandshakeFailure?: (problem: Error, socket: TLSSocket, address: string) => void
}

/**
 * Opens every listener on 127.0.0.1: those of the layout, which `handle` serves, and the operator's. With a base port
 * they use it and the following ones, unless a setting says otherwise. If one cannot be opened, all are closed.
 */
export async function openListeners(
  settings: Settings,
  directory: Directory,
  { handle, operator, port, onHandshakeFailure }: ListenerOptions,
): Promise<Listeners> {
  const listeners = listenersOf(settings)
  const secure = isBehindGateway(settings)
    ? () => plainListener(handle)
    : secureListener(settings, directory, handle)
  const servers: [ListenerName, HttpServer][] = [
    ...listeners.map((one): [ListenerName, HttpServer] => [one.name, secure(one)]),
    ['operator', operator],
  ]
  const { note, acceptedFor } = rememberConnections()
  for (const [, server] of servers) server.on('connection', note)
  const close = async () => {
    await Promise.all(servers.map(([, server]) => closed(server)))
  }
  const opened = await Promise.allSettled(
    servers.map(([name, server], index) =>
      listen(server, settings.ports[name] ?? (port ? port + index : 0)),
    ),
  )
  const failed = opened.find((one) => one.status === 'rejected')
  if (failed) {
    await close()
    throw failed.reason
  }
  const ports = new Map(
    servers.map(([name, server]) => [name, (server.address() as AddressInfo).port]),
  )
  for (const [name, server] of servers) {
    server.on('tlsClientError', (problem: Error, socket: TLSSocket) => {
      onHandshakeFailure?.(problem, socket, `https://127.0.0.1:${ports.get(name)}`)
    })
  }
  const byPort = new Map(listeners.map((one) => [ports.get(one.name), one]))
  return {
    portOf: (name) => ports.get(name) ?? 0,
    at: (local) => byPort.get(local),
    acceptedFor,
    present(server, at) {
      for (const [name, each] of servers) {
        if (each instanceof HttpsServer && (at ?? name) === name) {
          each.setSecureContext({
            ...commonOptions(settings, server),
            ca: directory.transportAuthorities,
          })
        }
      }
    },
    cut() {
      for (const [, each] of servers) if (each instanceof HttpsServer) each.closeIdleConnections()
    },
    close,
  }
}

/** A listener behind a gateway. It speaks HTTP, but marks connections as encrypted because clients use HTTPS. */
function plainListener(handle: RequestListener) {
  const server = createPlainServer(handle)
  return server.on('connection', (socket) => Object.assign(socket, { encrypted: true }))
}

function secureListener(settings: Settings, directory: Directory, handle: RequestListener) {
  const common = commonOptions(settings, directory.server)
  return ({ mutual, roles }: Listener) => {
    if (!mutual) return createServer(common, handle)
    const someWithout = roles.includes('token') && !settings.tokenEndpointMtls
    const rejectUnauthorized = settings.tlsRefusal === 'handshake' && !someWithout
    const asking = { ca: directory.transportAuthorities, requestCert: true, rejectUnauthorized }
    return createServer({ ...common, ...asking }, handle)
  }
}

/** New in every process, so that session tickets of an earlier process are not accepted. */
const SHARED_TICKET_KEYS = randomBytes(48)

function commonOptions(settings: Settings, server: Identity) {
  const { tlsMinVersion, tlsMaxVersion, sharedTlsSessions } = settings
  return {
    ...secureOptions(server),
    minVersion: tlsMinVersion,
    maxVersion: tlsMaxVersion,
    ...(sharedTlsSessions && { ticketKeys: SHARED_TICKET_KEYS }),
  }
}

function listen(server: HttpServer, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    follow(server)
    // Longer than any pause of a run: a connection that closes while it is in use looks like a fault.
    server.keepAliveTimeout = 120_000
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Connections of each server, including those whose handshake has not finished. */
const connections = new WeakMap<HttpServer, Set<Socket>>()

function follow(server: HttpServer): void {
  const open = new Set<Socket>()
  connections.set(server, open)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
}

function closed(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    for (const socket of connections.get(server) ?? []) socket.destroy()
  })
}
