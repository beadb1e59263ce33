import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import type { Context } from 'koa'
import { addLine, giveBytes, takeBytes } from '../altering/raw-body.ts'
import { answers, type Json, jsonOf, partOf, refusals, statuses } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobinOf } from '../run/round-robin.ts'

/** Sends pieces of `size` bytes, so that multi-byte characters are split. */
function inPieces(bytes: Buffer, size: number): Readable {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) =>
    bytes.subarray(place * size, (place + 1) * size),
  )
  return Readable.from(pieces, { objectMode: false })
}

/** Compresses the body if the request accepts the coding. */
function code(ctx: Context, bytes: Buffer, coding: string, encode: (bytes: Buffer) => Buffer) {
  const field = ctx.get('accept-encoding')
  const listed = new RegExp(`^ *${coding} *(;(?! *q *= *0(\\.0*)? *$)|$)`, 'i')
  // Without the header any coding is acceptable (RFC 9110 12.5.3); only gzip is sent then.
  const takes = field === '' ? coding === 'gzip' : field.split(',').some((one) => listed.test(one))
  if (!takes) return
  giveBytes(ctx, encode(bytes))
  ctx.set('content-encoding', coding)
  ctx.vary('accept-encoding')
}

const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Sends bodies in different ways, one after the other. */
const frame = roundRobinOf<[Context, Buffer], void>(
  (ctx, bytes) => giveBytes(ctx, inPieces(bytes, 997)),
  (ctx, bytes) => code(ctx, bytes, 'gzip', gzipSync),
  (ctx) => ctx.set('connection', 'close'),
  (ctx, bytes) => code(ctx, bytes, 'br', (plain) => brotliCompressSync(plain, quickly)),
  (ctx, bytes) => code(ctx, bytes, 'deflate', deflateSync),
  (ctx, bytes) => {
    giveBytes(ctx, inPieces(bytes, 4096))
    ctx.res.useChunkedEncodingByDefault = false
    ctx.set('connection', 'close')
  },
)

const seen = answers((ctx) => partOf(ctx) === 'data')

const answered = ofEachBank(() => ({ deletions: 0, others: 0 }))

