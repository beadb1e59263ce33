import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below what systems give to whoever asks for any port: nobody takes one of these by chance. */
const LOWEST = 10_000
const HIGHEST = 30_000

/** The first of several neighbouring ports on loopback that nobody listens on. */
export async function freePort(neighbours = 8): Promise<number> {
  for (;;) {
    const first = randomInt(LOWEST, HIGHEST)
    const ports = Array.from({ length: neighbours }, (_, index) => first + index)
    const free = await Promise.all(ports.map(isFree))
    if (free.every(Boolean)) return first
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
