import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { thumbprintIn } from '../authorisation-server/thumbprint.ts'
import type { Transport } from '../policies/access.ts'
import type { Services } from '../state/services.ts'

const seen = new WeakMap<Socket, Transport>()

/** What a connection says about the other end; read once per connection. */
function transportOf(socket: Socket): Transport {
  const known = seen.get(socket)
  if (known) return known
  const { authorized, authorizationError } = socket as TLSSocket
  const certificate = (socket as TLSSocket).getPeerX509Certificate?.()
  const transport: Transport = {
    authorized,
    ...(authorizationError ? { error: String(authorizationError) } : {}),
    ...(certificate ? factsOf(certificate) : {}),
  }
  seen.set(socket, transport)
  return transport
}

/** What the bank and its directory know of a certificate beside what stands in it. */
export function transportIn(
  { withdrawn, directory }: Pick<Services, 'withdrawn' | 'directory'>,
  socket: Socket,
): Transport {
  const transport = transportOf(socket)
  const { thumbprint = '' } = transport
  // Replaced: as good as revoked.
  if (withdrawn.has(thumbprint)) return { ...transport, authorized: false, error: 'CERT_REVOKED' }
  const organisationId = directory.ownTransports.get(thumbprint) ?? transport.organisationId
  return { ...transport, ...(organisationId && { organisationId }) }
}

function factsOf(certificate: X509Certificate) {
  const unit = /^OU=(.+)/m.exec(certificate.subject)?.[1]
  return {
    thumbprint: thumbprintIn(certificate),
    ...(unit ? { organisationId: unit } : {}),
  }
}
