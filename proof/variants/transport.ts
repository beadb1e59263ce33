import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Context, Next } from 'koa'
import type { Variant } from '../proof.ts'
import { answers, jsonOf, partOf, refusals, statuses } from '../rewriting.ts'

/** The JSON of an answer as bytes, its type kept; undefined where the body is something else. */
function takeBytes(ctx: Context): Buffer | undefined {
  const body = jsonOf(ctx)
  return body && Buffer.from(JSON.stringify(body))
}

/** Replaces the body, which koa would otherwise call application/octet-stream. */
function giveBytes(ctx: Context, body: Buffer | Readable) {
  const { status } = ctx
  const type = ctx.response.get('content-type')
  ctx.body = body
  ctx.set('content-type', type || 'application/json')
  ctx.status = status
}

/** In pieces of `size` bytes, so that characters of several bytes are torn apart. */
function inPieces(bytes: Buffer, size: number): Readable {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) =>
    bytes.subarray(place * size, (place + 1) * size),
  )
  return Readable.from(pieces, { objectMode: false })
}

function coded(coding: string, encode: (bytes: Buffer) => Buffer) {
  return answers((ctx) => {
    const bytes = takeBytes(ctx)
    if (!bytes) return false
    giveBytes(ctx, encode(bytes))
    ctx.set('content-encoding', coding)
    ctx.vary('accept-encoding')
  })
}

const seen = answers((ctx) => partOf(ctx) === 'data')

