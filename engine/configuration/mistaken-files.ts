/** What stands in the place of a PEM file with a certificate or a key, and how to fix it. */
import { isObject, parsedJson } from '../record/json.ts'

const DAMAGED = 'is damaged PEM. Name the file as it came: file:name.pem.'
const IN_ONE_LINE =
  'is PEM without its line breaks. Name a file, file:name.pem; or keep the lines: | in YAML, quotes around the variable in a shell.'
const ENCODED_PEM = 'is PEM in base64. Decode it, base64 -d, and name the result.'

/** Base64 of FEEDFEED (JKS), and of CECECECE (JCEKS). */
const JAVA = /^(?:\/u3\+7|zs7Oz)/

/** Forms of certificates and keys that are told by their beginning: of the text, or of the base64 of binary data. */
const FORMS: readonly { begins: RegExp; text: string }[] = [
  {
    begins: /^-----BEGIN PKCS ?#?7/,
    text: 'is PKCS#7. Take its certificates out: openssl pkcs7 -print_certs -in FILE -out NEW.',
  },
  {
    begins: /^-----BEGIN CMS-----/,
    text:
      'is CMS. Take its certificates out: openssl cms -cmsout -inform pem -in FILE -outform der -out COPY, ' +
      'then openssl pkcs7 -inform der -print_certs -in COPY -out NEW.',
  },
  {
    // A sequence that begins with the object identifier of signed data (RFC 5652 5.1).
    begins: /^MI.{2,6}YJKoZIhvcNAQcC/,
    text: 'is PKCS#7. Take its certificates out: openssl pkcs7 -inform der -print_certs -in FILE -out NEW.',
  },
  {
    begins: /^-----BEGIN TRUSTED CERTIFICATE-----/,
    text: 'is a certificate in a form of OpenSSL alone. Convert it: openssl x509 -in FILE -out NEW.',
  },
  {
    begins: /^-----BEGIN OPENSSH PRIVATE KEY-----/,
    text: 'is a key in the form of OpenSSH. Convert a copy of it: ssh-keygen -p -m PEM -f COPY.',
  },
  {
    begins: /^PuTTY-User-Key-File-/,
    text: 'is a key in the form of PuTTY. Convert it: puttygen FILE -O private-openssh -o NEW.',
  },
  {
    begins: JAVA,
    text:
      'is a key store of Java. Convert it: keytool -importkeystore -srckeystore FILE -destkeystore NEW ' +
      '-deststoretype PKCS12.',
  },
]

const formOf = (text: string): string | undefined =>
  FORMS.find(({ begins }) => begins.test(text.trimStart()))?.text

/** Secrets of pipelines, and YAML without a bar, lose the line breaks or have them as two characters. */
export const damaged = (pem: string) => (pem.trim().includes('\n') ? DAMAGED : IN_ONE_LINE)

/** The ending of a file in one short line, where its content was expected. */
const PATH = /^[^\s:]{1,200}\.(?:pem|crt|cer|key|der|p12|pfx|jwt|jws|jwk|json)$/i

/** Undefined unless the text is the path of a file, and not its content. */
export const insteadOfContent = (text: string): string | undefined =>
  PATH.test(text.trim())
    ? `is a path, not its content. Write file: before it: file:${text.trim()}.`
    : undefined

/** Where a certificate was expected, and there is none. */
export function insteadOfCertificate(text: string): string {
  const path = insteadOfContent(text)
  if (path !== undefined) return path
  if (text.includes('PRIVATE KEY-----')) {
    return 'is a private key. Name the certificate here and the key under key.'
  }
  if (/-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/.test(text)) {
    return 'is a certificate request. Name the certificate that the directory issued for it.'
  }
  if (isEncodedPem(text)) return ENCODED_PEM
  const form = formOf(text)
  if (form !== undefined) return form
  return isPkcs12(text)
    ? 'is PKCS#12. Name it under pkcs12, and leave out certificate and key.'
    : 'is not PEM. Convert it: openssl x509 -inform der -in FILE -out FILE.pem.'
}

/** Where a private key was expected, and there is none. */
export function insteadOfKey(text: string): string {
  const path = insteadOfContent(text)
  if (path !== undefined) return path
  if (/BEGIN (CERTIFICATE|PUBLIC KEY)/.test(text) && !text.includes('PRIVATE KEY')) {
    return 'is not a private key. Name the private key here.'
  }
  const form = formOf(text)
  if (form !== undefined) return form
  if (text.includes('-----BEGIN')) return damaged(text)
  if (text.trimStart().startsWith('{')) return 'is a JWK. Name the key as PEM.'
  if (isEncodedPem(text)) return ENCODED_PEM
  return isPkcs12(text)
    ? 'is PKCS#12. Take the key out of it: openssl pkcs12 -in FILE -nocerts -out FILE.key.'
    : 'is not PEM. Convert it: openssl pkey -inform der -in FILE -out FILE.pem.'
}

/** Where a PKCS#12 file was expected, in base64, and there is none. */
export function insteadOfPkcs12(base64: string): string {
  if (base64.includes('-----BEGIN')) return 'is PEM. Name it under certificate and key.'
  return formOf(base64) ?? 'is not PKCS#12. Name the file as it came: file:client.p12.'
}

/** Members of a private RSA JWK that Node needs beside n, e and d (RFC 7518 6.3.2). */
const FACTORS = ['p', 'q', 'dp', 'dq', 'qi']

/** Where a private JWK was expected, and JSON is something else. */
export function insteadOfJwk(json: string): string {
  const jwk = parsedJson(json)
  if (!isObject(jwk)) return 'is not a private JWK. Name the JWK with its member d.'
  if ('keys' in jwk) {
    return 'is a set of keys. Write the private JWK that signs into a file of its own.'
  }
  const lacking = FACTORS.filter((name) => jwk[name] === undefined)
  return jwk.kty === 'RSA' && jwk.d !== undefined && lacking.length > 0
    ? `lacks ${lacking.join(', ')}. Export the JWK with all of its members, or name the key as PEM.`
    : 'is not a private JWK. Name the JWK with its member d.'
}

/** Where the PEM of authorities was expected, and there is none. */
export function insteadOfAuthorities(text: string): string {
  const path = insteadOfContent(text)
  if (path !== undefined) return path
  if (isEncodedPem(text)) return ENCODED_PEM
  if (JAVA.test(text)) {
    return 'is a key store of Java. Take the certificate out: keytool -exportcert -rfc -keystore FILE -alias NAME -file NEW.'
  }
  return formOf(text) ?? 'holds no PEM certificate. Convert it: openssl x509 -inform der -in FILE.'
}

/** Base64 of `-----BEGIN`, as secrets of pipelines and of Kubernetes often hold PEM. */
const isEncodedPem = (text: string) => text.trimStart().startsWith('LS0tLS1CRUdJTi')

/** True for the base64 of a PKCS#12 file: a DER sequence that begins with the version 3 (RFC 7292 4). */
function isPkcs12(base64: string): boolean {
  const start = Buffer.from(base64.slice(0, 64), 'base64').toString('hex')
  return /^30(?:8[0-4](?:[0-9a-f]{2}){0,4}|[0-7][0-9a-f])020103/.test(start)
}
