import type { X509Certificate } from 'node:crypto'
import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { certificatesIn } from '../configuration/material.ts'
import type { TransportDocument } from '../configuration/target.ts'
import { contextOf } from './connector.ts'

/** Certificates of a transport, leaf first; only the leaf for a PKCS#12 file. */
export function certificatesOf(transport: TransportDocument): X509Certificate[] {
  const written = certificatesIn(transport.certificate)
  if (written.length > 0) return written
  // Node reads PKCS#12 only for connections: a socket that never connects shows what it would offer.
  const socket = new TLSSocket(new Duplex({ read() {}, write() {} }) as never, {
    secureContext: contextOf(transport),
  })
  const leaf = socket.getX509Certificate()
  socket.destroy()
  return leaf ? [leaf] : []
}

/** The end of validity of each client's transport certificate, UTC; an unreadable one is left out. */
export function certificateEnds(
  clients: Record<string, { transport: TransportDocument } | undefined>,
): { client: string; notAfter: string }[] {
  return Object.entries(clients).flatMap(([client, named]) => {
    if (!named) return []
    try {
      const [leaf] = certificatesOf(named.transport)
      return leaf ? [{ client, notAfter: new Date(leaf.validTo).toISOString() }] : []
    } catch {
      return []
    }
  })
}