const variants: Variant[] = [
  {
    id: 'tls-1.2-only',
    story: 'The documents name no version of TLS: the load balancer stops at 1.2.',
    settings: { tlsMaxVersion: 'TLSv1.2' },
    middleware: seen,
  },
  {
    id: 'tls-1.3-only',
    story: 'The documents name no version of TLS: the bank takes 1.3 and nothing older.',
    settings: { tlsMinVersion: 'TLSv1.3' },
    middleware: seen,
  },
  {
    id: 'certificates-refused-by-401',
    story:
      'A missing or wrong transport certificate is refused; whether by the handshake or by a status, Authentication 1 does not say.',
    settings: { tlsRefusal: 'status' },
    policies: statuses((reason) => (reason === 'certificate' ? 401 : undefined)),
  },
  {
    id: 'certificates-refused-by-400-page',
    story:
      'A missing or wrong transport certificate is refused by the web server\'s own page: "400 No required SSL certificate was sent".',
    settings: { tlsRefusal: 'status' },
    policies: (correct, { fired }) => ({
      refusal(reason) {
        if (reason !== 'certificate') return correct.refusal(reason)
        fired()
        return { ...correct.refusal(reason), status: 400 }
      },
    }),
    async middleware(ctx, next) {
      await next()
      if (ctx.status !== 400 || !JSON.stringify(ctx.body ?? '').includes('transport certificate')) {
        return
      }
      ctx.type = 'text/html'
      ctx.body = '<center><h1>400 Bad Request</h1>No required SSL certificate was sent</center>'
      ctx.status = 400
      ctx.state.fired()
    },
  },
  {
    id: 'certificates-refused-by-closing',
    story:
      'The handshake succeeds, as in TLS 1.3 it may, and the connection is closed without an answer.',
    settings: { tlsRefusal: 'status' },
    policies: statuses((reason) => (reason === 'certificate' ? 496 : undefined)),
    middleware: refusals(['consents', 'data', 'registration', 'token'], (ctx) => {
      if (ctx.status !== 496) return false
      ctx.respond = false
      ctx.req.socket.destroy()
    }),
  },
  {
    id: 'token-endpoint-without-certificates',
    story:
      'Authentication 1 names consent, data and registration endpoints, not the token endpoint: it asks for no certificate.',
    settings: { tokenEndpointMtls: false },
    middleware: answers((ctx) => partOf(ctx) === 'token'),
  },
  {
    id: 'tokens-not-bound-to-certificates',
    story: 'No sentence promises tokens that are bound to the transport certificate (AMB-32).',
    settings: { certificateBoundTokens: false },
    middleware: answers((ctx) => partOf(ctx) === 'token'),
  },
  {
    id: 'closes-every-connection',
    story: 'HTTP/1.1 lets a server close each connection (RFC 9112 9.6).',
    middleware: answers((ctx) => ctx.set('connection', 'close')),
  },
  {
    id: 'bodies-end-with-the-connection',
    story: 'A body may have neither length nor chunks; the connection ends it (RFC 9112 6.3).',
    middleware: answers((ctx) => {
      const bytes = takeBytes(ctx)
      if (!bytes) return false
      giveBytes(ctx, inPieces(bytes, 4096))
      ctx.res.useChunkedEncodingByDefault = false
      ctx.set('connection', 'close')
    }),
  },
  {
    id: 'chunked-in-small-pieces',
    story: 'Answers may come chunked, and chunks end anywhere (RFC 9112 7.1).',
    middleware: answers((ctx) => {
      const bytes = takeBytes(ctx)
      if (!bytes) return false
      giveBytes(ctx, inPieces(bytes, 997))
    }),
  },
  {
    id: 'gzip',
    story: 'Answers may be compressed with a coding that the request accepts (RFC 9110 8.4).',
    middleware: coded('gzip', gzipSync),
  },
  {
    id: 'brotli-and-deflate',
    story: 'Answers may be compressed, each server behind the balancer in its own way.',
    async middleware(ctx: Context, next: Next) {
      const accepted = ctx.get('accept-encoding')
      const [coding, encode] =
        partOf(ctx) === 'data'
          ? (['br', brotliCompressSync] as const)
          : (['deflate', deflateSync] as const)
      if (accepted !== '' && !accepted.includes(coding)) return next()
      await coded(coding, encode)(ctx, next)
    },
  },
  {
    id: 'header-names-in-capitals',
    story: 'Names of headers have no case (RFC 9110 5.1): a mainframe gateway shouts them.',
    middleware: answers((ctx) => {
      // koa would add its own spelling of the length of an object.
      const bytes = takeBytes(ctx)
      if (bytes) giveBytes(ctx, bytes)
      for (const [name, value] of Object.entries(ctx.res.getHeaders())) {
        ctx.res.removeHeader(name)
        if (value !== undefined) ctx.res.setHeader(name.toUpperCase(), value)
      }
    }),
  },
  {
    id: 'headers-of-a-gateway',
    story:
      'Headers that the documents do not mention: cookies of a balancer, security headers, traces.',
    middleware: answers((ctx) => {
      ctx.append('set-cookie', 'BIGipServerpool=1677787402.36895.0000; path=/; Secure; HttpOnly')
      ctx.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
      ctx.set('x-content-type-options', 'nosniff')
      ctx.set('via', '1.1 edge-7')
      ctx.set('server-timing', 'app;dur=12')
      ctx.set('x-jws-signature', 'eyJhbGciOiJQUzI1NiJ9..c2ln')
    }),
  },
  {
    id: 'no-interaction-id',
    story: 'x-fapi-interaction-id is in neither document: no answer has one.',
    middleware: answers((ctx) => {
      if (!ctx.response.get('x-fapi-interaction-id')) return false
      ctx.remove('x-fapi-interaction-id')
    }),
  },
  {
    id: 'early-hints',
    story: 'Interim answers may come before the final one (RFC 9110 15.2).',
    middleware: answers((ctx) => {
      if (partOf(ctx) !== 'data') return false
      ctx.res.writeProcessing()
    }),
  },
  {
    id: 'some-answers-are-slow',
    story: 'How quickly a bank answers no sentence says: deletions and every tenth answer wait.',
    middleware: slowly(),
  },
]

function slowly(): NonNullable<Variant['middleware']> {
  let count = 0
  return async (ctx, next) => {
    await next()
    count += 1
    if (ctx.method !== 'DELETE' && count % 10 !== 0) return
    await wait(ctx.method === 'DELETE' ? 120 : 40)
    ctx.state.fired()
  }
}

export default variants
