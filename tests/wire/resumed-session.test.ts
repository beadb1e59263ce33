import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type TlsOptions } from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import { createAuthority } from '../../bank/listeners/certificates.ts'
import { sessionWithoutCertificate } from '../../engine/wire/resumed-session.ts'

const authority = await createAuthority('CN=Tickets')
const { certificate: cert, key } = await authority.issueServer()
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function listener(options: TlsOptions = {}): Promise<string> {
  const server = createServer({ cert, key, ...options }, (socket) => socket.on('error', () => {}))
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ticketKeys = Buffer.alloc(48, 7)
const options = { ca: [authority.certificate], timeout: 2000 }

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a session of a listener without certificates is resumed by another with the same keys: %s',
  async (maxVersion) => {
    const open = await listener({ ticketKeys, maxVersion })
    const other = new URL(await listener({ ticketKeys, maxVersion }))
    const session = await sessionWithoutCertificate(['https://127.0.0.1:1', open], options)
    expect(session).toBeInstanceOf(Buffer)
    const socket = connect({ host: other.hostname, port: Number(other.port), session, ...options })
    await once(socket, 'secureConnect')
    expect(socket.isSessionReused()).toBe(true)
    socket.destroy()
  },
)

test('there is none where no listener is there, or trusted', async () => {
  expect(await sessionWithoutCertificate([], options)).toBeUndefined()
  expect(await sessionWithoutCertificate(['https://127.0.0.1:1'], options)).toBeUndefined()
  const strange = { ...options, ca: [] }
  expect(await sessionWithoutCertificate([await listener()], strange)).toBeUndefined()
})
