import type { Socket } from 'node:net'

/** Remembers when connections were accepted, until their first request. */
export function rememberConnections() {
  const accepted = new Map<string, number>()
  // A TLS connection is another object than the one that was accepted.
  const portsOf = ({ localPort, remotePort }: Socket) => `${localPort} ${remotePort}`
  return {
    note(socket: Socket): void {
      const ports = portsOf(socket)
      accepted.set(ports, Date.now())
      socket.once('close', () => accepted.delete(ports))
    },
    /** When the connection of a request was accepted, in milliseconds since 1970; only for its first request. */
    acceptedFor(socket: Socket): number | undefined {
      const ports = portsOf(socket)
      const at = accepted.get(ports)
      accepted.delete(ports)
      return at
    },
  }
}
