import type { CallDeviation } from '../../engine/suite-api/flow.ts'
import { FORWARDED_BY, type ForwardedBy, forwarded } from './client-certificate-headers.ts'
import type { Value, ValueType } from './value-type.ts'

/** The client of a request, and the certificates of the target. */
export interface Certificates {
  /** Name of the identity with its own transport certificate. */
  own: string
  /** Names of all identities of the target: none, untrusted, forged, expired, the other client’s. */
  identities: readonly string[]
  /** The client's own certificate in PEM; absent where it cannot be read. */
  certificate?: string
}

/** The certificate that a request uses. */
export interface OverCertificate extends Pick<CallDeviation, 'identity' | 'headers'> {
  /**
   * The access token is also fetched over that certificate. If tokens are bound to a certificate, the
   * client’s own token is refused because of the binding, whatever the gateway does with the certificate.
   */
  tokenOver?: 'same'
}

const REQUIRED =
  '“Consent and data endpoints are served over mutual TLS and require a valid open banking transport certificate.”'

type Row = Value<Certificates, OverCertificate>

/** A request without a certificate, or over an invalid one, with the client’s own token. */
const invalid = (identity: string, words: string): Row[] => [
  {
    id: identity,
    words,
    level: 'must',
    because: REQUIRED,
    make(right) {
      const shown = shownFor(identity, right)
      return shown === undefined ? undefined : { identity: shown }
    },
  },
]

/**
 * The identity whose certificate is shown; undefined where the target has none. In place of the first client's,
 * one of an unknown authority says what the right one says: a bank may find its clients by such names alone.
 */
function shownFor(identity: string, { own, identities }: Certificates): string | undefined {
  const forged = identity === 'untrusted' && own === 'first' && identities.includes('forged')
  const shown = forged ? 'forged' : identity
  return identities.includes(shown) ? shown : undefined
}

/** The same with a token from the same connection. */
const withToken = (identity: string, words: string): Row => ({
  id: `${identity}-with-token`,
  words: `${words}, with a token that was fetched in the same way`,
  level: 'must',
  because: REQUIRED,
  make(right) {
    const shown = shownFor(identity, right)
    return shown === undefined ? undefined : { identity: shown, tokenOver: 'same' }
  },
})

const headersOf = ({ headers }: ForwardedBy, { certificate }: Certificates) =>
  certificate === undefined ? undefined : headers(forwarded(certificate))

const inHeaders: Row[] = FORWARDED_BY.map((by) => ({
  id: `header-${by.id}`,
  words: `without one, with the client’s own certificate ${by.words.replace(/^by/, 'named by')}`,
  level: 'must',
  because: `${REQUIRED} A header is not a certificate, and what it says was not proven (RFC 9440 4).`,
  make(right) {
    const headers = headersOf(by, right)
    return headers && { identity: 'none', headers }
  },
}))

/** For a gateway that accepts any certificate and believes the header. */
const overAnother: Row[] = FORWARDED_BY.filter(({ id }) =>
  ['client-cert', 'x-ssl-client-cert', 'envoy', 'haproxy'].includes(id),
).map((by) => ({
  id: `untrusted-and-header-${by.id}`,
  words: `of an unknown authority, with the client’s own certificate ${by.words}`,
  level: 'must',
  because: `${REQUIRED} A header is not a certificate, and what it says was not proven (RFC 9440 4).`,
  make(right) {
    const headers = headersOf(by, right)
    if (!headers || !right.identities.includes('untrusted')) return undefined
    return { identity: 'untrusted', headers }
  },
}))

const beside: Row[] = FORWARDED_BY.map((by) => ({
  id: `own-and-header-${by.id}`,
  words: `of its own, which stands also ${by.words.replace(/^by/, 'named by')}`,
  lawful: true,
  level: 'observe',
  because:
    'RFC 9440 2.4: a gateway removes or overwrites such a header, or MAY reject the request with 400.',
  make(right) {
    const headers = headersOf(by, right)
    return headers && { identity: right.own, headers }
  },
}))

/** The certificate that a request uses, and headers that must not replace it. */
export const clientCertificate: ValueType<Certificates, OverCertificate> = {
  name: 'client certificate',
  grammar:
    'The certificate of a TLS handshake and its validity (RFC 5280 6.1.3), and RFC 9440 with the headers that gateways use in its stead',
  parts: [
    {
      part: 'no certificate',
      rows: invalid('none', 'that is missing'),
    },
    {
      part: 'a handshake that asked for none (RFC 8446 2.2)',
      rows: [
        {
          id: 'resumed',
          words: 'that was never asked for: a TLS session resumed that began at another listener',
          level: 'must',
          because: `${REQUIRED} A resumed session proves no certificate that it did not begin with (CVE-2025-23419).`,
          make: ({ identities }) =>
            identities.includes('resumed') ? { identity: 'resumed' } : undefined,
        },
      ],
    },
    {
      part: 'the issuer (RFC 5280 6.1.3 a 1 and 4)',
      rows: [...invalid('untrusted', 'of an unknown authority'), ...overAnother],
    },
    {
      part: 'the validity period (RFC 5280 6.1.3 a 2)',
      rows: invalid('expired', 'that has expired'),
    },
    {
      part: 'a token that was fetched over the same one (RFC 8705 3)',
      rows: [
        withToken('none', 'that is missing'),
        withToken('untrusted', 'of an unknown authority'),
        withToken('expired', 'that has expired'),
      ],
    },
    {
      part: 'revocation (RFC 5280 6.1.3 a 3)',
      none: 'No target gives a certificate that its authority revoked.',
    },
    {
      part: 'the subject (RFC 5280 4.1.2.6)',
      rows: [
        {
          id: 'another-clients',
          words: 'of another client',
          level: 'observe',
          because:
            'AMB-32: “require a valid open banking transport certificate” does not say whose; certificate-bound tokens are nowhere promised.',
          make({ own, identities }) {
            const other = identities.find(
              (name) => ['first', 'second'].includes(name) && name !== own,
            )
            return other === undefined ? undefined : { identity: other }
          },
        },
        {
          id: 'another-clients-with-token',
          words: 'of another client, with a token that was fetched in the same way',
          level: 'observe',
          because:
            'AMB-32: “require a valid open banking transport certificate” does not say whose, of tokens neither.',
          make({ own, identities }) {
            const other = identities.find(
              (name) => ['first', 'second'].includes(name) && name !== own,
            )
            return other === undefined ? undefined : { identity: other, tokenOver: 'same' }
          },
        },
      ],
    },
    {
      part: 'key usage and extensions (RFC 5280 4.2)',
      none: 'No target gives a certificate of its authority for another use.',
    },
    { part: 'proof of possession: a header in place of a handshake (RFC 9440 4)', rows: inHeaders },
    { part: 'headers beside a handshake (RFC 9440 2.4)', rows: beside },
  ],
}

/**
 * A missing or invalid certificate, without such headers. Resumed
 * sessions are left out: a listener resumes them for all paths alike.
 */
export const isInvalidCertificate = ({ id, level }: Row): boolean =>
  level === 'must' && !id.includes('header') && id !== 'resumed'

/** A header claims a certificate, while that of the connection is missing or invalid. */
export const isForwarded = ({ id, level }: Row): boolean =>
  level === 'must' && id.includes('header')

/** Rows of one identity only. */
export const isOver =
  (identity: 'none' | 'untrusted' | 'expired' | 'resumed') =>
  ({ id, level }: Row): boolean =>
    level === 'must' && !id.includes('header') && id.startsWith(identity)
