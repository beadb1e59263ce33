import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { offered } from '../configuration/material.ts'
import type { TransportDocument } from '../configuration/target.ts'
import { isObject, parsedJson } from '../record/json.ts'

/** Maximum bytes of a body: an address with a code and an ID token is far smaller. */
const MOST_BODY = 64 * 1024

/** A page, or an answer to a script. */
export type Reply =
  | { status: number; page: (nonce: string) => string }
  | { status: number; value: unknown }
  /** Redirects to another address. */
  | { status: 302; location: string }

/** Refuses a request. */
export function refusal(status: number, words: string): Reply {
  return { status, value: { words } }
}

/** Answers the requests that the guard lets through. */
export interface Handler {
  get(path: string): Reply | Promise<Reply>
  post(path: string, body: Record<string, unknown>): Reply
}

/**
 * A server that only this machine can reach and only its own pages may use. It refuses names that merely resolve to
 * loopback (DNS rebinding), requests from pages of other origins and bodies of more than 64 KiB. Nothing that it serves
 * is cached, and no referrer is sent.
 *
 * @param port 0: any free port.
 * @param identity its certificate; without one it speaks HTTP.
 */
export async function openLoopback(
  port: number,
  handler: Handler,
  identity?: TransportDocument,
): Promise<{ server: Server; origin: string }> {
  const scheme = identity ? 'https' : 'http'
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    replyTo(request, scheme, handler)
      .then((reply) => send(response, reply))
      // The body ended early or the sender is gone: there is nobody to answer.
      .catch(() => response.destroy())
  }
  const server = identity ? createSecureServer(offered(identity), listener) : createServer(listener)
  server.requestTimeout = 10_000
  server.headersTimeout = 10_000
  return { server, origin: await listenHere(server, port) }
}

/** Makes a server listen on this machine only, by default on any free port; returns its address. */
export async function listenHere(server: Server, port = 0): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function shut(server: Server): Promise<void> {
  const closed = once(server.close(), 'close')
  server.closeAllConnections()
  await closed
}

async function replyTo(request: IncomingMessage, scheme: string, handler: Handler): Promise<Reply> {
  const { method = '', headers, socket } = request
  const host = headers.host ?? ''
  // A browser omits the default port of the scheme.
  const usual = socket.localPort === (scheme === 'https' ? 443 : 80)
  const own = ['127.0.0.1', 'localhost'].flatMap((name) => [
    `${name}:${socket.localPort}`,
    ...(usual ? [name] : []),
  ])
  if (!own.includes(host)) return refusal(421, 'This is not an address of this page.')
  const path = (request.url ?? '/').split(/[?#]/, 1)[0] ?? '/'
  if (method === 'GET' || method === 'HEAD') return handler.get(path)
  if (method !== 'POST') return refusal(405, 'Only GET and POST are served.')
  const site = headers['sec-fetch-site']
  if (headers.origin !== `${scheme}://${host}` || (site !== undefined && site !== 'same-origin')) {
    return refusal(403, 'Only pages served from here may send something.')
  }
  // A form of another page cannot have this type: the browser would send a preflight request, which is refused.
  if (headers['content-type']?.split(';', 1)[0] !== 'application/json') {
    return refusal(415, 'The body must be JSON.')
  }
  const body = await bodyOf(request)
  if (body === undefined) return refusal(413, 'The body is larger than 64 KiB.')
  const value = parsedJson(body)
  return isObject(value)
    ? handler.post(path, value)
    : refusal(400, 'The body is not a JSON object.')
}

/** The body; undefined if it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MOST_BODY) return undefined
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += (part as Buffer).length
    if (bytes > MOST_BODY) return undefined
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString('utf8')
}

function send(response: ServerResponse, reply: Reply): void {
  const page = 'page' in reply
  const nonce = randomBytes(16).toString('base64')
  const own = page ? `'nonce-${nonce}'` : "'none'"
  const headers: Record<string, string> = {
    ...('location' in reply && { location: reply.location }),
    'content-type': page ? 'text/html; charset=utf-8' : 'application/json',
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${own}`,
      `style-src ${own}`,
      `connect-src ${page ? "'self'" : "'none'"}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    // The unread rest of a refused body would be taken for the next request.
    ...(reply.status >= 400 && { connection: 'close' }),
  }
  response.writeHead(reply.status, headers)
  if ('location' in reply) response.end()
  else response.end('page' in reply ? reply.page(nonce) : JSON.stringify(reply.value))
}
