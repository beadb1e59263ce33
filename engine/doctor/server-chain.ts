import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate } from 'node:tls'
import type { Target } from '../configuration/resolve.ts'
import { contextOf } from '../wire/connector.ts'
import { tlsSession } from '../wire/tls-session.ts'
import { day, nameOf } from './certificate.ts'

export type ServerChain = NonNullable<ReturnType<typeof chainOf>>

/** Reads the certificates of a server without trusting them. Undefined if it shows none in time. */
export async function serverChain(
  origin: string,
  { proxy, transports, trust }: Target,
  timeout: number,
) {
  if (new URL(origin).protocol !== 'https:') return undefined
  const socket = await tlsSession(origin, {
    ...{ proxy, timeout, rejectUnauthorized: false },
    // Offered because a TLS 1.2 server that requires a client certificate otherwise aborts the handshake.
    secureContext: contextOf(transports.first, trust),
  }).catch(() => undefined)
  const chain = socket && chainOf(socket.getPeerCertificate(true))
  socket?.destroy()
  return chain
}

function chainOf(peer: DetailedPeerCertificate) {
  if (!peer.raw) return undefined
  const leaf = new X509Certificate(peer.raw)
  let last = peer
  // The chain ends at a certificate that names itself as issuer, or where the server stopped.
  for (let seen = 0; seen < 10; seen += 1) {
    const { issuerCertificate: next } = last
    if (!next || next.fingerprint256 === last.fingerprint256) break
    last = next
  }
  return {
    subject: nameOf(leaf.subject),
    /** Names that the certificate is valid for. */
    names: (leaf.subjectAltName ?? '').split(', ').map((name) => name.replace(/^[^:]*:/, '')),
    /**
     * The server sends only its own certificate, which states where the issuer's can be fetched (RFC 5280 4.2.2.1).
     * Public authorities state that, so the issuer is an intermediate authority.
     */
    incomplete:
      last === peer && leaf.subject !== leaf.issuer && /CA Issuers/.test(leaf.infoAccess ?? ''),
    /** YYYY-MM-DD. */
    ends: day(leaf.validTo),
    /** The end of validity to the second, in UTC. */
    notAfter: new Date(leaf.validTo).toISOString(),
    /** The issuer of the last certificate shown: the one that a trust store must contain. */
    missing: nameOf(new X509Certificate(last.raw).issuer),
  }
}
