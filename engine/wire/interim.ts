import type { Socket } from 'node:net'

const INTERIM = /^HTTP\/1\.\d 1(?!01)\d\d/
/** The first bytes of any interim response; x is a digit. */
const BEGINS = 'HTTP/1.x 1xx'
/** Maximum length, in bytes, of an interim response; a longer one is left to undici. */
const LONGEST = 16_384

/**
 * Removes interim responses before a response. RFC 9110 15.2: "A client MUST be able to parse one or more 1xx responses
 * received prior to a final response, even if the client does not expect one"; undici closes the connection after a
 * 100. A 101 changes the protocol, so it is not removed.
 *
 * @returns a function to call before each request that is written to the socket.
 */
export function withoutInterim(socket: Socket): () => void {
  const read = socket.read.bind(socket)
  let beginning = false
  let held: Buffer = Buffer.alloc(0)

  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read(size)
      if (!beginning || !Buffer.isBuffer(chunk)) return chunk
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const rest = afterInterim(held)
      if (rest === undefined) continue
      held = Buffer.alloc(0)
      beginning = false
      return rest
    }
  }
  return () => {
    beginning = true
  }
}

/** What follows the interim responses; undefined while more of them may come. */
function afterInterim(bytes: Buffer): Buffer | undefined {
  let rest = bytes
  for (;;) {
    const start = rest.toString('latin1', 0, BEGINS.length)
    if (start.length < BEGINS.length) return mayBegin(start) ? undefined : rest
    if (!INTERIM.test(start)) return rest
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return rest.length < LONGEST ? undefined : rest
    rest = rest.subarray(end + 4)
  }
}

function mayBegin(start: string): boolean {
  return [...start].every((sign, place) => {
    const wanted = BEGINS[place]
    return wanted === 'x' ? /\d/.test(sign) : sign === wanted
  })
}
