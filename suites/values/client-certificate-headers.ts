import { X509Certificate } from 'node:crypto'

/**
 * Headers in which servers that terminate TLS forward a client's certificate to the servers
 * behind them. A gateway must remove them from requests that come from outside (RFC 9440 4).
 */
export interface ForwardedBy {
  id: string
  /** Completes “with the certificate …”. */
  words: string
  headers(certificate: Forwarded): Record<string, string>
}

/** A certificate in the encodings of these headers. */
export interface Forwarded {
  /** Base64 of its DER, on one line. */
  base64: string
  /** PEM, percent-encoded: nginx’s $ssl_client_escaped_cert. */
  escaped: string
  /** PEM with spaces for line breaks: httpd’s %{SSL_CLIENT_CERT}s. */
  spaced: string
  /** PEM, percent-encoded except for + = /, as by Application Load Balancers. */
  safe: string
  /** RFC 2253: the most specific attribute first. */
  subject: string
  issuer: string
  /** OpenSSL’s old form: /C=GB/O=… */
  slashes: string
  commonName: string
  serial: string
  sha256: string
  sha1: string
}

/** The forwarded values of a certificate in PEM. */
export function forwarded(pem: string): Forwarded {
  const read = new X509Certificate(pem)
  const text = read.toString().trim()
  const subject = named(read.subject)
  return {
    base64: read.raw.toString('base64'),
    escaped: encodeURIComponent(`${text}\n`),
    spaced: text.replaceAll('\n', ' '),
    safe: encodeURIComponent(`${text}\n`).replaceAll(/%2B|%3D|%2F/g, decodeURIComponent),
    subject: subject.toReversed().join(','),
    issuer: named(read.issuer).toReversed().join(','),
    slashes: `/${subject.join('/')}`,
    commonName: subject.find((one) => one.startsWith('CN='))?.slice(3) ?? '',
    serial: read.serialNumber,
    sha256: read.fingerprint256.replaceAll(':', '').toLowerCase(),
    sha1: read.fingerprint.replaceAll(':', ''),
  }
}

/** Only ASCII: a header can carry nothing else. */
const named = (name = ''): string[] => name.split('\n').map((one) => one.replaceAll(/[^ -~]/g, '?'))

