import { createSecureServer } from 'node:http2'
import { errors } from 'undici'
import { expect, test } from 'vitest'
import { type Target, targetFrom } from '../../engine/configuration/resolve.ts'
import { judge } from '../../engine/judge/judge.ts'
import { blockForData } from '../../engine/judge/outcome.ts'
import { OwnTrouble } from '../../engine/wire/exchange.ts'
import { failureOf } from '../../engine/wire/failure.ts'
import { createWire } from '../../engine/wire/wire.ts'
import { documentFor } from '../configuration/documents.ts'
import { authority } from './certificates.ts'
import { run, tcp } from './servers.ts'

/** Errors that say nothing of the bank: none of them is an answer of its, nor a refusal. */
const OURS = [
  new errors.ClientDestroyedError(),
  new errors.ClientClosedError(),
  new errors.InvalidArgumentError('invalid path'),
  new errors.RequestAbortedError(),
  new errors.NotSupportedError(),
  new TypeError('undefined is not a function'),
  new Error('something that nobody knows'),
]

test.each(OURS)('%s is our own trouble', (error) => {
  expect(() => failureOf([error])).toThrow(OwnTrouble)
})

/** Errors by which a bank, or the network, keeps a response away. */
const THEIRS: [Error, string][] = [
  [new errors.HTTPParserError('Invalid header value char'), 'garbage'],
  [new errors.HeadersOverflowError(), 'garbage'],
  [new errors.InvalidArgumentError('invalid authorization header'), 'garbage'],
  [Object.assign(new Error('wrong version number'), { code: 'EPROTO' }), 'unreachable'],
  [Object.assign(new Error('bad record'), { code: 'ERR_SSL_BAD_RECORD_TYPE' }), 'unreachable'],
  [new errors.SocketError('other side closed'), 'closed'],
  [new errors.InformationalError('reset'), 'closed'],
  [new errors.HeadersTimeoutError(), 'timeout'],
  [Object.assign(new Error('too many open files'), { code: 'EMFILE' }), 'unreachable'],
]

test.each(THEIRS)('%s is not', (error, kind) => {
  expect(failureOf([error]).kind).toBe(kind)
})

test('what the socket said tells more than what undici made of it', () => {
  const alert = Object.assign(new Error('unknown ca'), { code: 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA' })
  expect(failureOf([new errors.ClientDestroyedError(), alert]).kind).toBe('tls-alert')
})

/** How a check ends that sends a request after, or while, its connections are closed. */
async function ended(closing: 'before' | 'meanwhile', brokenRule?: string) {
  const silent = await tcp(() => {})
  const ca = await authority('directory')
  const first = await ca.issue('first')
  const document = documentFor(silent.url, { trust: ca.certificate, first, second: first })
  const wire = createWire({ ...targetFrom(document), timeout: 5000 } as Target)
  const get = () =>
    wire.send({
      endpoint: 'accounts',
      identity: 'first',
      method: 'GET',
      url: silent.url,
      headers: [],
    })
  if (closing === 'before') {
    // One request opens the connections that are closed then.
    setTimeout(() => void wire.close(), 50)
    await get().catch(() => {})
  } else setTimeout(() => void wire.close(), 50)
  const run = async () => void (await get())
  const judged = await judge({ id: 'X-01/y', title: '', run }, undefined, 'must', () => brokenRule)
  await silent.close()
  return judged
}

test('a client that is closed is an error of ours', async () => {
  expect(await ended('before')).toMatchObject({ outcome: 'error' })
})

test('a client that is closed meanwhile is an error of ours', async () => {
  expect(await ended('meanwhile')).toMatchObject({ outcome: 'error' })
})

test('it is no other where an answer broke a rule before', async () => {
  expect(await ended('before', 'GEN-01/json')).toMatchObject({ outcome: 'error' })
})

test('who stumbles over an answer that breaks a rule is blocked by that rule', async () => {
  const stumbles = (error: Error) =>
    judge(
      { id: 'X-01/y', title: '', run: () => Promise.reject(error) },
      undefined,
      'must',
      () => 'GEN-01/json',
    )
  expect(await stumbles(new TypeError('no list'))).toMatchObject({ outcome: 'blocked' })
  expect(await stumbles(new RangeError('no date'))).toMatchObject({ outcome: 'blocked' })
  expect(await stumbles(new Error('ours'))).toMatchObject({ outcome: 'error' })
  const lacks = { id: 'X-01/y', title: '', run: async () => blockForData('two accounts') }
  const judged = await judge(lacks, undefined, 'must', () => 'GEN-01/json')
  expect(judged.because).toEqual({ kind: 'data', what: 'two accounts' })
})

test('a GET with a body, which our HTTP/2 cannot send, leaves the connection as it was', async () => {
  const ca = await authority('directory')
  const first = await ca.issue('first')
  const { certificate: cert, key } = await ca.issue('localhost')
  const http2 = createSecureServer({ cert, key, allowHTTP1: false }, (_request, response) => {
    response.end('{}')
  })
  const server = await run(http2, 'https')
  const document = documentFor(server.url, { trust: ca.certificate, first, second: first })
  const wire = createWire({ ...targetFrom(document), timeout: 5000 } as Target)
  const get = async (body?: string) => {
    const url = `${server.url}/`
    const sent = { endpoint: 'products', identity: 'none', method: 'GET', url, headers: [] }
    return wire.send({ ...sent, ...(body && { body }) } as Parameters<typeof wire.send>[0])
  }
  expect((await get()).response?.status).toBe(200)
  expect((await get('{"a":')).failure).toMatchObject({ kind: 'unreachable' })
  expect((await get()).response?.status).toBe(200)
  await wire.close()
  await server.close()
})