const variants: Variant[] = [
  {
    id: 'firewall-asks-who-is-there',
    story:
      'A firewall refuses requests without User-Agent with an HTML page. RFC 9110 10.1.5: a user agent should send it.',
    async middleware(ctx, next) {
      ctx.state.fired()
      if (ctx.get('user-agent') !== '') return next()
      ctx.status = 403
      ctx.type = 'html'
      ctx.body = '<html><title>Request rejected</title><p>Support ID 1234</p></html>'
    },
  },
  {
    id: 'no-answer-without-a-certificate',
    story:
      'Requests without a valid transport certificate get no answer at all until the client times out. Silence is neither a refusal nor a service (AMB-42).',
    settings: { tlsRefusal: 'status' },
    policies: statuses((reason) => (reason === 'certificate' ? 496 : undefined)),
    middleware: refusals(['consents', 'data', 'registration', 'token'], (ctx) => {
      if (ctx.status !== 496) return false
      // The connection stays open until the client times out.
      ctx.respond = false
    }),
    target: (document) => {
      document.timeout = 2
    },
    blocks: [
      'REG-01/no-certificate',
      'REG-01/untrusted',
      'REG-01/expired',
      'REG-01/forwarded',
      'REG-01/second-client',
      'SEC-01/no-certificate',
      'SEC-02/no-certificate',
      'SEC-01/resumed',
      'SEC-02/resumed',
      'SEC-01/untrusted',
      'SEC-02/untrusted',
      'SEC-01/expired',
      'SEC-02/expired',
      'SEC-01/create',
      'SEC-01/delete',
      'SEC-01/funds-confirmation',
      'SEC-01/funds-deletion',
      'SEC-01/forwarded',
      'SEC-02/other-endpoints',
      'SEC-02/forwarded',
    ],
    because: 'Whether such requests are refused cannot be told from a server that is gone.',
  },
  {
    id: 'continue-without-being-asked',
    story:
      'The gateway sends 100 Continue for each request with a body. RFC 9110 15.2: a client accepts 1xx responses that it does not expect.',
    async middleware(ctx, next) {
      if (ctx.get('content-length') !== '' || ctx.get('transfer-encoding') !== '') {
        ctx.state.fired()
        ctx.res.writeContinue()
      }
      await next()
    },
  },
  {
    id: 'tls-1.2-only',
    story: 'The bank supports TLS 1.2 only. The documents name no version of TLS.',
    settings: { tlsMaxVersion: 'TLSv1.2' },
    middleware: seen,
  },
  {
    id: 'tls-1.3-only',
    story: 'The bank supports TLS 1.3 only. The documents name no version of TLS.',
    settings: { tlsMinVersion: 'TLSv1.3' },
    middleware: seen,
  },
  {
    id: 'tls-sessions-shared-and-certificates-asked-for',
    story:
      'All listeners resume each other’s TLS sessions (RFC 8446 2.2 allows it), but the service checks the transport certificate of each request.',
    settings: { sharedTlsSessions: true, certificateBoundTokens: false },
    middleware: seen,
  },
  {
    id: 'certificates-refused-after-the-handshake',
    story:
      'A missing or wrong transport certificate is refused after the handshake: with 401, with the web server\'s page "400 No required SSL certificate was sent", or by closing the connection. Authentication 1 does not say how.',
    settings: { tlsRefusal: 'status' },
    policies: statuses((reason) => (reason === 'certificate' ? 496 : undefined)),
    middleware: refusals(
      ['consents', 'data', 'registration', 'token'],
      (() => {
        const refuse = roundRobinOf<[Context], void>(
          (ctx) => {
            ctx.status = 401
          },
          (ctx) => {
            ctx.type = 'text/html'
            ctx.body =
              '<center><h1>400 Bad Request</h1>No required SSL certificate was sent</center>'
            ctx.status = 400
          },
          (ctx) => {
            ctx.respond = false
            ctx.req.socket.destroy()
          },
        )
        return (ctx: Context) => (ctx.status === 496 ? refuse(ctx) : false)
      })(),
    ),
  },
  {
    id: 'token-endpoint-without-certificates',
    story:
      'The token endpoint needs no transport certificate, and tokens are not bound to one (AMB-32). Authentication 1 names only consent, data and registration endpoints.',
    settings: { tokenEndpointMtls: false, certificateBoundTokens: false },
    middleware: answers((ctx) => partOf(ctx) === 'token'),
  },
  {
    id: 'bodies-framed-in-any-way',
    story:
      'Bodies are sent in chunks (RFC 9112 7.1), compressed (RFC 9110 8.4), or without a length until the connection closes (RFC 9112 6.3). The connection may be closed after any response (9.6).',
    middleware: answers((ctx) => {
      const bytes = takeBytes(ctx)
      return bytes ? frame(ctx, bytes) : false
    }),
  },
  {
    id: 'headers-of-a-gateway',
    story:
      'Header names are in upper case (RFC 9110 5.1), and there are additional headers and interim responses (15.2). x-fapi-interaction-id is missing; it is in neither document.',
    middleware: answers(
      roundRobinOf<[Context], void>(
        (ctx) => {
          ctx.append(
            'set-cookie',
            'BIGipServerpool=1677787402.36895.0000; path=/; Secure; HttpOnly',
          )
          ctx.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
          ctx.set('x-content-type-options', 'nosniff')
          ctx.set('via', '1.1 edge-7')
          ctx.set('server-timing', 'app;dur=12')
          ctx.set('x-jws-signature', 'eyJhbGciOiJQUzI1NiJ9..c2ln')
          ctx.remove('x-fapi-interaction-id')
        },
        (ctx) => {
          const self = (jsonOf(ctx)?.Links as Json | undefined)?.Self
          if (ctx.status === 201 && self) ctx.set('location', String(self))
          if (partOf(ctx) === 'data') ctx.res.writeProcessing()
          if (partOf(ctx) !== 'products') return
          ctx.set('etag', 'W/"1a-2b"')
          ctx.set('cache-control', 'public, max-age=86400')
          ctx.set('age', '3601')
        },
        (ctx) => {
          // A line of the gateway's own, which says the same.
          const type = ctx.response.get('content-type')
          if (type) addLine(ctx, 'Content-Type', type.replace(/;.*/, ''))
        },
        (ctx) => {
          // koa would add a header for the length of an object in its own spelling.
          const bytes = takeBytes(ctx)
          if (bytes) giveBytes(ctx, bytes)
          for (const [name, value] of Object.entries(ctx.res.getHeaders())) {
            ctx.res.removeHeader(name)
            if (value !== undefined) ctx.res.setHeader(name.toUpperCase(), value)
          }
        },
      ),
    ),
  },
  {
    id: 'some-answers-are-slow',
    story:
      'Every third delete and every fortieth other response is slow. How fast a bank answers is not said.',
    async middleware(ctx, next) {
      await next()
      const deletes = ctx.method === 'DELETE'
      const seen = answered()
      const count = deletes ? ++seen.deletions : ++seen.others
      if (count % (deletes ? 3 : 40) !== 0) return
      await wait(deletes ? 60 : 40)
      ctx.state.fired()
    },
  },
]

export default variants
