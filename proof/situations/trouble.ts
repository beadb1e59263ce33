import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export type ListenerName = 'api' | 'authorisation' | 'discovery' | 'products'

/** What happens to a connection to a listener. */
export type Trouble =
  | 'passes'
  /** Nothing listens. */
  | 'down'
  /** It is accepted, but never answered. */
  | 'silent'
  /** It is closed as soon as it is accepted. */
  | 'reset'
  /** It is cut in the middle of each answer. */
  | 'cut'
  /** Answers come late. */
  | 'slow'
  /** A server without TLS answers. */
  | 'plain'

/** Number of bytes of an answer before the connection is cut: after the handshake, within the first response. */
const CUT_AFTER = 2600

/** Delay in milliseconds. */
const SLOWNESS = 10

/** Opens a port in front of a listener of the bank; connections to it fail in this way. */
export async function openTrouble(
  address: string,
  does: Trouble,
): Promise<{ url: string; close(): Promise<void> }> {
  const to = new URL(address)
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client)
    client.on('error', () => {}).on('close', () => open.delete(client))
    handle(client, Number(to.port), does)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const url = `https://127.0.0.1:${port}`
  if (does === 'down') await closed(server, open)
  return { url, close: () => closed(server, open) }
}

function handle(client: Socket, port: number, does: Trouble): void {
  if (does === 'silent') return
  if (does === 'reset') return void client.resetAndDestroy()
  if (does === 'plain') return void client.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  const bank = connect(port, '127.0.0.1')
  bank.on('error', () => client.destroy())
  client.on('close', () => bank.destroy())
  bank.on('close', () => client.destroy())
  client.pipe(bank)
  let bytes = 0
  bank.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (does === 'cut' && bytes > CUT_AFTER) return client.resetAndDestroy()
    if (does !== 'slow') return client.write(chunk)
    return setTimeout(() => client.writable && client.write(chunk), SLOWNESS)
  })
}

async function closed(server: Server, open: Set<Socket>): Promise<void> {
  for (const socket of open) socket.destroy()
  if (!server.listening) return
  server.close()
  await once(server, 'close')
}
