import { createHash, type X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Transport } from './policies/access.ts'

const seen = new WeakMap<Socket, Transport>()

/** What a connection says about the other end; read once per connection. */
export function transportOf(socket: Socket): Transport {
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

function factsOf(certificate: X509Certificate) {
  const unit = /^OU=(.+)$/m.exec(certificate.subject)?.[1]
  return {
    thumbprint: createHash('sha256').update(certificate.raw).digest('base64url'),
    ...(unit ? { organisationId: unit } : {}),
  }
}
