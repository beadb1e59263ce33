import { constants, type KeyObject, sign } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { Agent, request } from 'undici'
import type { Target } from '../engine/configuration/resolve.ts'
import { root } from '../engine/record/root.ts'
import type { Exchange } from '../engine/wire/exchange.ts'

/** A program that only sends: the same requests, connections and signatures, but no verdict. */
export interface Peer {
  /** Is every JSON answer validated by plain ajv, with the same schemas? */
  ajv: boolean
}

/** Milliseconds in total, and for the signatures only. */
interface Replayed {
  took: number
  signing: number
}

/** Sends every request of a run again, in order, with one connection pool per client certificate. */
export async function replay(sent: Exchange[], target: Target, peer: Peer): Promise<Replayed> {
  const agents = new Map<string, Agent>()
  const agentOf = (identity: string) => {
    const known = agents.get(identity)
    if (known) return known
    const { certificate, key } = target.transports[identity] ?? {}
    const made = new Agent({ connect: { ca: target.trust, cert: certificate, key } })
    agents.set(identity, made)
    return made
  }
  const validators = peer.ajv ? plainValidators() : undefined
  const { signingKey } = target.clients.first
  let signing = 0
  const began = performance.now()
  for (const exchange of sent) {
    const { request: message, connection, endpoint } = exchange
    const clock = performance.now()
    for (const jwt of jwtsOf(exchange)) signAgain(jwt, signingKey)
    signing += performance.now() - clock
    try {
      const answer = await request(message.url, {
        method: message.method as 'GET',
        headers: message.headers.flat(),
        body: message.body ?? null,
        dispatcher: agentOf(connection.identity),
      })
      const text = await answer.body.text()
      if (!validators) continue
      const json: unknown = JSON.parse(text)
      for (const validate of validators.get(`${endpoint} ${answer.statusCode}`) ?? [])
        validate(json)
    } catch {
      // A refused connection, or an answer that is not JSON, is part of the load.
    }
  }
  const took = performance.now() - began
  await Promise.all([...agents.values()].map((agent) => agent.destroy()))
  return { took, signing }
}

/** The JWTs that a client signed for a request: registration, client assertion, request object. */
function jwtsOf({ request: { url, body = '' } }: Exchange): string[] {
  return `${url} ${body}`.match(/eyJ[\w-]+\.eyJ[\w-]+/g) ?? []
}

function signAgain(jwt: string, key: KeyObject): void {
  const padding = constants.RSA_PKCS1_PSS_PADDING
  sign('sha256', Buffer.from(jwt), { key, padding, saltLength: 32 })
}

/** Validators of plain ajv by endpoint and status: `accounts 200`. */
export function plainValidators(): Map<string, ValidateFunction[]> {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true })
  addFormats.default(ajv)
  const found = new Map<string, ValidateFunction[]>()
  for (const document of ['account-information', 'product-information']) {
    const folder = join(root, 'schemas', document)
    for (const file of readdirSync(folder)) {
      const { responses = [], ...schema } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      for (const response of responses as string[]) {
        const [endpoint = '', status = ''] = response.split(' ')
        for (const code of status === '2xx' ? [200, 201, 204] : [Number(status)]) {
          const key = `${endpoint} ${code}`
          found.set(key, [
            ...(found.get(key) ?? []),
            ajv.getSchema(schema.$id) ?? ajv.compile(schema),
          ])
        }
      }
    }
  }
  return found
}
