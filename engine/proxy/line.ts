import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Agent } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect, type SecureContext, type TLSSocket } from 'node:tls'
import type { Target } from '../configuration/resolve.ts'
import { tunnel } from '../wire/connect-proxy.ts'
import { WireLimit } from '../wire/failure.ts'
import { bracketed, partsOf } from './host-and-port.ts'

/** Maximum bytes of headers: an authorisation request carries a signed object in its address. */
export const MOST_HEADERS = 128 * 1024

/** The connection to the bank that belongs to one connection of a client. */
export type Line = ReturnType<typeof openLine>

/** A request on its way to the bank, and its errors in order of arrival. */
export interface Outgoing {
  request: ClientRequest
  errors: Error[]
  /** Resolves when no more errors can come. */
  settled(): Promise<void>
}

/**
 * Opens the connection to the bank for one connection of a client. So the bank sees what the client does on one
 * connection also on one connection, with one certificate. It connects with the first request.
 *
 * @param authority host and port, as the client requested them
 * @param onIdleClose called when the bank has closed the connection and no request is under way
 */
export function openLine(
  authority: string,
  context: SecureContext,
  { proxy, timeout }: Pick<Target, 'proxy' | 'timeout'>,
  onIdleClose: () => void,
) {
  const { host, port } = partsOf(authority)
  const servername = isIP(host) ? '' : host
  const secure = { secureContext: context, servername, ALPNProtocols: ['http/1.1'] }
  const agent = new Agent({
    ...{ keepAlive: true, maxSockets: 1, maxCachedSessions: 0, rejectUnauthorized: true },
    ...secure,
  })
  if (proxy !== undefined) throughProxy(agent, proxy, host, port, timeout)
  const known = new WeakMap<Socket, Error[]>()
  let busy = 0
  let isClosed = false

  const watch = (socket: Socket): Error[] => {
    const before = known.get(socket)
    if (before) return before
    const errors: Error[] = []
    known.set(socket, errors)
    // Before Node's own listener, so that an alert after the first error is not lost.
    socket.prependListener('error', (error) => errors.push(error))
    isClosed = false
    socket.once('close', () => {
      isClosed = true
      if (busy === 0) onIdleClose()
    })
    return errors
  }

  return {
    /**
     * Sends the head of a request as it came. The caller writes the body, and calls `answered` at the end.
     *
     * @throws Error of Node if its writer refuses the head
     */
    send({ method, url, rawHeaders }: IncomingMessage): Outgoing {
      busy += 1
      const outgoing = request({
        ...{ protocol: 'https:', agent, host, port, method, path: url },
        headers: framed(method, rawHeaders),
        maxHeaderSize: MOST_HEADERS,
      })
      const errors: Error[] = []
      let socket: Socket | undefined
      outgoing.once('socket', (taken) => {
        socket = taken
        watch(taken)
      })
      outgoing.on('error', (error) => errors.push(error))
      outgoing.setTimeout(timeout, () => {
        const words = `no answer within ${timeout / 1000} s`
        outgoing.destroy(new WireLimit('timeout', 'TIMEOUT', words))
      })
      return {
        request: outgoing,
        get errors() {
          return [...new Set([...(socket ? (known.get(socket) ?? []) : []), ...errors])]
        },
        settled: () =>
          new Promise((resolve) => {
            if (!socket || socket.closed) setImmediate(resolve)
            else socket.once('close', () => resolve())
          }),
      }
    },
    /** Call this when the client has its answer, whatever that is. */
    answered(): void {
      busy -= 1
      // The bank closed the connection after its answer.
      if (busy === 0 && isClosed) onIdleClose()
    },
    close: () => agent.destroy(),
  }
}

const FRAMING = /^(?:content-length|transfer-encoding)$/i

/** If a POST has an empty body and no length, Node would send it as a body of unknown length. */
function framed(method = '', rawHeaders: string[]): string[] {
  const isFramed = rawHeaders.some((name, at) => at % 2 === 0 && FRAMING.test(name))
  const mayHaveNone = isFramed || /^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/.test(method)
  return mayHaveNone ? rawHeaders : [...rawHeaders, 'Content-Length', '0']
}

/** Makes an agent connect through the proxy of the target file. */
function throughProxy(agent: Agent, proxy: string, host: string, port: number, timeout: number) {
  type Opened = (error: Error | null, socket?: TLSSocket) => void
  const createConnection = (options: object, opened: Opened) => {
    tunnel(proxy, { hostname: bracketed(host), port: String(port), protocol: 'https:' }, timeout)
      .then((socket) => opened(null, connect({ ...options, socket })))
      .catch((error: Error) => opened(error))
  }
  Object.assign(agent, { createConnection })
}
