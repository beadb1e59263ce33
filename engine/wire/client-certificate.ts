import { Agent } from 'undici'
import type { Target } from '../configuration/resolve.ts'
import { connector, contextOf } from './connector.ts'

/** One client certificate, or none, and the connections on which it is offered. */
export interface Identity {
  /** Connections to an origin, in the version of HTTP that it was found to speak. */
  agentFor(origin: string): Agent
  /** From now on this origin is spoken to in HTTP/2: it speaks nothing else. */
  speaksHttp2(origin: string): void
  /** Is it spoken to in HTTP/2? */
  inHttp2(origin: string): boolean
  oneConnection(origin: string): Agent
  destroy(): Promise<void>
  /** TCP connections that have begun and do not stand yet. */
  reaching(): number
}

/**
 * Reads the certificate of an identity and prepares its connections; none is opened yet.
 *
 * @throws Error of OpenSSL when the certificate cannot be offered.
 */
export async function openIdentity(target: Target, name: string): Promise<Identity> {
  const transport =
    name === 'untrusted' && !target.transports.untrusted
      ? await (await import('./self-signed-certificate.ts')).selfSigned()
      : target.transports[name]
  let reaching = 0
  const context = contextOf(transport, target.trust)
  const open = (http2: boolean) => {
    const connect = connector({
      context,
      http2,
      proxy: target.proxy,
      timeout: target.timeout + 1000,
      reaching: (begun) => {
        reaching += begun ? 1 : -1
      },
    })
    const limits = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 65_536 }
    return new Agent({ connect, allowH2: http2, ...limits })
  }
  const agent = open(false)
  let second: Agent | undefined
  const inHttp2 = new Set<string>()
  const agentFor = (origin: string) => {
    if (!inHttp2.has(origin)) return agent
    second ??= open(true)
    return second
  }
  return {
    agentFor,
    speaksHttp2: (origin) => void inHttp2.add(origin),
    inHttp2: (origin) => inHttp2.has(origin),
    oneConnection: (origin) => open(inHttp2.has(origin)),
    reaching: () => reaching,
    destroy: async () => void (await Promise.all([agent.destroy(), second?.destroy()])),
  }
}
