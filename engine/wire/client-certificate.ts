import { Agent } from 'undici'
import type { Target } from '../configuration/resolve.ts'
import { connector, contextOf } from './connector.ts'
import { originOf } from './origin.ts'
import { sessionWithoutCertificate } from './resumed-session.ts'
import { certificatesOf } from './transport-certificates.ts'

/** One client certificate, or none, and the connections that offer it. */
export type Identity = Awaited<ReturnType<typeof openIdentity>>

/**
 * Reads the certificate of an identity and prepares its connections; none is opened yet.
 *
 * @throws Error of OpenSSL when the certificate cannot be offered.
 */
export async function openIdentity(target: Target, name: string) {
  const transport = (await madeUp(target, name)) ?? target.transports[name]
  const resumed = name === RESUMED ? resumedAt(target) : undefined
  /** Number of TCP connections that are being opened. */
  let reaching = 0
  const secureContext = contextOf(transport, target.trust)
  const open = (allowH2: boolean) => {
    const connect = connector({
      secureContext,
      allowH2,
      proxy: target.proxy,
      resumed,
      timeout: target.timeout + 1000,
      reaching: (begun) => {
        reaching += begun ? 1 : -1
      },
    })
    const limits = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 65_536 }
    return new Agent({ connect, allowH2, ...limits })
  }
  const agent = open(false)
  let second: Agent | undefined
  const inHttp2 = new Set<string>()
  /** The connections to an origin, in the version of HTTP that it is known to speak. */
  const agentFor = (origin: string) => {
    if (!inHttp2.has(origin)) return agent
    second ??= open(true)
    return second
  }
  return {
    agentFor,
    /** From now on, uses HTTP/2 for this origin: it speaks nothing else. */
    speaksHttp2: (origin: string) => void inHttp2.add(origin),
    inHttp2: (origin: string) => inHttp2.has(origin),
    oneConnection: (origin: string) => open(inHttp2.has(origin)),
    reaching: () => reaching,
    destroy: async () => void (await Promise.all([agent.destroy(), second?.destroy()])),
  }
}

/** A certificate that the target file does not give; undefined for other identities. */
async function madeUp(target: Target, name: string) {
  const genuine = name === FORGED ? genuineOf(target) : undefined
  if (!genuine && (name !== 'untrusted' || target.transports.untrusted)) return undefined
  const { forged, selfSigned } = await import('./self-signed-certificate.ts')
  return genuine ? forged(genuine) : selfSigned()
}

/** The identity with a forged certificate: it says what the first client's says, signed by an unknown key. */
export const FORGED = 'forged'

/** True if the first client's certificate can be read and so forged. */
export const canForge = (target: Target): boolean => genuineOf(target) !== undefined

function genuineOf({ transports }: Target) {
  try {
    return transports.first && certificatesOf(transports.first)[0]
  } catch {
    return undefined
  }
}

/** The identity without a certificate, in a TLS session that began at a listener that asks for none. */
export const RESUMED = 'resumed'

/** Origins of a target that ask for no client certificate. */
function openOrigins({ endpoints }: Target): string[] {
  const { discovery, authorisation, products } = endpoints
  const origins = [authorisation, discovery, products].map((url) => url && originOf(url))
  return [...new Set(origins)].filter((origin) => origin?.startsWith('https:')) as string[]
}

/** True if a listener without certificates gives a session that may be resumed where consents and data are. */
export async function canResume(target: Target): Promise<boolean> {
  return (await resumedAt(target)(originOf(target.endpoints.aisp) ?? '')) !== undefined
}

/** Sessions that began at another listener of the target. */
function resumedAt(target: Target) {
  const { trust, proxy, timeout } = target
  const options = { ...(trust && { ca: trust }), ...(proxy !== undefined && { proxy }), timeout }
  return (origin: string) =>
    sessionWithoutCertificate(
      openOrigins(target).filter((open) => open !== origin),
      options,
    )
}
