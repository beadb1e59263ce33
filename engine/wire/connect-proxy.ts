import { type IncomingMessage, request } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

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
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const credentials = Buffer.from(pair).toString('base64')
  const open = protocol === 'https:' ? requestTls : request
  return new Promise((resolve, reject) => {
    const connect = open({
      host: hostname,
      port: port || (protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: to,
      headers: { host: to, ...(username && { 'proxy-authorization': `Basic ${credentials}` }) },
      agent: false,
      timeout,
    })
    const refused = ({ statusCode = 0 }: IncomingMessage, carrier: Readable) => {
      carrier.destroy()
      const error = new Error(`the proxy answered CONNECT with ${statusCode}`)
      reject(Object.assign(error, { code: `PROXY_${statusCode}` }))
    }
    connect.once('connect', (answer, socket) =>
      answer.statusCode === 200 ? resolve(socket) : refused(answer, socket),
    )
    connect.once('response', (answer) => refused(answer, answer))
    connect.once('timeout', () => connect.destroy(new Error('the proxy did not answer in time')))
    connect.once('error', reject)
    connect.end()
  })
}
