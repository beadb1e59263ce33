import { Agent } from 'undici'
import type { Target } from '../target/resolve.ts'
import { connector, contextOf } from './connector.ts'
import { selfSigned } from './untrusted.ts'

/** One client certificate, or none, and the connections on which it is offered. */
export interface Identity {
  agent: Agent
  oneConnection(): Agent
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
      ? await selfSigned()
      : target.transports[name]
  let reaching = 0
  const connect = connector({
    context: contextOf(transport, target.trust),
    proxy: target.proxy,
    timeout: target.timeout + 1000,
    reaching: (begun) => {
      reaching += begun ? 1 : -1
    },
  })
  const open = () =>
    new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 65_536 })
  return { agent: open(), oneConnection: open, reaching: () => reaching }
}
