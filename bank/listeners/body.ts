import type { IncomingMessage } from 'node:http'

const limit = 1_000_000

/** The whole body as text (UTF-8); undefined when it is longer than a megabyte. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length
    if (length > limit) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString()
}

/**
 * Lets what follows read the body again, as `current` gives it then. The length of a body may
 * change on the way, so a request that has one says that it is chunked.
 */
export function replayBody(request: IncomingMessage, current: () => string): void {
  if (current() !== '') {
    delete request.headers['content-length']
    request.headers['transfer-encoding'] = 'chunked'
  }
  async function* chunks() {
    yield Buffer.from(current())
  }
  Object.defineProperties(request, {
    readable: { value: true },
    iterator: { value: chunks },
  })
}
