import { afterEach, expect, test, vi } from 'vitest'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import { environmentFacts } from '../../engine/record/environment.ts'
import { tlsSession } from '../../engine/wire/tls-session.ts'
import { createWire } from '../../engine/wire/wire.ts'
import { documentFor } from '../configuration/documents.ts'
import { authority } from './certificates.ts'
import { https } from './servers.ts'

/** What a variable of the environment would change of how servers are verified. */

afterEach(() => vi.unstubAllEnvs())

const named = (env: Record<string, string>, trusts = false) =>
  environmentFacts(env, trusts).map(({ name, weakens }) => `${name}${weakens ? ' weakens' : ''}`)

test('what concerns TLS and proxies is named, and nothing else', () => {
  expect(named({ PATH: '/bin', NODE_TLS_REJECT_UNAUTHORIZED: '1', NODE_OPTIONS: '-r x' })).toEqual(
    [],
  )
  expect(
    named({
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      NODE_OPTIONS: '--tls-min-v1.0 --max-old-space-size=1',
      https_proxy: 'http://proxy',
    }),
  ).toEqual([
    'NODE_TLS_REJECT_UNAUTHORIZED weakens',
    'NODE_EXTRA_CA_CERTS',
    'NODE_OPTIONS weakens',
    'HTTPS_PROXY',
  ])
})

test('no value of a variable is told', () => {
  const env = {
    NODE_EXTRA_CA_CERTS: 'canary',
    HTTPS_PROXY: 'http://canary',
    NODE_OPTIONS: 'canary',
  }
  expect(JSON.stringify(environmentFacts(env, true))).not.toContain('canary')
})

test('no exchange comes of a server that is not trusted, whatever the environment says', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const [trusted, strange] = await Promise.all([authority('trusted'), authority('strange')])
  const [client, named] = await Promise.all([trusted.issue('first'), strange.issue('bank')])
  const server = await https({ cert: named.certificate, key: named.key }, (_, response) =>
    response.end('{}'),
  )
  const document = documentFor(server.url, {
    trust: trusted.certificate,
    first: client,
    second: client,
  })
  const wire = createWire({ ...targetFrom(document), timeout: 5000 })
  const message = { endpoint: 'accounts', identity: 'first', method: 'GET', headers: [] } as const
  const { failure, response } = await wire.send({ ...message, headers: [], url: server.url })
  expect(response).toBeUndefined()
  expect(failure?.kind).toBe('untrusted')
  await wire.close()
  await server.close()
})

test('no session with a server that is not trusted, whatever the environment says', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const strange = await authority('Strange CA')
  const { certificate: cert, key } = await strange.issue('localhost')
  const server = await https({ cert, key }, (_request, response) => response.end())
  await expect(tlsSession(server.url, { timeout: 5000 })).rejects.toThrow(/is not trusted/)
  await server.close()
})
