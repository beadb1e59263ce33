import { createHash, X509Certificate } from 'node:crypto'

/** RFC 8705 3.1, `x5t#S256`. */
export const thumbprintIn = ({ raw }: X509Certificate) =>
  createHash('sha256').update(raw).digest('base64url')

/** The thumbprint of a PEM certificate. */
export const thumbprintOf = (pem: string) => thumbprintIn(new X509Certificate(pem))