export const FORWARDED_BY: readonly ForwardedBy[] = [
  {
    id: 'client-cert',
    words: 'in Client-Cert (RFC 9440)',
    headers: ({ base64 }) => ({ 'Client-Cert': `:${base64}:` }),
  },
  {
    id: 'x-ssl-client-cert',
    words: 'in X-SSL-Client-Cert and X-SSL-Client-Verify, as nginx is set up',
    headers: ({ escaped, subject }) => ({
      'X-SSL-Client-Cert': escaped,
      'X-SSL-Client-Verify': 'SUCCESS',
      'X-SSL-Client-S-DN': subject,
    }),
  },
  {
    id: 'x-ssl-cert',
    words: 'in X-SSL-Cert, as nginx is set up',
    headers: ({ escaped, subject }) => ({
      'X-SSL-Cert': escaped,
      'X-SSL-Verify': 'SUCCESS',
      'X-SSL-Subject': subject,
    }),
  },
  {
    id: 'ssl-client-cert',
    words: 'in ssl-client-cert and ssl-client-verify, as ingress-nginx does',
    headers: ({ escaped, subject, issuer }) => ({
      'ssl-client-cert': escaped,
      'ssl-client-verify': 'SUCCESS',
      'ssl-client-subject-dn': subject,
      'ssl-client-issuer-dn': issuer,
    }),
  },
  {
    id: 'ssl-client-subject-dn',
    words: 'by its subject alone, in ssl-client-subject-dn and ssl-client-verify',
    headers: ({ subject, issuer }) => ({
      'ssl-client-verify': 'SUCCESS',
      'ssl-client-subject-dn': subject,
      'ssl-client-issuer-dn': issuer,
    }),
  },
  {
    id: 'underscores',
    words: 'in SSL_CLIENT_CERT and SSL_CLIENT_VERIFY, as httpd does',
    headers: ({ spaced, subject, issuer, serial }) => ({
      SSL_CLIENT_CERT: spaced,
      SSL_CLIENT_VERIFY: 'SUCCESS',
      SSL_CLIENT_S_DN: subject,
      SSL_CLIENT_I_DN: issuer,
      SSL_CLIENT_M_SERIAL: serial,
    }),
  },
  {
    id: 'underscores-as-hyphens',
    words: 'in SSL-Client-Cert, as httpd writes it',
    headers: ({ spaced, subject }) => ({
      'SSL-Client-Cert': spaced,
      'SSL-Client-Verify': 'SUCCESS',
      'SSL-Client-S-DN': subject,
    }),
  },
  {
    id: 'haproxy',
    words: 'in X-SSL-Client-Cert and X-SSL-Client-Verify, as HAProxy is set up',
    headers: ({ base64, slashes, commonName, sha1 }) => ({
      'X-SSL': '1',
      'X-SSL-Client-Verify': '0',
      'X-SSL-Client-SHA1': sha1,
      'X-SSL-Client-DN': slashes,
      'X-SSL-Client-CN': commonName,
      'X-SSL-Client-Cert': base64,
    }),
  },
  {
    id: 'haproxy-names',
    words: 'by its names alone, in X-SSL-Client-DN and X-SSL-Client-Verify',
    headers: ({ slashes, commonName }) => ({
      'X-SSL': '1',
      'X-SSL-Client-Verify': '0',
      'X-SSL-Client-DN': slashes,
      'X-SSL-Client-CN': commonName,
    }),
  },
  {
    id: 'envoy',
    words: 'in X-Forwarded-Client-Cert, as Envoy does',
    headers: ({ sha256, escaped, subject }) => ({
      'X-Forwarded-Client-Cert': `Hash=${sha256};Cert="${escaped}";Subject="${quoted(subject)}"`,
    }),
  },
  {
    id: 'envoy-hash',
    words: 'by hash and subject alone, in X-Forwarded-Client-Cert',
    headers: ({ sha256, subject }) => ({
      'X-Forwarded-Client-Cert': `Hash=${sha256};Subject="${quoted(subject)}"`,
    }),
  },
  {
    id: 'cloud-foundry',
    words: 'in X-Forwarded-Client-Cert, in base64 alone',
    headers: ({ base64 }) => ({ 'X-Forwarded-Client-Cert': base64 }),
  },
  {
    id: 'traefik',
    words: 'in X-Forwarded-Tls-Client-Cert, as Traefik does',
    headers: ({ base64, subject }) => ({
      'X-Forwarded-Tls-Client-Cert': base64,
      'X-Forwarded-Tls-Client-Cert-Info': encodeURIComponent(`Subject="${quoted(subject)}"`),
    }),
  },
  {
    id: 'traefik-escaped',
    words: 'in X-Forwarded-Tls-Client-Cert, percent-encoded as older Traefik does',
    headers: ({ base64 }) => ({ 'X-Forwarded-Tls-Client-Cert': encodeURIComponent(base64) }),
  },
  {
    id: 'azure',
    words: 'in X-ARR-ClientCert, as IIS and App Service do',
    headers: ({ base64 }) => ({ 'X-ARR-ClientCert': base64 }),
  },
  {
    id: 'amazon-verify',
    words: 'in X-Amzn-Mtls-Clientcert-Leaf, as an Application Load Balancer that verifies',
    headers: ({ safe, subject, issuer, serial }) => ({
      'X-Amzn-Mtls-Clientcert-Leaf': safe,
      'X-Amzn-Mtls-Clientcert-Subject': subject,
      'X-Amzn-Mtls-Clientcert-Issuer': issuer,
      'X-Amzn-Mtls-Clientcert-Serial-Number': serial,
    }),
  },
  {
    id: 'amazon-passthrough',
    words: 'in X-Amzn-Mtls-Clientcert, as an Application Load Balancer that passes it on',
    headers: ({ safe }) => ({ 'X-Amzn-Mtls-Clientcert': safe }),
  },
  {
    id: 'google',
    words:
      'in X-Client-Cert-Leaf and X-Client-Cert-Chain-Verified, as Google’s load balancers are set up',
    headers: ({ base64, sha256 }) => ({
      'X-Client-Cert-Present': 'true',
      'X-Client-Cert-Chain-Verified': 'true',
      'X-Client-Cert-Error': '',
      'X-Client-Cert-Hash': Buffer.from(sha256, 'hex').toString('base64'),
      'X-Client-Cert-Leaf': `:${base64}:`,
    }),
  },
  {
    id: 'cloudflare',
    words: 'in Cf-Client-Cert-Der-Base64, as Cloudflare does',
    headers: ({ base64, sha256 }) => ({
      'Cf-Client-Cert-Der-Base64': base64,
      'Cf-Client-Cert-Sha256': sha256,
    }),
  },
  {
    id: 'caddy',
    words: 'in X-Tls-Client-Cert-Der-Base64, as Caddy is set up',
    headers: ({ base64 }) => ({ 'X-Tls-Client-Cert-Der-Base64': base64 }),
  },
  {
    id: 'x-tls-client-cert',
    words: 'in X-Tls-Client-Cert, percent-encoded',
    headers: ({ escaped }) => ({ 'X-Tls-Client-Cert': escaped }),
  },
  {
    id: 'x-client-cert',
    words: 'in X-Client-Cert, percent-encoded',
    headers: ({ escaped, subject }) => ({
      'X-Client-Cert': escaped,
      'X-Client-Verify': 'SUCCESS',
      'X-Client-DN': subject,
    }),
  },
  {
    id: 'x-client-cert-base64',
    words: 'in X-Client-Cert, in base64',
    headers: ({ base64 }) => ({ 'X-Client-Cert': base64 }),
  },
  {
    id: 'weblogic',
    words: 'in WL-Proxy-Client-Cert, as the plug-ins of WebLogic do',
    headers: ({ base64 }) => ({ 'WL-Proxy-SSL': 'true', 'WL-Proxy-Client-Cert': base64 }),
  },
  {
    id: 'wso2',
    words: 'in X-WSO2-CLIENT-CERTIFICATE, which WSO2’s gateways read',
    headers: ({ base64 }) => ({ 'X-WSO2-CLIENT-CERTIFICATE': base64 }),
  },
]

const quoted = (text: string) => text.replaceAll(/["\\]/g, '\\$&')
