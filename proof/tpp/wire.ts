import { request as plain } from 'node:http'
import { Agent, request as secure } from 'node:https'
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { ClientTrouble } from '../../engine/certification/client.ts'
import { decoded } from '../../engine/wire/decode.ts'
import type { Conduct, Headers } from './conduct.ts'
import { Refusal } from './refusal.ts'

type Json = Record<string, unknown>

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Names of the headers as they were written. */
  names: string[]
  text: string
  json: Json
}

export interface Message {
  method?: string
  headers?: Headers
  body?: string
}

/** Connections of the reference TPP, on Node's own HTTP. */
export interface Wire {
  /** @throws Refusal when there is no answer, or it cannot be read */
  send(url: string, message?: Message): Promise<Answer>
  close(): void
}

/** The authorities that a TPP trusts, and its own certificate. */
interface Identity {
  trust: string[]
  certificate?: string
  key?: string
}

/** Maximum number of bytes of a decompressed body. */
const LARGEST = 64 * 1024 * 1024

/** Timeout in milliseconds for an answer. */
const LONGEST = 30_000

export function openWire(
  options: Identity,
  conduct: Conduct,
  /** Keeps the first certificate of the bank, for a TPP that pins it. */
  memory: { pin?: string },
): Wire {
  const agents = openAgents(options, conduct)
  let sent = 0

  return {
    async send(url, message = {}) {
      for (let attempt = 1; ; attempt += 1) {
        sent += 1
        if (sent > conduct.endedAfter) throw new ClientTrouble('it did not end in time')
        try {
          return await answered(url, message)
        } catch (error) {
          if (error instanceof Refusal) throw error
          const { method = 'GET' } = message
          if (method === 'GET' && conduct.retryAfterClosed(attempt)) continue
          throw new Refusal(`the bank could not be reached: ${(error as Error).message}`)
        }
      }
    },
    close() {
      agents.close()
    },
  }

  async function answered(url: string, message: Message): Promise<Answer> {
    const patience = url.endsWith('/aisp/accounts') ? conduct.patienceMs : LONGEST
    const { status, headers, names, bytes } = await exchanged(url, message, patience)
    const place = status === 307 && conduct.redirects !== 'refused' && headers.location
    if (place) return answered(new URL(place, url).href, redirected(message, conduct))
    const coded = [headers['content-encoding'] ?? []]
      .flat()
      .map((value): [string, string] => ['content-encoding', value])
    const text = (conduct.decompresses ? await decoded(bytes, coded, LARGEST) : bytes).toString()
    try {
      return { status, headers, names, text, json: JSON.parse(text) as Json }
    } catch {
      const promised = status < 300 && /json/.test(String(headers['content-type']))
      if (promised) throw new Refusal('no JSON came')
      return { status, headers, names, text, json: {} }
    }
  }

  function exchanged(
    url: string,
    { method = 'GET', headers = {}, body }: Message,
    patience: number,
  ) {
    type Raw = Omit<Answer, 'text' | 'json'> & { bytes: Buffer }
    return new Promise<Raw>((resolve, reject) => {
      const options = {
        method,
        headers: { ...headers, ...(conduct.saysLengths && lengthOf(body)) },
      }
      const asked = url.startsWith('https:')
        ? secure(url, { ...options, agent: agents.of(url) })
        : plain(url, options)
      const timer = setTimeout(() => asked.destroy(new Refusal('the bank is too slow')), patience)
      asked.on('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      asked.on('socket', (socket) => {
        if (!socket.connecting) return
        socket.once('secureConnect', () => {
          const wrong = conduct.pinsTheBank && unpinned(socket as TLSSocket, memory)
          if (wrong) asked.destroy(wrong)
        })
      })
      asked.on('information', ({ statusCode: status }) => {
        if (!conduct.takesInterimAnswers) return
        clearTimeout(timer)
        resolve({ status, headers: {}, names: [], bytes: Buffer.alloc(0) })
      })
      asked.on('response', (answer) => {
        clearTimeout(timer)
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const { statusCode: status = 0, headers: received } = answer
          const names = answer.rawHeaders.filter((_, index) => index % 2 === 0)
          resolve({ status, headers: received, names, bytes: Buffer.concat(chunks) })
        })
      })
      // Written in two parts, so that Node cannot say its length.
      if (!conduct.saysLengths && body !== undefined) asked.write(body.slice(0, 20))
      asked.end(conduct.saysLengths ? body : body?.slice(20))
    })
  }
}

/** Addresses where a TPP shows its certificate. */
const MUTUAL = /\/open-banking\/(v3\.1|oauth)\//

/** The connections to each address, with what is shown and trusted there. */
function openAgents(options: Identity, conduct: Conduct) {
  const agents = new Map<string, Agent>()
  return {
    of(url: string): Agent {
      const isData = url.includes('/aisp/')
      const trusting =
        conduct.trustsAnybody ||
        (conduct.verifiesDataAlone && !isData) ||
        (conduct.verifiesWithoutItsOwnAlone && MUTUAL.test(url))
      const bare = !conduct.tokensWithCertificate && url.endsWith('/token')
      const name = `${trusting} ${bare}`
      const agent =
        agents.get(name) ?? agentFor(bare ? { trust: options.trust } : options, conduct, trusting)
      agents.set(name, agent)
      return agent
    },
    close() {
      for (const each of agents.values()) each.destroy()
    },
  }
}

const agentFor = (
  identity: Identity,
  { checksTheHost, keepsConnections }: Conduct,
  trusting: boolean,
) =>
  new Agent({
    keepAlive: keepsConnections,
    maxCachedSessions: 0,
    secureContext: contextOf(identity),
    rejectUnauthorized: !trusting,
    ...(!checksTheHost && { checkServerIdentity: () => undefined }),
  })

/** Does the bank's certificate differ from the first one? */
function unpinned(socket: TLSSocket, memory: { pin?: string }): Refusal | undefined {
  const seen = socket.getPeerCertificate().fingerprint256
  memory.pin ??= seen
  if (seen === memory.pin) return undefined
  return new Refusal('the certificate of the bank is another one')
}

/** The request that is sent to the target of a redirect. */
function redirected(message: Message, { redirects }: Conduct): Message {
  if (redirects === 'followed-with-the-token') return message
  const others = Object.entries(message.headers ?? {}).filter(
    ([name]) => name.toLowerCase() !== 'authorization',
  )
  return { ...message, headers: Object.fromEntries(others) }
}

const contexts = new Map<string, SecureContext>()

/** The certificates that are presented and trusted, read once instead of for every connection. */
function contextOf(options: Identity): SecureContext {
  const name = JSON.stringify(options)
  const { trust: ca, certificate: cert, key } = options
  const context = contexts.get(name) ?? createSecureContext({ ca, cert, key })
  contexts.set(name, context)
  return context
}

const lengthOf = (body: string | undefined) =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }

export function refused(what: string, { status, text }: Answer): Refusal {
  return new Refusal(`${what} was refused: ${status} ${text.slice(0, 200)}`)
}
