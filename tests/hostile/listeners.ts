import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Context } from 'koa'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { expectBlameless, judged, LISTENERS, type ListenerName, serverAt } from './bank.ts'
import type { Situation } from './situation.ts'

/** Trouble with one listener, while the others answer as ever. */

/** What a listener does to a request instead of answering it. */
const INSTEAD: Record<string, { what: string; act(ctx: Context): void }> = {
  silent: {
    what: 'takes requests and never answers',
    act: () => {},
  },
  reset: {
    what: 'resets every connection that carries a request',
    act: (ctx) => reset(ctx.req.socket),
  },
  closed: {
    what: 'closes every connection that carries a request, without a word',
    act: (ctx) => ctx.req.socket.end(),
  },
  'cut-in-the-headers': {
    what: 'is cut within the headers of every answer',
    act: (ctx) => ctx.req.socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
  },
  'cut-in-the-body': {
    what: 'is cut within the body of every answer',
    act: (ctx) =>
      ctx.req.socket.end(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"Data":{',
      ),
  },
  'cut-in-a-chunk': {
    what: 'is reset within a chunk of every answer',
    act(ctx) {
      const socket = ctx.req.socket as Socket
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"Data"',
        () => setTimeout(() => reset(socket), 5),
      )
    },
  },
}

/** TCP connections by the port that they come from: a reset is none of TLS. */
const connections = new Map<number, Socket>()

function reset({ remotePort = 0 }: Socket): void {
  connections.get(remotePort)?.resetAndDestroy()
}

/** What happens to the listener itself. */
const TO_THE_LISTENER: Record<string, { what: string; act(server: HttpsServer): void }> = {
  refused: {
    what: 'is not there: connections are refused',
    act(server) {
      server.close()
      server.closeAllConnections()
    },
  },
  'no-tls': {
    what: 'accepts connections and never begins TLS',
    act: (server) => replaceConnections(server, () => {}),
  },
  'plain-http': {
    what: 'answers in plain HTTP where TLS belongs',
    act: (server) =>
      replaceConnections(server, (socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
      }),
  },
  'tls-alert': {
    what: 'ends every handshake with the alert internal_error',
    act: (server) =>
      replaceConnections(server, (socket) => {
        socket.once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 80])))
      }),
  },
}

/** Alerts as gateways send them whose own trouble it is: RFC 8446 6. */
const ALERTS = { 'handshake-failure': 40, 'internal-error': 80, 'unrecognised-name': 112 }

for (const [id, alert] of Object.entries(ALERTS)) {
  TO_THE_LISTENER[`alert-${id}`] = {
    what: `ends every handshake with the alert ${id.replace('-', '_')}`,
    act: (server) =>
      replaceConnections(server, (socket) => {
        socket.once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert])))
      }),
  }
}

function replaceConnections(server: HttpsServer, handle: (socket: Socket) => void): void {
  server.closeAllConnections()
  server.removeAllListeners('connection')
  const sockets = new Set<Socket>()
  // The server knows nothing of connections that it did not take itself.
  const close = server.close.bind(server)
  server.close = (done) => {
    for (const socket of sockets) socket.destroy()
    return close(done)
  }
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    handle(socket)
  })
}

/** What may begin in the midst of a run. */
const LATER = ['refused', ...Object.keys(ALERTS).map((id) => `alert-${id}`)]

const names = Object.keys(LISTENERS) as ListenerName[]

/** A listener that does something else from its n-th request on. */
function from(
  name: ListenerName,
  first: number,
  then: { instead(ctx: Context): void } | { server(server: HttpsServer): void },
) {
  let port = 0
  let count = 0
  let over = false
  return {
    prepare(document: TargetDocument) {
      const server = serverAt(document, name)
      port = (server.address() as { port: number }).port
      server.prependListener('connection', (socket: Socket) => {
        connections.set(socket.remotePort ?? 0, socket)
      })
      if ('server' in then && first === 0) then.server(server)
    },
    alteration: {
      id: 'listener-trouble',
      story: 'Something between the bank and the TPP has broken.',
      async middleware(ctx: Context, next: () => Promise<unknown>) {
        if (ctx.req.socket.localPort !== port) return next()
        count += 1
        if (count <= first) return next()
        if ('instead' in then) {
          ctx.respond = false
          then.instead(ctx)
          return
        }
        if (!over) then.server((ctx.req.socket as unknown as { server: HttpsServer }).server)
        over = true
        ctx.respond = false
      },
    },
  }
}

function situation(
  id: string,
  what: string,
  name: ListenerName,
  first: number,
  then: Parameters<typeof from>[2],
): Situation {
  return {
    id,
    what,
    expected:
      'Nothing is held against the bank; what rests on the listener is blocked, the rest is judged.',
    seconds: 240,
    megabytes: 400,
    async run() {
      const { alteration, prepare } = from(name, first, then)
      const run = await judged([alteration], prepare)
      expectBlameless(run)
      return undefined
    },
  }
}

/** Requests of the reference bank's listeners in a run: about 900, 60, 15 and 5. */
const MIDWAY: Record<ListenerName, number[]> = {
  api: [1, 9, 60, 333, 700],
  authorisation: [9],
  discovery: [1],
  products: [2],
}

export const situations: Situation[] = names.flatMap((name) => [
  ...Object.entries(INSTEAD).map(([id, { what, act }]) =>
    situation(`listener/${name}/${id}`, `The ${name} listener ${what}.`, name, 0, {
      instead: act,
    }),
  ),
  ...Object.entries(TO_THE_LISTENER).map(([id, { what, act }]) =>
    situation(`listener/${name}/${id}`, `The ${name} listener ${what}.`, name, 0, {
      server: act,
    }),
  ),
  ...MIDWAY[name].flatMap((first) =>
    ['silent', 'reset'].map((id) => {
      const { what, act } = INSTEAD[id] as (typeof INSTEAD)[string]
      return situation(
        `listener/${name}/${id}-after-${first}`,
        `After ${first} requests the ${name} listener ${what}.`,
        name,
        first,
        { instead: act },
      )
    }),
  ),
  ...MIDWAY[name].flatMap((first) =>
    LATER.map((id) => {
      const { what, act } = TO_THE_LISTENER[id] as (typeof TO_THE_LISTENER)[string]
      return situation(
        `listener/${name}/${id}-after-${first}`,
        `After ${first} requests the ${name} listener ${what}.`,
        name,
        first,
        { server: act },
      )
    }),
  ),
])
