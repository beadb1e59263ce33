import { once } from 'node:events'
import { isIP } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { tunnel } from './connect-proxy.ts'
import { SPEAKS_NO_TLS } from './failure.ts'

/**
 * Opens a TLS session with a server; no request is sent on it. The caller must close it.
 *
 * @param origin https://host:port
 * @throws Error in words when the server is not reached or not trusted.
 */
export async function tlsSession(
  origin: string,
  {
    proxy,
    timeout,
    onTicket,
    ...offered
  }: ConnectionOptions & {
    proxy?: string | undefined
    timeout: number
    /** Called with each session that the server allows to resume. */
    onTicket?: (session: Buffer) => void
  },
): Promise<TLSSocket> {
  const { hostname, port, protocol } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const through = proxy && (await tunnel(proxy, { hostname, port, protocol }, timeout))
  const socket = connect({
    ...{ rejectUnauthorized: true, ...offered, host, port: Number(port || 443) },
    ...(through && { socket: through }),
    ...(isIP(host) === 0 && { servername: host }),
  })
  if (onTicket) socket.on('session', onTicket)
  // Errors after the first give no more information.
  socket.on('error', () => {})
  const late = AbortSignal.timeout(timeout)
  try {
    await once(socket, 'secureConnect', { signal: late })
    return socket
  } catch (error) {
    socket.destroy()
    const unanswered = `${origin} did not answer within ${timeout / 1000} s`
    throw new Error(late.aborted ? unanswered : inWords(origin, error as NodeJS.ErrnoException))
  }
}

const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ECONNRESET', 'EPIPE']

function inWords(origin: string, { code = '', message }: NodeJS.ErrnoException): string {
  if (SPEAKS_NO_TLS.test(code)) return `${origin} does not speak TLS`
  if (UNREACHED.includes(code)) return `${origin} was not reached: ${code}`
  return `the certificate of ${origin} is not trusted: ${message}`
}
