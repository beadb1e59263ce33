import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compactVerify, decodeProtectedHeader, type JWK } from 'jose'
import { readPlain } from '../../record/read-plain.ts'
import { InputError } from '../input-error.ts'
import { readArchive } from './archive.ts'
import { type Finding, verifyLines } from './chain-lines.ts'
import { difference as differenceFrom } from './file-digests.ts'
import { algorithm, MADE, RESULTS, type Statement } from './sign-run.ts'

export interface Verification {
  /** Nothing was found changed, and the signature, where there is one and a key, is right. */
  intact: boolean
  signature: 'valid' | 'invalid' | 'no-key' | 'absent'
  /** Whose key it was: subject of the certificate, or kid. */
  signer?: string
  statement?: Statement
  /** Exchanges that were walked. */
  exchanges: number
  findings: Finding[]
  /** What lies beside and no statement covers; folders end in `/`. */
  uncovered: string[]
}

type Files = Map<string, Buffer>

/**
 * Checks a run: its folder, its statement.jws, or an archive made by `pack`. Without a public key
 * (PEM, certificate or JWK) the certificate in the statement is taken, which shows that nothing was
 * edited since somebody signed, not who that was.
 */
export async function verifyRun(path: string, publicKey?: string | JWK): Promise<Verification> {
  const files = await read(path)
  const findings: Finding[] = []
  const exchanges = files.get('exchanges.jsonl') ?? Buffer.alloc(0)
  const chain = verifyLines(exchanges)
  const jws = files.get('statement.jws')
  if (!jws) {
    findings.push(...chain.findings)
    // Who names a signer expects a signature: to remove it is the simplest way to change a run.
    if (publicKey !== undefined) {
      findings.push({ file: 'statement.jws', message: 'is missing, and a key was given' })
    }
    const intact = findings.length === 0
    return { intact, signature: 'absent', exchanges: chain.lines, findings, uncovered: [] }
  }
  const signed = await openStatement(jws.toString('utf8').trim(), publicKey)
  findings.push(...signed.findings)
  if (signed.statement) findings.push(...compare(signed.statement, files, chain))
  else findings.push(...chain.findings)
  return {
    intact: findings.length === 0 && signed.signature === 'valid',
    signature: signed.signature,
    ...(signed.signer ? { signer: signed.signer } : {}),
    ...(signed.statement ? { statement: signed.statement } : {}),
    exchanges: chain.lines,
    findings,
    uncovered: await uncovered(path, signed.statement),
  }
}

/** What of a run's folder its statement says nothing about. */
async function uncovered(path: string, statement: Statement | undefined): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return []
  const covered = new Set(['statement.jws', ...(statement?.files ?? []).map(({ file }) => file)])
  const entries = await readdir(path, { withFileTypes: true })
  return entries
    .filter(({ name }) => !covered.has(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort()
}

function compare(
  statement: Statement,
  files: Files,
  chain: ReturnType<typeof verifyLines>,
): Finding[] {
  const findings: Finding[] = RESULTS.filter(
    (file) => !statement.files.some((f) => f.file === file),
  ).map((file) => ({ file, message: 'is not covered by the statement' }))
  for (const sealed of statement.files) {
    const content = files.get(sealed.file)
    if (!content) {
      // What is made from the results may be left out, the results may not.
      if (isResult(sealed.file)) findings.push({ file: sealed.file, message: 'is missing' })
      continue
    }
    const difference = differenceFrom(sealed, content)
    if (!difference) continue
    // The chain tells the line of each exchange.
    if (sealed.file === 'exchanges.jsonl' && chain.findings.length > 0) {
      findings.push(...chain.findings)
      continue
    }
    const again = isResult(sealed.file) ? '' : ' (or it was made again)'
    findings.push({ file: sealed.file, message: `${difference}${again}` })
  }
  if (findings.length === 0 && chain.head !== statement.chain.head) {
    findings.push({
      file: 'exchanges.jsonl',
      message: 'does not end with the exchange that was signed',
    })
  }
  return findings
}

interface Opened {
  findings: Finding[]
  signature: Verification['signature']
  statement?: Statement
  signer?: string
}

function isResult(file: string): boolean {
  return RESULTS.some((result) => result === file)
}

async function openStatement(jws: string, publicKey: string | JWK | undefined): Promise<Opened> {
  const findings: Finding[] = []
  const file = 'statement.jws'
  let statement: Statement | undefined
  let header: ReturnType<typeof decodeProtectedHeader>
  try {
    header = decodeProtectedHeader(jws)
    statement = JSON.parse(
      Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8'),
    ) as Statement
    if (statement.statement !== 'assay-run' || !Array.isArray(statement.files))
      throw new Error('not a statement of Assay')
  } catch (error) {
    findings.push({ file, message: `can't be read: ${(error as Error).message}` })
    return { findings, signature: 'invalid' }
  }
  const leaf = header.x5c?.[0]
    ? new X509Certificate(Buffer.from(header.x5c[0], 'base64'))
    : undefined
  const signer = leaf?.subject.replaceAll('\n', ', ') ?? header.kid
  const named = signer ? { signer } : {}
  const key = publicKey === undefined ? leaf?.publicKey : readPublicKey(publicKey)
  if (!key) {
    const who = header.kid ? ` “${header.kid}”` : ''
    findings.push({
      file,
      message: `needs the public key${who} of its signer: without it nothing is shown`,
    })
    return { findings, statement, ...named, signature: 'no-key' }
  }
  try {
    await compactVerify(jws, key, { algorithms: [algorithm(key)] })
    return { findings, statement, ...named, signature: 'valid' }
  } catch (error) {
    findings.push({ file, message: `the signature does not hold: ${(error as Error).message}` })
    return { findings, statement, ...named, signature: 'invalid' }
  }
}

function readPublicKey(key: string | JWK): KeyObject {
  const text = typeof key === 'string' ? key.trim() : key
  try {
    if (typeof text === 'string' && !text.startsWith('{')) return createPublicKey(text)
    const jwk = typeof text === 'string' ? (JSON.parse(text) as JWK) : text
    return createPublicKey({ key: jwk as import('node:crypto').JsonWebKey, format: 'jwk' })
  } catch (error) {
    throw new InputError(`the public key can't be read: ${(error as Error).message}`)
  }
}

function contentOf(file: string): Buffer {
  try {
    return readPlain(file, LARGEST)
  } catch (error) {
    throw new InputError(`${file} can't be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** Bytes of an archive or of one file of a run. */
const LARGEST = 1024 ** 3

async function read(path: string): Promise<Files> {
  const stats = await stat(path).catch(() => {
    throw new InputError(`${path} does not exist`)
  })
  if (!stats.isDirectory() && path.endsWith('.zip')) {
    return requireRun(readArchive(contentOf(path)), path)
  }
  const dir = stats.isDirectory() ? path : dirname(path)
  const files: Files = new Map()
  for (const file of [...RESULTS, ...MADE, 'statement.jws']) {
    const content = existsSync(join(dir, file)) && contentOf(join(dir, file))
    if (content) files.set(file, content)
  }
  return requireRun(files, dir)
}

function requireRun(files: Files, where: string): Files {
  const report = files.get('report.json')
  if (!report) throw new InputError(`${where} holds no report.json: it is not the folder of a run`)
  try {
    JSON.parse(report.toString('utf8'))
  } catch {
    throw new InputError(`the report.json of ${where} is not JSON: it was cut or changed`)
  }
  return files
}
