import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Socket } from 'node:net'

/** What a proxy said instead of opening a tunnel. */
export class ProxyError extends Error {
  readonly code: string

  constructor(status: number) {
    super(`the proxy answered CONNECT with ${status}`)
    this.code = `PROXY_${status}`
  }
}

/**
 * Opens a tunnel to a host through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6). The identity's
 * own TLS runs inside of it: the proxy sees neither certificate nor request.
 *
 * @param proxy http://user:password@host:port
 */
export function tunnel(
  proxy: string,
  target: { hostname: string; port: string; protocol: string },
  timeout: number,
): Promise<Socket> {
  const { protocol, hostname, port, username, password } = new URL(proxy)
  const to = `${target.hostname}:${target.port || (target.protocol === 'https:' ? 443 : 80)}`
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const open = protocol === 'https:' ? requestTls : request
  return new Promise((resolve, reject) => {
    const connect = open({
      host: hostname,
      port: port || (protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: to,
      headers: {
        host: to,
        ...(username && {
          'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
        }),
      },
      agent: false,
      timeout,
    })
    connect.once('connect', (answer, socket) => {
      if (answer.statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new ProxyError(answer.statusCode ?? 0))
    })
    connect.once('response', (answer) => {
      answer.destroy()
      reject(new ProxyError(answer.statusCode ?? 0))
    })
    connect.once('timeout', () => connect.destroy(new Error('the proxy did not answer in time')))
    connect.once('error', reject)
    connect.end()
  })
}
