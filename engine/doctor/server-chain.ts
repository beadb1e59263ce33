import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate } from 'node:tls'
import type { Target } from '../configuration/resolve.ts'
import { contextOf } from '../wire/connector.ts'
import { tlsSession } from '../wire/tls-session.ts'
import { day, nameOf } from './certificate.ts'

export type ServerChain = NonNullable<ReturnType<typeof chainOf>>

/** What a server shows of itself, read without trusting it. Undefined when it shows no certificate in time. */
export async function serverChain(
  origin: string,
  { proxy, transports, trust }: Target,
  timeout: number,
) {
  if (new URL(origin).protocol !== 'https:') return undefined
  const socket = await tlsSession(origin, {
    ...{ proxy, timeout, rejectUnauthorized: false },
    // Offered, so that a server of TLS 1.2 that insists on one lets the handshake end.
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
  // The chain ends in a certificate that names itself, or where the server stopped.
  for (let seen = 0; seen < 10; seen += 1) {
    const { issuerCertificate: next } = last
    if (!next || next.fingerprint256 === last.fingerprint256) break
    last = next
  }
  return {
    subject: nameOf(leaf.subject),
    /** Names that the certificate is for. */
    names: (leaf.subjectAltName ?? '').split(', ').map((name) => name.replace(/^[^:]*:/, '')),
    /**
     * It sends its own certificate and no other one, and that says where its issuer's can be had (RFC 5280 4.2.2.1), as those
     * of public authorities do: the issuer is one between.
     */
    incomplete:
      last === peer && leaf.subject !== leaf.issuer && /CA Issuers/.test(leaf.infoAccess ?? ''),
    /** YYYY-MM-DD. */
    ends: day(leaf.validTo),
    /** The same, to the second: UTC. */
    notAfter: new Date(leaf.validTo).toISOString(),
    /** The authority of the last certificate shown: what a trust store must hold. */
    missing: nameOf(new X509Certificate(last.raw).issuer),
  }
}
