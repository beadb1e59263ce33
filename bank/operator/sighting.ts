import type { TLSSocket } from 'node:tls'
import type { Context } from 'koa'
import type { Role } from '../listeners/endpoints.ts'
import type { SeenRefusal } from '../listeners/refusals.ts'
import { NO_CERTIFICATE, unacceptedWords } from '../listeners/unaccepted.ts'
import type { Services } from '../state/services.ts'
import { stateOf } from '../state/state.ts'
import { factsOf, type SeenFacts } from './seen-facts.ts'

/** One request as the bank saw it, or a connection that failed before any request. */
export interface Sighting {
  /** Milliseconds since 1970. */
  startedAt: number
  durationMs: number
  /** Which role was called. `handshake`: the connection failed before that was known. */
  role: Role | 'handshake'
  request: { method: string; url: string; headers: [string, string][]; body: string }
  response?: { status: number; headers: [string, string][]; body: string }
  failure?: { code: string; message: string }
  connection: {
    protocol?: string
    cipher?: string
    /** The transport certificate: none, one of the directory, or why it is not accepted. */
    certificate: string
    organisationId?: string
    /** When it was accepted, in milliseconds since 1970; only with its first request. */
    acceptedAt?: number
  }
  refusal?: SeenRefusal
  facts?: SeenFacts
  /** Alterations that took effect in it. */
  fired: string[]
}

/** Called for every request after it is answered. */
export type OnSighting = (sighting: Sighting) => void

/** The sighting of a connection whose handshake failed: it has no request and no response. */
export function handshakeSighting(
  problem: NodeJS.ErrnoException,
  socket: TLSSocket,
  address: string,
): Sighting {
  // Node itself ends a connection whose certificate is not valid, and reports a reset.
  const { authorizationError } = socket
  const unaccepted = authorizationError ? String(authorizationError) : undefined
  const offered = socket.getPeerX509Certificate?.() ? 'refused' : 'none'
  return {
    startedAt: Date.now(),
    durationMs: 0,
    role: 'handshake',
    request: { method: 'CONNECT', url: address, headers: [], body: '' },
    failure: { code: unaccepted ?? problem.code ?? 'ERR_TLS', message: problem.message },
    // Do not ask for the protocol: after a failed handshake, that call crashes the Node process.
    connection: { certificate: unaccepted ?? offered },
    refusal: {
      reason: 'handshake',
      detail: unaccepted
        ? `the bank ended the handshake: ${unacceptedWords(unaccepted)}`
        : wordsFor(problem),
    },
    fired: [],
  }
}

/** Explains a failed handshake to the developer of the client. */
function wordsFor({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE':
      return NO_CERTIFICATE
    case 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA':
      return 'the client does not trust the certificate of the bank: it needs the directory’s authority'
    case 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE':
    case 'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE':
      return 'the client refuses the certificate of the bank'
    case 'ERR_SSL_HTTP_REQUEST':
      return 'the client spoke HTTP where HTTPS is served'
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return 'the client did not speak TLS'
    case 'ERR_SSL_UNSUPPORTED_PROTOCOL':
      return 'the client speaks only a TLS version that the bank refuses'
    case 'ECONNRESET':
      return 'the client hung up while the connection was made'
    default:
      return `the connection was not made: ${message}`
  }
}

/** Starts to observe a request. The returned function makes the sighting after the request is answered. */
export function observeRequest(
  ctx: Context,
  role: Role,
  services: Services,
  acceptedAt: number | undefined,
) {
  const startedAt = Date.now()
  const began = performance.now()
  const { body, transport } = stateOf(ctx)
  const request = {
    method: ctx.method,
    url: `https://${ctx.host}${ctx.originalUrl}`,
    headers: paired(ctx.req.rawHeaders),
    body,
  }
  // Before it is served: the request may end the token or consent that it uses, and the client may disconnect.
  const facts = factsOf(ctx, role, services, body)
  const socket = ctx.socket as TLSSocket
  const protocol = socket.getProtocol?.() ?? undefined
  const cipher = socket.getCipher?.()?.name
  return (failure?: Error): Sighting => {
    const { refusal, firedIds } = stateOf(ctx)
    const gone = failure ?? (ctx.res.destroyed && !ctx.res.writableEnded ? hungUp : undefined)
    return {
      startedAt,
      durationMs: performance.now() - began,
      role,
      request,
      ...(gone
        ? { failure: { code: 'ECONNRESET', message: gone.message } }
        : { response: { status: ctx.status, headers: headersOf(ctx), body: textOf(ctx.body) } }),
      connection: {
        protocol,
        ...(cipher && { cipher }),
        certificate:
          transport.organisationId === undefined && !transport.error
            ? 'none'
            : transport.authorized
              ? 'valid'
              : (transport.error ?? 'refused'),
        organisationId: transport.organisationId,
        ...(acceptedAt !== undefined && { acceptedAt }),
      },
      ...(refusal && { refusal }),
      facts,
      fired: [...(firedIds ?? [])],
    }
  }
}

const hungUp = new Error('the connection was closed before an answer')

function paired(raw: string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [
    raw[2 * i] as string,
    raw[2 * i + 1] as string,
  ])
}

function headersOf(ctx: Context): [string, string][] {
  return Object.entries(ctx.response.headers).flatMap(([name, value]) =>
    [value ?? ''].flat().map((each): [string, string] => [name, String(each)]),
  )
}

function textOf(body: unknown): string {
  if (body === undefined || body === null) return ''
  if (typeof body === 'string') return body
  if (Buffer.isBuffer(body)) return body.toString()
  return typeof body === 'object' && 'pipe' in body ? '' : JSON.stringify(body)
}
