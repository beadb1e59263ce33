/** Why a transport certificate is not accepted, for the developer of the client. */

import type { Transport } from '../policies/access.ts'

const UNKNOWN_AUTHORITY = 'was not issued by an authority of the directory'

const UNACCEPTED: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was replaced by another one',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is signed by itself',
  INVALID_PURPOSE: 'is not for clients',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
}

export const NO_CERTIFICATE = 'the client offered no transport certificate'

/** Node's name for what is wrong, in words. */
export function unacceptedWords(code: string): string {
  return `the transport certificate ${UNACCEPTED[code] ?? 'is not valid'} (${code})`
}

/** Why a connection is not that of a TPP. */
export function unacceptedTransport({ thumbprint, error }: Transport): string {
  if (thumbprint === undefined) return NO_CERTIFICATE
  return error ? unacceptedWords(error) : 'the transport certificate names no organisation'
}
