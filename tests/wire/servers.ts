import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer as createHttps, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net'
import { createServer as createTls, type TlsOptions } from 'node:tls'

/** A server of a test on loopback, and how to end it with all its connections. */
export interface Running {
  port: number
  url: string
  close(): Promise<void>
}

export function https(options: ServerOptions, listener: RequestListener): Promise<Running> {
  return run(createHttps(options, listener), 'https')
}

/** TLS, and below it whatever the test wants to say. */
export function rawTls(options: TlsOptions, listener: (socket: Socket) => void): Promise<Running> {
  return run(
    createTls(options, (socket) => {
      socket.on('error', () => {})
      listener(socket)
    }),
    'https',
  )
}

export function tcp(listener: (socket: Socket) => void, scheme = 'https'): Promise<Running> {
  return run(
    createTcp((socket) => {
      socket.on('error', () => {})
      listener(socket)
    }),
    scheme,
  )
}

/** Listens on a free port of loopback. */
export async function run(server: Server, scheme: string): Promise<Running> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
