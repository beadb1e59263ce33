import type { Socket } from 'node:net'
import { type Dispatcher, errors } from 'undici'
import { factsOf, onNextWrite, type SocketFacts } from './connector.ts'
import { tooLarge, WireLimit } from './failure.ts'

/** The result of one request: a raw response, or the errors that prevented it. */
export interface Arrival {
  response?: { status: number; headers: [string, string][]; body: Buffer }
  errors: Error[]
  socket?: SocketFacts
  /** In milliseconds of performance.now(). */
  endedAt: number
  /** True if the connection had carried a request before. */
  reused: boolean
}

interface Bounds {
  /** Milliseconds for the whole request, including connecting. */
  timeout: number
  /** Maximum size of the transferred body, in bytes. */
  maxResponseSize: number
  /** The error of a timeout before any request was written. */
  notConnected(): WireLimit
}

/** Sends one request on one dispatcher and always resolves. */
export function dispatch(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  bounds: Bounds,
): Promise<Arrival> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let socket: SocketFacts | undefined
    let reused = false
    let status = 0
    let headers: [string, string][] = []
    let chunks: Buffer[] = []
    let size = 0
    let settled = false
    let endedAt: number | undefined

    const timer = setTimeout(() => {
      const words = `no complete response within ${bounds.timeout / 1000} s`
      stop(socket ? new WireLimit('timeout', 'TIMEOUT', words) : bounds.notConnected())
    }, bounds.timeout)

    const settle = (failures: Error[]) => {
      if (settled) return
      settled = true
      endedAt ??= performance.now()
      clearTimeout(timer)
      const response = failures.length === 0 && { status, headers, body: Buffer.concat(chunks) }
      chunks = []
      resolve({
        errors: failures,
        reused,
        endedAt,
        ...(response && { response }),
        ...(socket && { socket }),
      })
    }

    const stop = (error: Error) => {
      settle([error])
      controller?.abort(error)
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        if (settled) return started.abort(new WireLimit('timeout', 'TIMEOUT', 'too late'))
        onNextWrite((written: Socket) => {
          socket = factsOf(written)
          if (!socket) return
          reused = socket.requests > 0
          socket.requests += 1
          socket.expectResponse()
        })
      },
      onResponseStart(started, code) {
        status = code
        headers = pairs(started.rawHeaders)
      },
      onResponseData(_controller, chunk) {
        size += chunk.length
        if (size <= bounds.maxResponseSize) return void chunks.push(chunk)
        stop(tooLarge(bounds.maxResponseSize))
      },
      onResponseEnd() {
        endedAt = performance.now()
        // undici gives the connection back in the next turn of the event loop, by an immediate that it sets once this
        // returns; a request sent before that would open another connection.
        process.nextTick(() => setImmediate(() => settle([])))
      },
      onResponseError(_controller, error) {
        if (settled) return
        // These never have a body, whatever length they announce (RFC 9112 6.3).
        const isWhole = error instanceof errors.ResponseContentLengthMismatchError
        if (isWhole && [204, 304].includes(status)) return settle([])
        void untold(error, socket).then(settle)
      },
    }

    try {
      dispatcher.dispatch(options, handler)
    } catch (error) {
      settle([error instanceof Error ? error : new Error(String(error))])
    }
  })
}

/**
 * The error that undici reports, after those of the socket itself. An alert that refuses a client certificate under TLS
 * 1.3 may arrive after the failed write, so this waits for the socket to close.
 */
async function untold(error: Error, socket: SocketFacts | undefined): Promise<Error[]> {
  if (!socket) return [error]
  await Promise.race([socket.closed, new Promise((resolve) => setTimeout(resolve, 50).unref())])
  return [...socket.errors, error]
}

function pairs(raw: Dispatcher.DispatchController['rawHeaders']): [string, string][] {
  // An element may be a string already; toString then returns it unchanged.
  const texts = Array.isArray(raw) ? raw.map((each) => each.toString('latin1')) : []
  return texts.flatMap((name, index) => (index % 2 === 0 ? [[name, texts[index + 1] ?? '']] : []))
}
