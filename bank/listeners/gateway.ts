import { X509Certificate } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Transport } from '../policies/access.ts'
import type { Settings } from '../state/settings.ts'

/**
 * A bank behind a gateway: the gateway ends TLS and passes the client's certificate to the bank in headers. The bank
 * trusts these headers, so the gateway must set both itself and overwrite what the client sent.
 */

/** The client's certificate, in one of the forms that `certificateTold` reads. */
const CERTIFICATE = 'client-cert'

/** The gateway's verification result: absent, SUCCESS (nginx, Apache) or 0 (HAProxy) means valid. */
const VERIFIED = 'client-verify'

const VALID = [undefined, '', 'SUCCESS', '0']

export const isBehindGateway = ({ gateway }: Pick<Settings, 'gateway'>): boolean =>
  Object.keys(gateway).length > 0

/** What the gateway says about the client's certificate. */
export function transportTold(
  headers: IncomingHttpHeaders,
): Pick<Transport, 'authorized' | 'error'> {
  const found = textOf(headers[VERIFIED])
  if (certificateTold(headers) === undefined) return { authorized: false }
  return VALID.includes(found) ? { authorized: true } : { authorized: false, error: found }
}

/**
 * The client's certificate as a gateway passes it on: RFC 9440 (`:Base64 of the DER form:`), Base64 only (HAProxy's
 * ssl_c_der), percent-encoded PEM (nginx's $ssl_client_escaped_cert) or PEM in one line (Apache's SSL_CLIENT_CERT).
 * Undefined when there is none, or when it cannot be read.
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
