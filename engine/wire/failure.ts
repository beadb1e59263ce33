import type { WireFailure } from './exchange.ts'

/** A failure that the wire itself declares: time or size. */
export class WireLimit extends Error {
  readonly kind: WireFailure['kind']
  readonly code: string

  constructor(kind: WireFailure['kind'], code: string, message: string) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

export function tooLarge(limit: number): WireLimit {
  return new WireLimit('too-large', 'TOO_LARGE', `the body is larger than ${limit} bytes`)
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ERR_INVALID_URL',
])

/** Reasons of OpenSSL and Node for not trusting a server: X509_V_ERR_* and host names. */
const UNTRUSTED =
  /^(UNABLE_TO_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_|HOSTNAME_MISMATCH$|ERR_TLS_CERT_ALTNAME_|ERR_SSL_.*(CERTIFICATE_VERIFY_FAILED))/

const CLOSED = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'UND_ERR_SOCKET',
  'UND_ERR_CLOSED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
])

const TIMEOUT = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

/** Says in the terms of an exchange what kept a response away; the first error that tells most. */
export function failureOf(errors: Error[]): WireFailure {
  const failures = errors.map(one)
  const telling = failures.find(({ kind }) => kind !== 'closed') ?? failures[0]
  return telling ?? { kind: 'closed', code: 'CLOSED', message: 'the connection was closed' }
}

function one(error: Error): WireFailure {
  const code = codeOf(error)
  return { kind: kindOf(error, code), code, message: words(error) || code }
}

/** OpenSSL's messages begin with a thread's number and end with a place in its source. */
function words({ message }: Error): string {
  return /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/.exec(message)?.[1] ?? message.trim()
}

function kindOf(error: Error, code: string): WireFailure['kind'] {
  if (error instanceof WireLimit) return error.kind
  if (/ALERT/.test(code) || /SSL alert number/.test(error.message)) return 'tls-alert'
  if (UNREACHABLE.has(code) || code.startsWith('PROXY_')) return 'unreachable'
  if (UNTRUSTED.test(code)) return 'untrusted'
  if (CLOSED.has(code)) return 'closed'
  if (TIMEOUT.has(code)) return 'timeout'
  return 'garbage'
}

function codeOf(error: Error): string {
  const { code, errors } = error as Error & { code?: unknown; errors?: unknown }
  if (typeof code === 'string') return code
  // Node tries each address of a name and throws all errors together.
  if (Array.isArray(errors) && errors[0] instanceof Error) return codeOf(errors[0])
  return error.name
}
