import { tlsSession } from './tls-session.ts'

/** Milliseconds to wait for a listener's ticket after the handshake. */
const PATIENCE = 1000

/**
 * A TLS session that began without a client certificate, from a ticket of a listener that asks for none (RFC 8446 2.2).
 * A server that shares its tickets among listeners, and asks for a certificate only in full handshakes, resumes the
 * session where a certificate is required (CVE-2025-23419).
 *
 * @param origins which ask for no certificate; the first that gives a ticket is used
 * @returns undefined if none does
 */
export async function sessionWithoutCertificate(
  origins: readonly string[],
  options: { ca?: string[]; proxy?: string; timeout: number },
): Promise<Buffer | undefined> {
  for (const origin of origins) {
    const session = await ticketOf(origin, options).catch(() => undefined)
    if (session) return session
  }
  return undefined
}

async function ticketOf(
  origin: string,
  options: { ca?: string[]; proxy?: string; timeout: number },
) {
  let given: (session: Buffer | undefined) => void = () => {}
  const ticket = new Promise<Buffer | undefined>((resolve) => {
    given = resolve
  })
  const socket = await tlsSession(origin, { ...options, onTicket: given })
  const late = setTimeout(() => given(undefined), PATIENCE)
  socket.once('close', () => given(undefined))
  socket.resume()
  try {
    return await ticket
  } finally {
    clearTimeout(late)
    socket.destroy()
  }
}
