import { DAY } from '../record/durations.ts'
import 'reflect-metadata'
import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import { now } from '../record/clock.ts'
import { InputError } from '../record/input-error.ts'
import { makeFolder } from '../record/make-folder.ts'
import { readPlain } from '../record/read-plain.ts'
import { writeWhole } from '../record/write-whole.ts'

x509.cryptoProvider.set(webcrypto as never)

/** A certificate and its private key, both PEM. */
export interface ServerIdentity {
  cert: string
  key: string
}

/** The authority that issues the certificates with which a proxy poses as other hosts. */
export interface Authority {
  /** The certificate as PEM, and its file. */
  certificate: string
  file: string
  /** True if it was created just now, so nobody trusts it yet. */
  isNew: boolean
  /** A certificate for a host name or an IP address, for the lifetime of this process. */
  issue(host: string): Promise<ServerIdentity>
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Validity in days of the authority and its certificates. Some systems accept at most 398 for a server. */
const GOOD_FOR = 730
const ISSUED_FOR = 397

/** Only the user may read them: with the key, anybody could pose as any host to those who trust the authority. */
const PRIVATE = 0o600

/**
 * Opens the authority in a folder; creates one if there is none, or if it has expired.
 *
 * @throws InputError if the folder has another file in its place
 */
export async function openAuthority(folder: string): Promise<Authority> {
  const [file, keyFile] = [join(folder, 'authority.pem'), join(folder, 'authority.key')]
  const isNew = !existsSync(file) || Date.parse(certificateOf(file).validTo) < now()
  if (isNew) {
    makeFolder(folder, 0o700)
    writeFileSync(join(folder, '.gitignore'), '*\n')
    const made = await makeAuthority()
    writeWhole(keyFile, made.key, PRIVATE)
    writeWhole(file, made.cert, PRIVATE)
  }
  const certificate = certificateOf(file).toString()
  const signingKey = await signingKeyOf(keyFile, file)
  const subjectKeys = await generated()
  const key = await pemOf(subjectKeys.privateKey)
  return {
    certificate,
    file,
    isNew,
    async issue(host) {
      const made = await certificateFor(host, {
        ...{ signingKey, publicKey: subjectKeys.publicKey },
        authority: new x509.X509Certificate(certificate),
      })
      return { cert: pemText(made), key }
    },
  }
}

function certificateOf(file: string): X509Certificate {
  try {
    return new X509Certificate(readPlain(file))
  } catch {
    throw new InputError(`${file} is not a certificate. Remove it, and another authority is made.`)
  }
}

async function signingKeyOf(keyFile: string, file: string): Promise<webcrypto.CryptoKey> {
  const wrong = `${keyFile} is not the key of ${file}. Remove both, and another authority is made.`
  try {
    const key = createPrivateKey(readPlain(keyFile))
    if (!certificateOf(file).checkPrivateKey(key)) throw new InputError(wrong)
    const pkcs8 = key.export({ type: 'pkcs8', format: 'der' })
    return await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign'])
  } catch {
    throw new InputError(wrong)
  }
}

const generated = () =>
  webcrypto.subtle.generateKey(ALGORITHM, true, [
    'sign',
    'verify',
  ]) as Promise<webcrypto.CryptoKeyPair>

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', key)
  return `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`
}

const pemText = (certificate: x509.X509Certificate) => `${certificate.toString('pem')}\n`

/** A unique serial number, positive as RFC 5280 4.1.2.2 requires. */
const serial = () => `01${randomBytes(15).toString('hex')}`

async function makeAuthority(): Promise<ServerIdentity> {
  const keys = await generated()
  const name = randomBytes(4).toString('hex')
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    // Somebody may trust two authorities, so each has its own name.
    name: `O=Assay recording proxy, CN=Assay proxy authority ${name}`,
    notBefore: new Date(now() - DAY),
    notAfter: new Date(now() + GOOD_FOR * DAY),
    signingAlgorithm: ALGORITHM,
    keys: keys as never,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as never),
    ],
  })
  return { cert: pemText(certificate), key: await pemOf(keys.privateKey) }
}

async function certificateFor(
  host: string,
  by: {
    signingKey: webcrypto.CryptoKey
    publicKey: webcrypto.CryptoKey
    authority: x509.X509Certificate
  },
): Promise<x509.X509Certificate> {
  const end = Math.min(now() + ISSUED_FOR * DAY, by.authority.notAfter.getTime())
  return x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'O=Assay recording proxy',
    issuer: by.authority.subject,
    notBefore: new Date(now() - DAY),
    notAfter: new Date(end),
    signingAlgorithm: ALGORITHM,
    publicKey: by.publicKey as never,
    signingKey: by.signingKey as never,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: isIP(host) ? 'ip' : 'dns', value: host }]),
      await x509.AuthorityKeyIdentifierExtension.create(by.authority),
      await x509.SubjectKeyIdentifierExtension.create(by.publicKey as never),
    ],
  })
}
