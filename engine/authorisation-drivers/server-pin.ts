import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { tunnel } from '../wire/connect-proxy.ts'

/**
 * Connects to a server, verifies its certificate against the target's trust and its name, and gives
 * the SHA-256 of its public key (SPKI, base64): what a Chromium may be told to accept.
 *
 * @param origin https://host:port
 * @throws Error in words when the server is not reached or not trusted.
 */
export async function serverPin(
  origin: string,
  options: { trust?: string[]; proxy?: string; timeout: number },
): Promise<string> {
  const { trust, proxy, timeout } = options
  const { hostname, port, protocol } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const server = { hostname, port, protocol }
  const socket = connect({
    host,
    port: Number(port || 443),
    ...(proxy !== undefined && { socket: await tunnel(proxy, server, timeout) }),
    ...(trust && { ca: trust }),
    ...(isIP(host) === 0 && { servername: host }),
  })
  // What comes after the first error says nothing more.
  socket.on('error', () => {})
  const late = AbortSignal.timeout(timeout)
  const unanswered = `${origin} did not answer within ${timeout / 1000} s`
  try {
    await once(socket, 'secureConnect', { signal: late }).catch((error: NodeJS.ErrnoException) => {
      throw new Error(late.aborted ? unanswered : inWords(origin, error))
    })
    const key = socket.getPeerX509Certificate()?.publicKey
    if (!key) throw new Error(`${origin} showed no certificate`)
    const spki = key.export({ type: 'spki', format: 'der' })
    return createHash('sha256').update(spki).digest('base64')
  } finally {
    socket.destroy()
  }
}

const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ECONNRESET', 'EPIPE']

function inWords(origin: string, { code = '', message }: NodeJS.ErrnoException): string {
  if (UNREACHED.includes(code)) return `${origin} was not reached: ${code}`
  return `the certificate of ${origin} is not trusted: ${message}`
}
