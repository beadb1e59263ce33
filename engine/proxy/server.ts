import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Target } from '../configuration/resolve.ts'
import { tunnel } from '../wire/connect-proxy.ts'
import type { Authority } from './authority.ts'
import { openCopies } from './copies.ts'
import { answerPlainly, forward, type Passed } from './forward.ts'
import { authorityOf, bracketed, partsOf } from './host-and-port.ts'
import type { Hosts } from './hosts.ts'
import { openIdentities } from './identities.ts'
import { type Line, MOST_HEADERS, openLine } from './line.ts'

/** Maximum bytes of bodies that are kept for judging: of one body, and of all that wait. */
const MOST_COPIED = 16 * 1024 * 1024
const MOST_HELD = 256 * 1024 * 1024

/** An event other than a request that passed. */
export type Beside =
  /** A tunnel or request to a host that is not the target's. */
  | { kind: 'refused'; authority: string }
  /** A client ended the handshake with the proxy, usually because it does not trust the proxy's authority. */
  | { kind: 'handshake'; authority: string; code: string; message: string }
  /** A certificate whose key the target file does not have. */
  | { kind: 'stranger'; authority: string; subject: string }
  | { kind: 'passed-unread'; authority: string }

export interface ProxyParts {
  target: Target
  authority: Authority
  hosts: Hosts
  host: string
  /** 0: any free port. */
  port: number
  onPassed(passed: Passed): void
  onBeside(beside: Beside): void
}

/** A proxy that reads the traffic to the hosts of a target, and reaches nothing else. */
export type Proxy = Awaited<ReturnType<typeof openProxy>>

/**
 * Opens a proxy for clients that request tunnels (CONNECT, RFC 9110 9.3.6). It terminates their TLS with a certificate
 * of its authority, and opens its own TLS to the bank: with the TPP's certificate if the client shows that, without one
 * if the client shows none. It speaks HTTP/1.1 on both sides.
 */
