import { X509Certificate } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Transport } from '../policies/access.ts'
import type { Settings } from '../state/settings.ts'

/**
 * A bank behind a gateway: the gateway ends TLS, and tells the bank in headers which certificate the client showed.
 * The bank believes it, as banks do; so the gateway must set both headers itself, whatever the client sent.
 */

/** The certificate that the client showed, in one of the forms of `certificateTold`. */
const CERTIFICATE = 'client-cert'

/** What the gateway found of it: absent, SUCCESS (nginx, Apache) or 0 (HAProxy) where it is valid. */
const VERIFIED = 'client-verify'

const VALID = [undefined, '', 'SUCCESS', '0']

export const isBehindGateway = ({ gateway }: Pick<Settings, 'gateway'>): boolean =>
  Object.keys(gateway).length > 0

/** What the gateway says about the other end. */
export function transportTold(
  headers: IncomingHttpHeaders,
): Pick<Transport, 'authorized' | 'error'> {
  const found = textOf(headers[VERIFIED])
  if (certificateTold(headers) === undefined) return { authorized: false }
  return VALID.includes(found) ? { authorized: true } : { authorized: false, error: found }
}

/**
 * The client's certificate as a gateway passes it on: RFC 9440 (`:Base64 of the DER form:`), Base64 alone (HAProxy's
 * ssl_c_der), PEM that is percent-encoded (nginx's $ssl_client_escaped_cert) or in one line (Apache's SSL_CLIENT_CERT).
 * Undefined where there is none, or none that can be read.
 */
export function certificateTold(headers: IncomingHttpHeaders): X509Certificate | undefined {
  const told = textOf(headers[CERTIFICATE]) ?? ''
  const text = told.includes('%') ? decoded(told) : told
  const base64 = text.replace(/-----(BEGIN|END) CERTIFICATE-----|^:|:$|\s/g, '')
  try {
    return base64 === '' ? undefined : new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined
