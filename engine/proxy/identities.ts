import type { X509Certificate } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import type { Target } from '../configuration/resolve.ts'
import { now } from '../record/clock.ts'
import { contextOf } from '../wire/connector.ts'
import { certificatesOf } from '../wire/transport-certificates.ts'

/** The identity that a client showed, and how the proxy identifies itself to the bank. */
export interface Identity {
  /** Name of the client in the target file; none: it showed no certificate. */
  name: string
  /** Name of its certificate in a TPP's rules: none, valid, or what is wrong with it. */
  certificate: string
  context: SecureContext
}

/** A public key, as text. The handshake proves that whoever shows a certificate has its private key. */
const keyOf = ({ publicKey }: X509Certificate) =>
  publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

/**
 * Finds the certificate of a target by what a client shows: the same certificate, or another one with the same key.
 * Only a client that has a TPP's key reaches the bank with that TPP's certificate.
 */
export function openIdentities({ transports, trust }: Target) {
  const known = Object.entries(transports).flatMap(([name, transport]) => {
    const [leaf] = certificatesOf(transport)
    return leaf ? [{ name, leaf, context: contextOf(transport, trust) }] : []
  })
  const none: Identity = { name: 'none', certificate: 'none', context: contextOf({}, trust) }
  return {
    /** Undefined: the target file does not have the key of this certificate. */
    of(shown: X509Certificate | undefined): Identity | undefined {
      if (!shown) return none
      const found =
        known.find(({ leaf }) => leaf.fingerprint256 === shown.fingerprint256) ??
        known.find(({ leaf }) => keyOf(leaf) === keyOf(shown))
      return found && { ...found, certificate: wordFor(found.name, found.leaf) }
    },
  }
}

function wordFor(name: string, { validTo }: X509Certificate): string {
  if (name === 'untrusted') return 'refused'
  return Date.parse(validTo) < now() ? 'CERT_HAS_EXPIRED' : 'valid'
}
