import type { Socket } from 'node:net'
import { Client } from 'undici'
import { percentDecoded } from '../record/percent.ts'

/**
 * Opens a tunnel to a host through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6). The identity's own TLS runs inside
 * it: the proxy sees neither certificate nor request.
 *
 * @param proxy http://user:password@host:port
 */
export async function tunnel(
  proxy: string,
  target: { hostname: string; port: string; protocol: string },
  timeout: number,
): Promise<Socket> {
  const { origin, username, password } = new URL(proxy)
  const path = `${target.hostname}:${target.port || (target.protocol === 'https:' ? 443 : 80)}`
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`
  const credentials = `Basic ${Buffer.from(pair).toString('base64')}`
  const headers = { host: path, ...(username && { 'proxy-authorization': credentials }) }
  const signal = AbortSignal.timeout(timeout)
  const client = new Client(origin, {
    connectTimeout: timeout,
    connect: { rejectUnauthorized: true },
  })
  const answer = await client.connect({ path, headers, signal }).catch((error) => {
    // Requests that wait for this tunnel may end with it before their own time is over.
    const late = new Error('the proxy did not answer in time')
    throw signal.aborted ? Object.assign(late, { code: 'ETIMEDOUT' }) : error
  })
  if (answer.statusCode >= 200 && answer.statusCode < 300) return answer.socket as Socket
  answer.socket.destroy()
  const error = new Error(`the proxy answered CONNECT with ${answer.statusCode}`)
  throw Object.assign(error, { code: `PROXY_${answer.statusCode}` })
}