export async function openProxy(parts: ProxyParts) {
  const { authority, hosts, onBeside } = parts
  const open = new Set<Socket>()
  const readers = readersOf(parts)
  const server = createServer({ maxHeaderSize: MOST_HEADERS }, (request, response) => {
    answerOwn(request, response, { hosts, authority, onBeside })
  })
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
  })
  server.on('connect', async (request: IncomingMessage, socket: Socket, head: Buffer) => {
    await hosts.settled()
    const wanted = authorityOf(request.url ?? '')
    const how = wanted === undefined ? undefined : hosts.of(wanted)
    if (wanted === undefined || how === undefined) {
      onBeside({ kind: 'refused', authority: wanted ?? 'no host and port' })
      refuseTunnel(socket, '403 Forbidden', notOfTheTarget(wanted ?? 'this'))
      return
    }
    // A client that sends data before the reply cannot know whether the tunnel exists.
    if (head.length > 0) return void socket.destroy()
    if (how === 'pass') return passUnread(parts, wanted, socket)
    standing(socket)
    readers.read(wanted, socket)
  })
  await once(server.listen(parts.port, parts.host), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${bracketed(parts.host)}:${port}`,
    port,
    async close() {
      const closed = once(server.close(), 'close')
      for (const socket of open) socket.destroy()
      readers.close()
      await closed
    },
  }
}

const standing = (socket: Socket) => socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')

const notOfTheTarget = (authority: string) =>
  `${authority} is none of the target’s hosts. Leave it out of the client’s proxy (NO_PROXY), or name it with --pass`

function refuseTunnel(socket: Socket, status: string, words: string): void {
  const text = `assay proxy: ${words}.\n`
  const head = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}`
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\nconnection: close\r\n\r\n${text}`)
}

/** Terminates the TLS of clients, with a separate certificate for each authority. */
function readersOf(parts: ProxyParts) {
  const { target, authority, onBeside, onPassed } = parts
  const identities = openIdentities(target)
  const copies = openCopies(Math.min(MOST_COPIED, target.maxResponseSize), MOST_HELD)
  const lines = new WeakMap<Socket, { line: Line; identity: ReturnType<typeof identities.of> }>()
  const readers = new Map<string, Promise<HttpsServer>>()

  const lineOf = (socket: TLSSocket, wanted: string) => {
    const before = lines.get(socket)
    if (before) return before
    const identity = identities.of(socket.getPeerX509Certificate())
    const made = identity && {
      identity,
      line: openLine(wanted, identity.context, target, () => socket.end()),
    }
    if (!made) return undefined
    socket.once('close', () => made.line.close())
    lines.set(socket, made)
    return made
  }

  const handle = (wanted: string) => (request: IncomingMessage, response: ServerResponse) => {
    const socket = request.socket as TLSSocket
    const known = lineOf(socket, wanted)
    if (known?.identity) {
      const { line, identity } = known
      return forward(
        { request, response },
        { line, identity, authority: wanted },
        copies.begin,
        onPassed,
      )
    }
    const subject = socket.getPeerX509Certificate()?.subject.replaceAll('\n', ', ') ?? ''
    onBeside({ kind: 'stranger', authority: wanted, subject })
    answerPlainly(response, 502, strangerWords(subject))
  }

  const made = async (wanted: string) => {
    const server = createSecureServer(
      {
        ...(await authority.issue(partsOf(wanted).host)),
        ...{ requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
        ...{ ALPNProtocols: ['http/1.1'], maxHeaderSize: MOST_HEADERS },
      },
      handle(wanted),
    )
    // The bank decides how long a connection stays open and whether it wants a body.
    server.keepAliveTimeout = 0
    server.requestTimeout = 0
    server.on('checkContinue', handle(wanted))
    server.on('tlsClientError', ({ code = '', message }: NodeJS.ErrnoException) =>
      onBeside({ kind: 'handshake', authority: wanted, code, message }),
    )
    return server
  }

  return {
    read(wanted: string, socket: Socket): void {
      const reader = readers.get(wanted) ?? made(wanted)
      readers.set(wanted, reader)
      reader.then(
        (server) => server.emit('connection', socket),
        () => socket.destroy(),
      )
    },
    close(): void {
      for (const reader of readers.values()) reader.then((server) => server.close()).catch(() => {})
    },
  }
}

const strangerWords = (subject: string) =>
  `the client showed a certificate (${subject}) whose private key the target file does not have: write both under clients.first.transport or clients.second.transport`

/** A tunnel to a host that was named for it: nothing is read, and the client's own certificate reaches the host. */
function passUnread({ target, onBeside }: ProxyParts, wanted: string, socket: Socket): void {
  const { host, port } = partsOf(wanted)
  const { proxy, timeout } = target
  onBeside({ kind: 'passed-unread', authority: wanted })
  const joined = (far: Socket) => {
    far.on('error', () => socket.destroy())
    socket.on('error', () => far.destroy())
    far.once('close', () => socket.destroy())
    socket.once('close', () => far.destroy())
    standing(socket)
    far.pipe(socket)
    socket.pipe(far)
  }
  const failed = (error: Error) =>
    refuseTunnel(socket, '502 Bad Gateway', `${wanted} cannot be reached: ${error.message}`)
  if (proxy !== undefined) {
    const way = { hostname: bracketed(host), port: String(port), protocol: 'https:' }
    tunnel(proxy, way, timeout).then(joined, failed)
    return
  }
  const far = connect({ host, port })
  far.once('error', failed)
  far.once('connect', () => {
    far.off('error', failed)
    joined(far)
  })
}

/** Serves the proxy's own resources: how a browser must use it, and which authority to trust. */
function answerOwn(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  { hosts, authority, onBeside }: Pick<ProxyParts, 'hosts' | 'authority' | 'onBeside'>,
): void {
  const { localAddress = '', localPort } = response.socket ?? {}
  const own: Record<string, [type: string, text: string]> = {
    '/proxy.pac': [
      'application/x-ns-proxy-autoconfig',
      pacOf(hosts.all(), `${bracketed(localAddress)}:${localPort}`),
    ],
    '/authority.pem': ['application/x-pem-file', authority.certificate],
  }
  const found = own[url]
  if (method === 'GET' && found) {
    response.writeHead(200, { 'content-type': found[0], 'cache-control': 'no-store' })
    response.end(found[1])
    return
  }
  if (url.startsWith('/')) {
    answerPlainly(response, 404, 'it has /proxy.pac and /authority.pem; all else goes by CONNECT')
    return
  }
  const wanted = URL.canParse(url) ? new URL(url).host : url
  onBeside({ kind: 'refused', authority: wanted.slice(0, 200) })
  answerPlainly(response, 403, 'only https: is passed on, by CONNECT')
}

/** A script with which a browser sends the target's hosts through the proxy, and everything else directly. */
function pacOf(authorities: readonly string[], proxy: string): string {
  const list = JSON.stringify(authorities)
  return `function FindProxyForURL(url, host) {
  var at = /^https:\\/\\/(?:[^\\/@]*@)?([^\\/]+)/.exec(url)
  var authority = at ? (/:\\d+$/.test(at[1]) ? at[1] : at[1] + ':443') : ''
  return ${list}.indexOf(authority) >= 0 ? 'PROXY ${proxy}' : 'DIRECT'
}
`
}
