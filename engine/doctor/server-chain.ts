import { X509Certificate } from 'node:crypto'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import type { Target } from '../configuration/resolve.ts'
import { tunnel } from '../wire/connect-proxy.ts'
import { contextOf } from '../wire/connector.ts'
import { day, nameOf } from './certificate.ts'

/** What a server shows of itself, read without trusting it. */
export interface ServerChain {
  subject: string
  /** Names that the certificate is for. */
  names: string[]
  /** YYYY-MM-DD. */
  ends: string
  /** The authority of the last certificate shown: what a trust store must hold. */
  missing: string
}

/**
 * Opens a TLS session and closes it again; no request is sent on it. Undefined when the server shows
 * no certificate in time.
 */
export async function serverChain(
  origin: string,
  { proxy, transports, trust }: Target,
  timeout: number,
): Promise<ServerChain | undefined> {
  const { hostname, port, protocol } = new URL(origin)
  if (protocol !== 'https:') return undefined
  const host = hostname.replace(/^\[|\]$/g, '')
  try {
    const through = proxy && (await tunnel(proxy, { hostname: host, port, protocol }, timeout))
    return await new Promise((resolve) => {
      const socket = connect({
        ...(through ? { socket: through } : { host, port: Number(port) || 443 }),
        ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
        // Offered, so that a server of TLS 1.2 that insists on one lets the handshake end.
        secureContext: contextOf(transports.first, trust),
        rejectUnauthorized: false,
      })
      const end = (chain?: ServerChain) => {
        clearTimeout(timer)
        socket.destroy()
        resolve(chain)
      }
      const timer = setTimeout(() => end(), timeout)
      socket.once('error', () => end())
      socket.once('secureConnect', () => end(chainOf(socket.getPeerCertificate(true))))
    })
  } catch {
    return undefined
  }
}

function chainOf(peer: DetailedPeerCertificate): ServerChain | undefined {
  if (!peer.raw) return undefined
  const leaf = new X509Certificate(peer.raw)
  let last = peer
  // The chain ends in a certificate that names itself, or where the server stopped.
  for (let seen = 0; seen < 10; seen += 1) {
    const { issuerCertificate: next } = last
    if (!next || next.fingerprint256 === last.fingerprint256) break
    last = next
  }
  return {
    subject: nameOf(leaf.subject),
    names: (leaf.subjectAltName ?? '').split(', ').map((name) => name.replace(/^[^:]*:/, '')),
    ends: day(leaf.validTo),
    missing: nameOf(new X509Certificate(last.raw).issuer),
  }
}
