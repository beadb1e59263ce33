import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  type X509Certificate,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompactSign, calculateJwkThumbprint, exportJWK } from 'jose'
import { InputError } from '../../record/input-error.ts'
import { writeWhole } from '../../record/write-whole.ts'
import { readReport } from '../read-run.ts'
import { verifyLines } from './chain-lines.ts'
import { contentOf, EXPLAINING, filesIn, MADE, STATEMENT, seal, sha256 } from './sealed-files.ts'
import { certificatesOf, factsOf, type Statement } from './statement.ts'

export interface SignOptions {
  kid?: string
  /** PEM of the certificate of the key, leaf first, then its issuers. */
  x5c?: string
  passphrase?: string
}

/**
 * Writes DIR/statement.jws: a compact JWS over the facts of the run, its results, and each file that an archive of it
 * contains, including the schemas and the documents. The key is PEM (also encrypted) or a JWK as JSON; RSA signs with
 * PS256, EC with the algorithm of its curve, Ed25519 with EdDSA. A run whose chain is broken is refused. Without kid
 * and x5c, the kid is the thumbprint of the key (RFC 7638).
 */
export async function signRun(
  dir: string,
  key: string,
  options: SignOptions = {},
): Promise<Statement> {
  const privateKey = readKey(key, options.passphrase)
  const report = await readReport(dir)
  const results = contentOf(join(dir, 'report.json'))
  const exchanges = contentOf(join(dir, 'exchanges.jsonl'))
  const chain = verifyLines(exchanges)
  const broken = chain.findings[0]
  if (broken) {
    throw new InputError(
      `exchanges.jsonl:${broken.line} ${broken.message}: a run that was changed is not signed`,
    )
  }
  const files = [
    seal('report.json', results),
    seal('exchanges.jsonl', exchanges),
    ...[...filesIn(dir, MADE)].map(([file, content]) => seal(file, content)),
    ...Object.entries(EXPLAINING).map(([file, path]) => seal(file, readFileSync(path))),
  ]
  const statement: Statement = {
    statement: 'assay-run',
    ...factsOf(report),
    resultsDigest: sha256(results),
    chain: { lines: chain.lines, head: chain.head },
    files,
  }
  const x5c = options.x5c ? chainOf(options.x5c, privateKey) : undefined
  const kid =
    options.kid ??
    (x5c ? undefined : await calculateJwkThumbprint(await exportJWK(createPublicKey(privateKey))))
  const jws = await new CompactSign(Buffer.from(JSON.stringify(statement)))
    .setProtectedHeader({
      alg: algorithm(privateKey),
      typ: 'assay-run+jws',
      ...(kid && { kid }),
      ...(x5c && { x5c }),
    })
    .sign(privateKey)
  writeWhole(join(dir, STATEMENT), `${jws}\n`)
  return statement
}

/** Loads a private key; throws if it is not one, or the passphrase is wrong. */
export function readKey(text: string, passphrase: string | undefined): KeyObject {
  return keyOf('signing', createPrivateKey, text, passphrase)
}

/** @throws InputError if the text is no such key, PEM or JWK; the message does not show a private key */
export function keyOf(
  what: string,
  create: typeof createPrivateKey | typeof createPublicKey,
  text: string,
  passphrase?: string,
): KeyObject {
  const key = text.trim()
  try {
    return key.startsWith('{')
      ? create({ key: JSON.parse(key), format: 'jwk' })
      : create({ key, passphrase })
  } catch (error) {
    // The message of a JSON error quotes the text, which may be the private key.
    const hidden = what === 'signing' && error instanceof SyntaxError
    const why = hidden ? 'it is not JSON' : (error as Error).message
    throw new InputError(`the ${what} key can't be read: ${why}`)
  }
}

const CURVES: Record<string, string> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
}

/** The algorithm that a key signs with. */
export function algorithm({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): string {
  if (type === 'rsa' || type === 'rsa-pss') return 'PS256'
  if (type === 'ed25519') return 'EdDSA'
  const curve = type === 'ec' ? asymmetricKeyDetails?.namedCurve : undefined
  const alg = CURVES[curve ?? '']
  if (alg) return alg
  throw new InputError(
    `a key of type ${type} can't sign; use RSA, EC P-256, P-384, P-521 or Ed25519`,
  )
}

function chainOf(pem: string, privateKey: KeyObject): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const x5c = blocks.map((block) => block.replaceAll(/-----[A-Z ]+-----|\s/g, ''))
  const [leaf] = certificatesIn(x5c)
  if (!leaf) throw new InputError('x5c holds no PEM certificate')
  if (!leaf.checkPrivateKey(privateKey))
    throw new InputError('the first certificate of x5c is not that of the signing key')
  return x5c
}

function certificatesIn(x5c: string[]): X509Certificate[] {
  try {
    return certificatesOf(x5c)
  } catch (error) {
    throw new InputError(`the certificates can't be signed with: ${(error as Error).message}`)
  }
}
