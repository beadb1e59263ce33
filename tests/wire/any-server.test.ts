import type { Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import { createWire, type Wire } from '../../engine/wire/wire.ts'
import { documentFor } from '../configuration/documents.ts'
import { authority } from './certificates.ts'
import { type Running, rawTls } from './servers.ts'

/** What a server may do next on a connection. */
type Act = { write: string } | { wait: number } | { end: 'fin' | 'reset' }

const HEAD = 'HTTP/1.1 200 OK\r\n'
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.constantFrom(
    { write: HEAD },
    { write: 'Content-Length: 2\r\n\r\n' },
    { write: 'Transfer-Encoding: chunked\r\n\r\n' },
    { write: 'Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc' },
    { write: '2\r\nok\r\n0\r\n\r\n' },
    { write: 'ok' },
    { write: `${HEAD}Content-Length: 0\r\n\r\n` },
    { write: 'HTTP/1.1 100 Continue\r\n\r\n' },
    { write: 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n' },
    { write: 'HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n' },
    { write: `${HEAD}Connection: close\r\n\r\n` },
    { write: `${HEAD}Content-Length: 99999999999999999999\r\n\r\n` },
  ),
  fc.record({ write: fc.string({ maxLength: 30, unit: 'binary' }) }),
  fc.record({ wait: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ end: fc.constantFrom('fin' as const, 'reset' as const) }),
)

let script: Act[] = []
let server: Running
let wire: Wire

beforeAll(async () => {
  const ca = await authority('directory')
  const { certificate, key } = await ca.issue('bank')
  server = await rawTls({ cert: certificate, key }, (socket) => {
    socket.on('data', () => void play(socket, script))
  })
  wire = createWire({
    ...targetFrom(documentFor(server.url, { trust: ca.certificate })),
    timeout: 100,
    maxResponseSize: 1000,
  })
})

afterAll(async () => {
  await wire.close()
  await server.close()
})

async function play(socket: Socket, acts: Act[]): Promise<void> {
  for (const next of acts) {
    if ('wait' in next) await new Promise((resolve) => setTimeout(resolve, next.wait))
    else if ('write' in next) socket.write(next.write, 'latin1')
    else if (next.end === 'fin') socket.end()
    else socket.destroy()
  }
}

test('whatever a server does, a request ends in time with a response or a failure', async () => {
  const arbitrary = fc.array(act, { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(arbitrary, fc.constantFrom('GET', 'POST', 'HEAD'), async (acts, method) => {
      script = acts
      const started = performance.now()
      const exchange = await wire.send({
        endpoint: 'accounts',
        identity: 'none',
        method,
        url: `${server.url}/`,
        headers: [],
        ...(method === 'POST' && { body: '{}' }),
      })
      // Twice the time-out: an idle connection that broke is replaced once.
      expect(performance.now() - started).toBeLessThan(500)
      expect(Boolean(exchange.response) !== Boolean(exchange.failure)).toBe(true)
      if (exchange.response) expect(exchange.response.status).toBeGreaterThanOrEqual(200)
    }),
    { numRuns: 60, endOnFailure: true },
  )
}, 60_000)
