import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  X509Certificate,
} from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CompactSign, calculateJwkThumbprint, exportJWK } from 'jose'
import { InputError } from '../input-error.ts'
import { readReport } from '../read-run.ts'
import type { Report } from '../report.ts'
import { verifyLines } from './chain-lines.ts'

/** What is signed: the payload of statement.jws. */
export interface Statement
  extends Pick<Report, 'startedAt' | 'finishedAt' | 'verdict' | 'exitCode'> {
  statement: 'assay-run'
  target: string
  /** Version of the suite. */
  suite: string
  /** Digest of the requirements, which are read out of the documents. */
  specsDigest: string
  configurationDigest: string
  /** SHA-256 of report.json, hex. */
  resultsDigest: string
  /** Number of exchanges and `hash` of the last one. */
  chain: { lines: number; head: string }
  files: Seal[]
}

/** A file as a statement remembers it. */
export interface Seal {
  file: string
  bytes: number
  /** SHA-256, hex. */
  sha256: string
}

export const STATEMENT = 'statement.jws'

export interface SignOptions {
  kid?: string
  /** PEM of the certificate of the key, leaf first, then those that issued it. */
  x5c?: string
  passphrase?: string
}

/** The files that are the run; a statement without them is none. */
export const RESULTS = ['report.json', 'exchanges.jsonl']

/** What is made from them and read by people and machines: sealed as well, where it is there. */
export const MADE = [
  'report.html',
  'junit.xml',
  'ctrf.json',
  'step-summary.md',
  'observations.json',
  'diff.md',
  'diff.json',
]

/**
 * Writes DIR/statement.jws: a compact JWS over what the run was and what it found. The key is PEM
 * (also encrypted) or a JWK as JSON; RSA signs with PS256, EC with the algorithm of its curve, Ed25519
 * with EdDSA. A run whose chain is broken is refused. Without kid and x5c the kid is the thumbprint of the key (RFC 7638).
 */
export async function signRun(
  dir: string,
  key: string,
  options: SignOptions = {},
): Promise<Statement> {
  const privateKey = readKey(key, options.passphrase)
  const report = await readReport(dir)
  const results = await readFile(join(dir, 'report.json'))
  const exchanges = await readFile(join(dir, 'exchanges.jsonl'))
  const chain = verifyLines(exchanges)
  const broken = chain.findings[0]
  if (broken) {
    throw new InputError(
      `exchanges.jsonl:${broken.line} ${broken.message}: a run that was changed is not signed`,
    )
  }
  const files = [seal('report.json', results), seal('exchanges.jsonl', exchanges)]
  for (const file of MADE) {
    const content = await readFile(join(dir, file)).catch(() => undefined)
    if (content) files.push(seal(file, content))
  }
  const statement: Statement = {
    statement: 'assay-run',
    target: report.target.name,
    startedAt: report.startedAt,
    finishedAt: report.finishedAt,
    verdict: report.verdict,
    exitCode: report.exitCode,
    suite: report.assay.version,
    specsDigest: report.assay.specsDigest,
    configurationDigest: report.target.configurationDigest,
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
  await writeFile(join(dir, STATEMENT), `${jws}\n`)
  return statement
}

/** The private key of a text; throws where it is none, or its passphrase is another one. */
export function readKey(text: string, passphrase: string | undefined): KeyObject {
  return keyOf('signing', createPrivateKey, text, passphrase)
}

/** @throws InputError where the text is no such key, PEM or JWK; a private key is not shown */
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

function seal(file: string, content: Buffer): Seal {
  return { file, bytes: content.length, sha256: sha256(content) }
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
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
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  const certificates = blocks.map((block) => new X509Certificate(block))
  const leaf = certificates[0]
  if (!leaf) throw new InputError('x5c holds no PEM certificate')
  if (!leaf.checkPrivateKey(privateKey))
    throw new InputError('the first certificate of x5c is not that of the signing key')
  return certificates.map((certificate) => certificate.raw.toString('base64'))
}
