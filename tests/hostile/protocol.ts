import { createSecureServer, type ServerHttp2Stream } from 'node:http2'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Context, Next } from 'koa'
import { expect } from 'vitest'
import { secureOptions } from '../../bank/directory/directory.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { type BankRun, judgeBank } from '../../proof/run/judge-bank.ts'
import {
  context,
  judged,
  LISTENERS,
  type ListenerName,
  outcomes,
  serverAt,
  TIMEOUT,
} from './bank.ts'
import type { Situation } from './situation.ts'

/** Answers that bend HTTP, TLS and the forms of pages. */

type Act = (ctx: Context, next: Next) => Promise<unknown>

/** Says the answer by hand: what Node would never write. */
function raw(
  head: (status: number) => string,
  body: (body: Buffer) => Buffer = (each) => each,
): Act {
  return async (ctx, next) => {
    await next()
    const text = typeof ctx.body === 'string' ? ctx.body : JSON.stringify(ctx.body ?? '')
    const bytes = ctx.body === undefined || ctx.body === null ? Buffer.alloc(0) : Buffer.from(text)
    const headers = Object.entries(ctx.response.headers)
      .filter(([name]) => !/^(content-length|transfer-encoding|connection)$/.test(name))
      .flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}\r\n`))
    ctx.respond = false
    const socket = ctx.req.socket as Socket
    socket.write(`${head(ctx.status)}${headers.join('')}Connection: close\r\n`)
    const framed = body(bytes)
    socket.end(Buffer.concat([Buffer.from(`Content-Length: ${framed.length}\r\n\r\n`), framed]))
  }
}

const line = (status: number) => `HTTP/1.1 ${status} x\r\n`

const BENT: Record<string, { what: string; act: Act; blameless?: true }> = {
  'nul-in-a-header': { what: 'A header has a NUL.', act: raw((s) => `${line(s)}X-A: a\0b\r\n`) },
  'cr-in-a-header': { what: 'A header has a lone CR.', act: raw((s) => `${line(s)}X-A: a\rb\r\n`) },
  'lf-for-crlf': {
    what: 'Header lines end in LF alone.',
    act: raw((s) => `HTTP/1.1 ${s} x\nX-A: b\n`),
  },
  'header-without-name': { what: 'A header has no name.', act: raw((s) => `${line(s)}: b\r\n`) },
  'folded-header': {
    what: 'A header goes on in the next line.',
    act: raw((s) => `${line(s)}X-A: a\r\n b\r\n`),
  },
  'status-999': { what: 'The status is 999.', act: raw(() => 'HTTP/1.1 999 x\r\n') },
  'status-of-letters': { what: 'The status is no number.', act: raw(() => 'HTTP/1.1 OK fine\r\n') },
  'http-0.9': { what: 'The answer is HTTP/0.9: no head at all.', act: raw(() => '') },
  'two-lengths': {
    what: 'There are two lengths of the body.',
    act: raw((s) => `${line(s)}Content-Length: 1\r\n`),
  },
  'length-and-chunks': {
    what: 'There are a length and chunks.',
    act: raw((s) => `${line(s)}Transfer-Encoding: chunked\r\n`),
  },
  '204-with-body': {
    what: '204 has a body, of which the next answer on the connection begins.',
    act: async (ctx, next) => {
      await next()
      if (ctx.status !== 204) return
      ctx.respond = false
      ctx.req.socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nHTTP/')
    },
  },
  trailers: {
    what: 'Chunks are followed by trailers.',
    blameless: true,
    act: async (ctx, next) => {
      await next()
      if (typeof ctx.body !== 'object' || ctx.body === null || ctx.status === 204) return
      const text = JSON.stringify(ctx.body)
      ctx.respond = false
      const { res } = ctx
      res.writeHead(ctx.status, { trailer: 'x-sum', 'transfer-encoding': 'chunked' })
      res.write(text)
      res.addTrailers({ 'x-sum': '1', authorization: 'Bearer of-a-trailer' })
      res.end()
    },
  },
  'many-cookies': {
    what: 'Every answer sets 100 cookies.',
    blameless: true,
    act: async (ctx, next) => {
      await next()
      for (let n = 0; n < 100; n += 1) ctx.append('set-cookie', `c${n}=${'v'.repeat(20)}; path=/`)
    },
  },
  'keep-alive-race': {
    what: 'Every connection is closed just after its answer, without saying so.',
    blameless: true,
    act: async (ctx, next) => {
      await next()
      ctx.res.once('finish', () => setTimeout(() => ctx.req.socket.end(), Math.random() * 3))
    },
  },
  'keep-alive-reset': {
    what: 'Every connection is destroyed some milliseconds after its answer.',
    blameless: true,
    act: async (ctx, next) => {
      await next()
      ctx.res.once('finish', () =>
        setTimeout(() => ctx.req.socket.destroy(), 1 + Math.random() * 4),
      )
    },
  },
  'huge-page': {
    what: 'Every page has 4 MB of markup, nested deep.',
    act: async (ctx, next) => {
      await next()
      if (typeof ctx.body === 'string') ctx.body += '<div><p>'.repeat(500_000)
    },
  },
  'huge-form': {
    what: 'The login form has 50,000 fields.',
    act: async (ctx, next) => {
      await next()
      if (typeof ctx.body !== 'string') return
      const fields = Array.from({ length: 50_000 }, (_, n) => `<input name="f${n}" value="${n}">`)
      ctx.body = ctx.body.replace(/(<form\b[^>]*>)/, `$1${fields.join('')}`)
    },
  },
  'page-of-links': {
    what: 'Every page has 100,000 links instead of its form.',
    act: async (ctx, next) => {
      await next()
      if (typeof ctx.body === 'string') ctx.body = '<a href="/authorize">on</a>'.repeat(100_000)
    },
  },
  'pages-in-a-circle': {
    what: 'Pages redirect to each other in a circle.',
    act: async (ctx, next) => {
      if (!/interaction|login|consent|circle/.test(ctx.path)) return next()
      ctx.status = 302
      ctx.set('location', `/circle?${Math.random()}`)
    },
  },
  'pages-that-wait-for-ever': {
    what: 'Every page leads to itself after a second.',
    act: async (ctx, next) => {
      await next()
      if (typeof ctx.body !== 'string' || !/^\/(authorize|interaction)/.test(ctx.path)) return
      ctx.body = '<meta http-equiv="refresh" content="1">One moment.'
    },
  },
}

const wrong: Alteration['id'] = 'bent'

function bent(act: Act): Alteration {
  return {
    id: wrong,
    story: 'A gateway bends what it passes on.',
    middleware: (ctx, next) => act(ctx, next),
  }
}

/** Of two requests alike only the wrong one is cut: the whole of the suite, by a bank that never says no. */
const refusesByCutting: Act = async (ctx, next) => {
  await next()
  const login = /authorize|interaction|servicing/.test(ctx.path)
  if (ctx.status < 400 || login) return
  ctx.respond = false
  ctx.req.socket.destroy()
}

/** The certificate of a listener becomes another one in the midst of the run. */
async function swapped(name: ListenerName, expired: boolean): Promise<BankRun> {
  let count = 0
  let server: HttpsServer | undefined
  const { directory } = await context()
  const other = secureOptions(directory.server)
  return judged(
    [
      bent(async (ctx, next) => {
        count += 1
        if (count === 150 && server) {
          server.setSecureContext(expired ? { cert: WRONG.cert, key: WRONG.key } : other)
          server.closeAllConnections()
          ctx.respond = false
          return
        }
        await next()
      }),
    ],
    (document) => {
      server = serverAt(document, name)
    },
  )
}

/** Signed by nobody whom the target trusts. */
const WRONG = { cert: '', key: '' }

async function untrusted(): Promise<void> {
  if (WRONG.cert !== '') return
  const { authority } = await import('../wire/certificates.ts')
  const { certificate, key } = await (await authority('somebody else')).issue('bank')
  Object.assign(WRONG, { cert: certificate, key })
}

function expectNoError(run: BankRun, blameless: boolean): void {
  expect(outcomes(run, 'error')).toEqual([])
  if (blameless) expect(outcomes(run, 'fail')).toEqual([])
}

/** Port of the listener that asks for another handshake. */
let port = 0

/** Bends that stop a run at its first answer, if they are in all of them. */
const RAW = [
  'nul-in-a-header',
  'cr-in-a-header',
  'lf-for-crlf',
  'header-without-name',
  'folded-header',
  'status-999',
  'status-of-letters',
  'http-0.9',
  'two-lengths',
  'length-and-chunks',
]

/** What becomes of a stream of HTTP/2. */
const STREAMS: Record<string, { what: string; act(stream: ServerHttp2Stream): void }> = {
  reset: { what: 'resets each stream', act: (stream) => stream.close(2) },
  refused: { what: 'refuses each stream', act: (stream) => stream.close(7) },
  goaway: { what: 'goes away', act: ({ session }) => session?.goaway(0) },
  destroyed: { what: 'cuts the connection', act: ({ session }) => session?.destroy() },
  silent: { what: 'is silent', act: () => {} },
  'cut-in-the-body': {
    what: 'resets each stream in its body',
    act(stream) {
      stream.respond({ ':status': 200, 'content-type': 'application/json', 'content-length': 900 })
      stream.write('{"Data":{')
      setTimeout(() => stream.close(2), 10)
    },
  },
}

/** One listener of the bank answers in HTTP/2 alone. */
async function inHttp2(
  name: ListenerName,
  act: Act = async (_ctx, next) => next(),
): Promise<BankRun> {
  const { directory } = await context()
  return judgeBank(await context(), [bent(act)], {
    scope: { profile: 'full', only: [] },
    target(document: TargetDocument) {
      document.timeout = 2
      const server = serverAt(document, name)
      const [handle] = server.listeners('request') as ((...given: unknown[]) => void)[]
      const second = createSecureServer(secureOptions(directory.server), (request, response) => {
        // RFC 9113 8.3.1: it stands for the Host header, which the bank reads.
        request.headers.host ??= request.authority
        handle?.(request, response)
      })
      server.removeAllListeners('connection')
      server.on('connection', (socket: Socket) => second.emit('connection', socket))
    },
  })
}

export const situations: Situation[] = [
  ...Object.entries(BENT).map(([id, { what, act, blameless = false }]) => ({
    id: `protocol/${id}`,
    what,
    expected: blameless ? 'Nothing fails.' : 'The run ends in time; no check crashes.',
    seconds: 300,
    megabytes: 1800,
    async run() {
      const run = await judged([bent(act)], (document) => {
        document.timeout = (TIMEOUT * 4) / 1000
      })
      expectNoError(run, blameless)
      return undefined
    },
  })),
  ...RAW.map((id) => {
    const { what, act } = BENT[id] as (typeof BENT)[string]
    return {
      id: `protocol/${id}-now-and-then`,
      what: `One answer in eleven: ${what}`,
      expected: 'The run ends in time; no check crashes.',
      seconds: 300,
      megabytes: 600,
      async run() {
        let count = 0
        const some: Act = (ctx, next) => {
          count += 1
          return count % 11 === 7 ? act(ctx, next) : next()
        }
        const run = await judged([bent(some)], (document) => {
          document.timeout = (TIMEOUT * 4) / 1000
        })
        expectNoError(run, false)
        expect(outcomes(run, 'pass').length).toBeGreaterThan(20)
        return undefined
      },
    }
  }),
  ...(['discovery', 'products'] as ListenerName[]).flatMap((name) =>
    Object.entries(STREAMS).map(([id, { what, act }]) => ({
      id: `protocol/http2-${id}/${name}`,
      what: `The ${name} listener speaks HTTP/2 alone, and from its third request on ${what}.`,
      expected: 'Nothing is held against the bank.',
      seconds: 240,
      megabytes: 400,
      async run() {
        let count = 0
        const run = await inHttp2(name, async (ctx, next) => {
          const { stream } = ctx.res as unknown as { stream?: ServerHttp2Stream }
          if (stream) count += 1
          if (!stream || count < 3) return next()
          ctx.respond = false
          act(stream)
        })
        expect(outcomes(run, 'error', 'fail', 'warn')).toEqual([])
        return undefined
      },
    })),
  ),
  ...(['authorisation', 'discovery', 'products'] as ListenerName[]).map((name) => ({
    id: `protocol/renegotiation/${name}`,
    what: `The ${name} listener speaks TLS 1.2, and asks for another handshake before each answer.`,
    expected: 'The run ends in time; no check crashes.',
    seconds: 240,
    megabytes: 400,
    async run() {
      const { directory } = await context()
      let asked = 0
      const run = await judged(
        [
          bent(async (ctx, next) => {
            const socket = ctx.req.socket as TLSSocket
            if (socket.localPort === port && socket.getProtocol() === 'TLSv1.2') {
              asked += 1
              socket.renegotiate({}, () => {})
            }
            await next()
          }),
        ],
        (document) => {
          const server = serverAt(document, name)
          port = (server.address() as { port: number }).port
          server.setSecureContext({ ...secureOptions(directory.server), maxVersion: 'TLSv1.2' })
        },
      )
      expectNoError(run, false)
      expect(asked).toBeGreaterThan(0)
      return undefined
    },
  })),
  {
    id: 'protocol/refuses-by-cutting',
    what: 'Every refusal is a connection that is cut, between answers to right requests.',
    expected: 'It counts as refused; only sentences that name a status fail.',
    seconds: 240,
    megabytes: 400,
    async run() {
      const run = await judged([bent(refusesByCutting)], (document) => {
        document.timeout = (TIMEOUT * 10) / 1000
      })
      expect(outcomes(run, 'error')).toEqual([])
      const failed = outcomes(run, 'fail').filter((one) => /was not refused/.test(one))
      expect(failed).toEqual([])
      expect(outcomes(run, 'pass').filter((one) => / SEC-01\//.test(one)).length).toBeGreaterThan(2)
      return undefined
    },
  },
  ...(Object.keys(LISTENERS) as ListenerName[]).flatMap((name) =>
    [false, true].map((foreign) => ({
      id: `protocol/certificate-${foreign ? 'of-nobody' : 'renewed'}/${name}`,
      what: foreign
        ? `In the midst of the run the ${name} listener shows a certificate that nobody trusts.`
        : `In the midst of the run the certificate of the ${name} listener is renewed.`,
      expected: foreign ? 'What rests on it is blocked; nothing fails.' : 'Nothing fails.',
      seconds: 240,
      megabytes: 400,
      async run() {
        await untrusted()
        const run = await swapped(name, foreign)
        expectNoError(run, true)
        return undefined
      },
    })),
  ),
  ...(['discovery', 'products'] as ListenerName[]).map((name) => ({
    id: `protocol/http2-only/${name}`,
    what: `The ${name} listener speaks HTTP/2 alone.`,
    expected: 'It is spoken to in HTTP/2, and judged.',
    seconds: 240,
    megabytes: 400,
    async run() {
      const run = await inHttp2(name)
      expect(outcomes(run, 'error', 'fail')).toEqual([])
      const served = name === 'discovery' ? 'DISC-01/served' : 'PROD-01/answers-200'
      expect(run.results.get(served)?.outcome).toBe('pass')
      return undefined
    },
  })),
]
