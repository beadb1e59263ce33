import { OwnTrouble, type WireFailure } from './exchange.ts'

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

/** OpenSSL's reasons for bytes that are not TLS. */
export const SPEAKS_NO_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH|UNKNOWN_PROTOCOL|HTTP_REQUEST/

/** The kind of an error by its code; the first matching pattern counts. */
const KINDS: readonly [WireFailure['kind'], RegExp][] = [
  ['tls-alert', /ALERT/],
  [
    'unreachable',
    /^(ECONNREFUSED|ENOTFOUND|EAI_(AGAIN|FAIL)|E(HOST|NET)(UNREACH|DOWN)|EADDRNOTAVAIL|E[MN]FILE|ENOBUFS|ENOMEM|EACCES|EPERM|ERR_INVALID_URL)$|^PROXY_/,
  ],
  // Reasons of OpenSSL and Node for not trusting a server: X509_V_ERR_* and host names. Node uses UNSPECIFIED for those
  // without a name: name constraints, policies, weak keys.
  [
    'untrusted',
    /^(UNABLE_TO_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_|HOSTNAME_MISMATCH$|ERROR_IN_C(ERT|RL)_|UNSPECIFIED$|ERR_TLS_CERT_ALTNAME_|ERR_SSL_.*(CERTIFICATE_VERIFY_FAILED))/,
  ],
  // This includes a stream or session that the server reset, as a gateway does if its service has gone.
  [
    'closed',
    /^(ECONNRESET|EPIPE|ECONNABORTED|ENETRESET|ERR_STREAM_PREMATURE_CLOSE|ERR_SOCKET_CLOSED|UND_ERR_(SOCKET|INFO|RES_CONTENT_LENGTH_MISMATCH)|ERR_HTTP2_(STREAM_ERROR|STREAM_CANCEL|SESSION_ERROR|GOAWAY_SESSION|INVALID_SESSION))$/,
  ],
  // The other side speaks no TLS, or no version that both ends know.
  ['unreachable', /^(ERR_SSL_|EPROTO$)/],
  ['timeout', /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/],
  // Not HTTP (HPE_*, or a parser error without a code), or endless headers.
  [
    'garbage',
    /^(ERR_TLS_|HTTPParserError$|HPE_|ERR_HTTP2_|UND_ERR_HEADERS_OVERFLOW$|UND_ERR_RESPONSE)/,
  ],
]

/**
 * Converts errors to the failure of an exchange; uses the first of the most specific errors.
 *
 * @throws OwnTrouble if no error is known to come from the bank, the network or a time-out.
 */
export function failureOf(errors: Error[]): WireFailure {
  const failures = errors.map(one).filter((failure) => failure !== undefined)
  const [first] = errors
  if (first && failures.length === 0) {
    throw new OwnTrouble(`the request failed on our side: ${codeOf(first)}: ${first.message}`, {
      cause: first,
    })
  }
  const telling = failures.find(({ kind }) => kind !== 'closed') ?? failures[0]
  return telling ?? { kind: 'closed', code: 'CLOSED', message: 'the connection was closed' }
}

function one(error: Error): WireFailure | undefined {
  const code = codeOf(error)
  const kind = kindOf(error, code)
  // OpenSSL's messages begin with a thread number and end with a position in its source.
  const [, words] = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/.exec(error.message) ?? []
  const said = (words ?? error.message.trim()) || code
  const [, plain] = PLAIN.find(([codes]) => codes.test(code)) ?? []
  return kind && { kind, code, message: plain === undefined ? said : `${plain}: ${said}` }
}

/** Explanations of the most frequent codes. */
const PLAIN: readonly [RegExp, string][] = [
  [SPEAKS_NO_TLS, 'it does not speak TLS'],
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^ENOTFOUND$/, 'the name does not resolve'],
  [/^ECONNRESET$/, 'the other end closed the connection'],
]

/** Undefined if the error says nothing about the bank: a closed client of Assay, a mistake of Assay. */
function kindOf(error: Error, code: string): WireFailure['kind'] | undefined {
  if (error instanceof WireLimit) return error.kind
  if (/SSL alert number/.test(error.message)) return 'tls-alert'
  const known = KINDS.find(([, codes]) => codes.test(code))
  if (known) return known[0]
  // undici sends no body with GET in HTTP/2: the result of such a request stays open.
  if (code === 'ERR_ASSERTION' && /body must have content length/.test(error.message)) {
    return 'unreachable'
  }
  // A value from the bank, such as a token, that no header can carry.
  if (code === 'UND_ERR_INVALID_ARG' && / header$/.test(error.message)) return 'garbage'
  return undefined
}

function codeOf(error: Error): string {
  const { code, errors } = error as Error & { code?: unknown; errors?: unknown }
  if (typeof code === 'string') return code
  // Node tries each address of a name and throws all errors together.
  if (Array.isArray(errors) && errors[0] instanceof Error) return codeOf(errors[0])
  return error.name
}
