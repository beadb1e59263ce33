import type { IncomingMessage } from 'node:http'

const limit = 1_000_000

/** The whole body as text (UTF-8); undefined when it is longer than one megabyte. */
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
 * Lets the code that follows read the body again, as `current` then returns it. An alteration may change the length of
 * the body, so a request with a body is declared as chunked.
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
