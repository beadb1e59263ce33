/** What stands in the place of a PEM file with a certificate or a key, and how to fix it. */

const DAMAGED = 'is damaged PEM. Name the file as it came: file:name.pem.'
const IN_ONE_LINE =
  'is PEM without its line breaks. Name a file, file:name.pem; or keep the lines: | in YAML, quotes around the variable in a shell.'
const ENCODED_PEM = 'is PEM in base64. Decode it, base64 -d, and name the result.'

/** Secrets of pipelines, and YAML without a bar, lose the line breaks or have them as two characters. */
export const damaged = (pem: string) => (pem.trim().includes('\n') ? DAMAGED : IN_ONE_LINE)

/** Where a certificate was expected, and there is none. */
export function insteadOfCertificate(text: string): string {
  if (text.includes('PRIVATE KEY-----')) {
    return 'is a private key. Name the certificate here and the key under key.'
  }
  if (/-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/.test(text)) {
    return 'is a certificate request. Name the certificate that the directory issued for it.'
  }
  if (isEncodedPem(text)) return ENCODED_PEM
  return isPkcs12(text)
    ? 'is PKCS#12. Name it under pkcs12, and leave out certificate and key.'
    : 'is not PEM. Convert it: openssl x509 -inform der -in FILE -out FILE.pem.'
}

/** Where a private key was expected, and there is none. */
export function insteadOfKey(text: string): string {
  if (/BEGIN (CERTIFICATE|PUBLIC KEY)/.test(text) && !text.includes('PRIVATE KEY')) {
    return 'is not a private key. Name the private key here.'
  }
  if (text.includes('-----BEGIN')) return damaged(text)
  if (text.trimStart().startsWith('{')) return 'is a JWK. Name the key as PEM.'
  if (isEncodedPem(text)) return ENCODED_PEM
  return isPkcs12(text)
    ? 'is PKCS#12. Take the key out of it: openssl pkcs12 -in FILE -nocerts -out FILE.key.'
    : 'is not PEM. Convert it: openssl pkey -inform der -in FILE -out FILE.pem.'
}

/** Where a private JWK was expected, and JSON is something else. */
export const insteadOfJwk = (json: string): string =>
  /"keys"\s*:/.test(json)
    ? 'is a set of keys. Write the private JWK that signs into a file of its own.'
    : 'is not a private JWK. Name the JWK with its member d.'

/** Where the PEM of authorities was expected, and there is none. */
export const insteadOfAuthorities = (text: string): string =>
  isEncodedPem(text)
    ? ENCODED_PEM
    : 'holds no PEM certificate. Convert it: openssl x509 -inform der -in FILE.'

/** Base64 of `-----BEGIN`, as secrets of pipelines and of Kubernetes often hold PEM. */
const isEncodedPem = (text: string) => text.trimStart().startsWith('LS0tLS1CRUdJTi')

/** True for the base64 of a PKCS#12 file: a DER sequence that begins with the version 3 (RFC 7292 4). */
function isPkcs12(base64: string): boolean {
  const start = Buffer.from(base64.slice(0, 64), 'base64').toString('hex')
  return /^30(?:8[0-4](?:[0-9a-f]{2}){0,4}|[0-7][0-9a-f])020103/.test(start)
}
