import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { now } from '../record/clock.ts'
import { OwnTrouble, type WireFailure } from '../wire/exchange.ts'
import { failureOf } from '../wire/failure.ts'
import type { Copy } from './copies.ts'
import type { Identity } from './identities.ts'
import type { Line, Outgoing } from './line.ts'

/** One request that passed a proxy, and its answer. */
export interface Passed {
  /** Milliseconds since the epoch. */
  at: number
  durationMs: number
  method: string
  /** Absolute. */
  url: string
  requestHeaders: [string, string][]
  requestBody: Copy
  response?: { status: number; headers: [string, string][]; body: Copy }
  /** Why the bank gave no complete answer. */
  failure?: WireFailure
  /** The client hung up before the answer was complete. */
  hungUp?: true
  identity: Pick<Identity, 'name' | 'certificate'>
  connection: { protocol?: string; cipher?: string }
}

/** Node's raw headers as pairs, in order and with their spelling. */
export function pairsOf(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [
    raw[2 * at] as string,
    raw[2 * at + 1] as string,
  ])
}

/**
 * Passes a request to the bank and its answer back, byte for byte, as they arrive, and reports at the end what passed.
 * If a failure prevents the answer, replies with 502 and says who is speaking.
 */
export function forward(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  { line, authority, identity }: { line: Line; authority: string; identity: Identity },
  begin: () => Copy,
  onPassed: (passed: Passed) => void,
): void {
  const { method = '', url = '/' } = request
  const began = performance.now()
  const [requestBody, body] = [begin(), begin()]
  const passed: Omit<Passed, 'durationMs'> = {
    ...{ at: now(), method, url: `https://${authority}${url}`, requestBody },
    requestHeaders: pairsOf(request.rawHeaders),
    identity: { name: identity.name, certificate: identity.certificate },
    connection: {},
  }
  let told = false
  const tell = (rest: Pick<Passed, 'response' | 'failure' | 'hungUp'>) => {
    if (told) return
    told = true
    if (!rest.response) body.drop()
    onPassed({ ...passed, ...rest, durationMs: performance.now() - began })
  }
  const failed = (errors: Error[]) => {
    const failure = failureIn(errors)
    tell({ failure })
    refuse(response, failure)
  }

  response.once('close', () => line.answered())
  let outgoing: Outgoing
  try {
    outgoing = line.send(request)
  } catch (error) {
    // Node's writer may refuse what its parser accepted.
    failed([error as Error])
    return
  }
  const { request: sent } = outgoing
  response.once('close', () => {
    if (response.writableFinished) return
    tell({ hungUp: true })
    sent.destroy()
  })
  sent.once('error', () => outgoing.settled().then(() => failed(outgoing.errors)))
  sent.on('information', (interim) => passInterim(response, interim))
  sent.once('upgrade', () => sent.destroy(new Error('another protocol is not passed on')))
  sent.once('response', (answer) => {
    sent.setTimeout(0)
    passed.connection = connectionOf(answer.socket as TLSSocket)
    const { statusCode: status = 0, rawHeaders } = answer
    answer.on('data', (part: Buffer) => body.add(part))
    answer.once('end', () => {
      if (!answer.complete) return
      for (const trailer of pairsOf(answer.rawTrailers)) response.addTrailers([trailer])
      tell({ response: { status, headers: pairsOf(rawHeaders), body } })
    })
    answer.once('close', () => {
      if (!answer.complete) outgoing.settled().then(() => failed(outgoing.errors))
    })
    answer.on('error', () => {})
    if (!passHead(response, answer)) {
      sent.destroy(new Error('its headers cannot be passed on'))
      return
    }
    answer.pipe(response)
  })
  request.on('data', (part: Buffer) => requestBody.add(part))
  request.pipe(sent)
}

/** Status and headers as they came: Node adds none. */
function passHead(response: ServerResponse, answer: IncomingMessage): boolean {
  const { statusCode = 0, statusMessage = '', rawHeaders } = answer
  for (const name of ['date', 'connection', 'content-length', 'transfer-encoding']) {
    response.removeHeader(name)
  }
  try {
    response.writeHead(statusCode, statusMessage, rawHeaders)
    // Sends the head before the first part of a streamed answer.
    response.flushHeaders()
    return true
  } catch {
    return false
  }
}

/** An interim answer, such as 100 or 102, as it came. */
function passInterim(
  { socket, headersSent }: ServerResponse,
  {
    statusCode,
    statusMessage,
    rawHeaders,
  }: Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'rawHeaders'>,
): void {
  if (!socket || headersSent) return
  const lines = pairsOf(rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`, 'latin1')
}

function connectionOf(socket: TLSSocket): Passed['connection'] {
  const protocol = socket.getProtocol?.() ?? undefined
  const cipher = socket.getCipher?.()?.name
  return { ...(protocol && { protocol }), ...(cipher && { cipher }) }
}

function failureIn(errors: Error[]): WireFailure {
  try {
    return failureOf(errors)
  } catch (error) {
    if (!(error instanceof OwnTrouble)) throw error
    const [{ message = '' } = {}] = errors
    return { kind: 'closed', code: 'PROXY', message }
  }
}

/** Answers in place of the bank, and says so. If part of the bank's answer has passed, cuts the connection. */
function refuse(response: ServerResponse, failure: WireFailure): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  answerPlainly(response, 502, whyNone(failure))
}

/** Why there is no answer from the bank. */
export function whyNone({ kind, code, message }: WireFailure): string {
  if (kind === 'tls-alert') return `the bank ended the TLS handshake: ${message} (${code})`
  if (kind === 'untrusted') {
    return `the certificate of the bank is not trusted by the target file: ${message} (${code})`
  }
  return `there is no answer of the bank: ${message} (${code})`
}

/** An answer of the proxy itself; closes the connection. */
export function answerPlainly(response: ServerResponse, status: number, words: string): void {
  const text = `assay proxy: ${words}. The proxy says this, not the bank.\n`
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(text)
  response.req.resume()
}
