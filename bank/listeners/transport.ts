import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { thumbprintIn } from '../authorisation-server/thumbprint.ts'
import type { Transport } from '../policies/access.ts'
import type { Services } from '../state/services.ts'
import { certificateTold, isBehindGateway, transportTold } from './gateway.ts'

const seen = new WeakMap<Socket, Transport>()

/** What a connection says about the client's certificate; read once per connection. */
function transportOf(socket: Socket): Transport {
  const known = seen.get(socket)
  if (known) return known
  const { authorized, authorizationError } = socket as TLSSocket
  const certificate = shownOn(socket)
  const transport: Transport = {
    authorized,
    // Node has an error for no certificate too.
    ...(certificate && authorizationError ? { error: String(authorizationError) } : {}),
    ...(certificate ? factsOf(certificate) : {}),
  }
  seen.set(socket, transport)
  return transport
}

const shownOn = (socket: Socket) => (socket as TLSSocket).getPeerX509Certificate?.()

/** The certificate that a client presented: to the bank itself, or to the gateway in front of it. */
export function certificateOf(
  settings: Services['settings'],
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
): X509Certificate | undefined {
  return isBehindGateway(settings) ? certificateTold(headers) : shownOn(socket)
}

/** What the gateway says about the client of a connection. */
function transportBehind({ headers }: Pick<IncomingMessage, 'headers'>): Transport {
  const certificate = certificateTold(headers)
  return { ...transportTold(headers), ...(certificate ? factsOf(certificate) : {}) }
}

/** Adds what the bank and its directory know about a certificate beyond its content. */
export function transportIn(
  { settings, withdrawn, directory }: Pick<Services, 'settings' | 'withdrawn' | 'directory'>,
  request: Pick<IncomingMessage, 'socket' | 'headers'>,
): Transport {
  const transport = isBehindGateway(settings)
    ? transportBehind(request)
    : transportOf(request.socket)
  const { thumbprint = '' } = transport
  // A replaced certificate counts as revoked.
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
