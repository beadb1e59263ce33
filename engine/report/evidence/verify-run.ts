import { createPublicKey, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compactVerify, decodeProtectedHeader } from 'jose'
import { readPlain } from '../../record/read-plain.ts'
import { InputError } from '../input-error.ts'
import { LARGEST, readArchive } from './archive.ts'
import { type Finding, verifyLines } from './chain-lines.ts'
import { algorithm, keyOf, MADE, RESULTS, STATEMENT, type Statement, sha256 } from './sign-run.ts'

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
export async function verifyRun(path: string, publicKey?: string): Promise<Verification> {
  const files = await read(path)
  const chain = verifyLines(files.get('exchanges.jsonl') ?? Buffer.alloc(0))
  const exchanges = chain.lines
  const jws = files.get(STATEMENT)
  if (!jws) {
    const findings = [...chain.findings]
    // Who names a signer expects a signature: to remove it is the simplest way to change a run.
    if (publicKey !== undefined) {
      findings.push({ file: STATEMENT, message: 'is missing, and a key was given' })
    }
    const intact = findings.length === 0
    return { intact, signature: 'absent', exchanges, findings, uncovered: [] }
  }
  const signed = await openStatement(jws.toString('utf8').trim(), publicKey)
  const { signature, statement } = signed
  const compared = statement ? compare(statement, files, chain) : chain.findings
  const findings = [...signed.findings, ...compared]
  const intact = findings.length === 0 && signature === 'valid'
  return { ...signed, intact, exchanges, findings, uncovered: await uncovered(path, statement) }
}

/** What of a run's folder its statement says nothing about. */
async function uncovered(path: string, statement: Statement | undefined): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return []
  const covered = new Set([STATEMENT, ...(statement?.files ?? []).map(({ file }) => file)])
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
  const covered = statement.files.map(({ file }) => file)
  const findings: Finding[] = RESULTS.filter((file) => !covered.includes(file)).map((file) => {
    return { file, message: 'is not covered by the statement' }
  })
  for (const { file, bytes, sha256: digest } of statement.files) {
    const content = files.get(file)
    const result = RESULTS.includes(file)
    if (!content) {
      // What is made from the results may be left out, the results may not.
      if (result) findings.push({ file, message: 'is missing' })
    } else if (digest !== sha256(content)) {
      const how =
        content.length === bytes
          ? `it has its ${bytes} bytes, and another digest`
          : `it had ${bytes} bytes and has ${content.length}`
      const again = result ? '' : ' (or it was made again)'
      // The chain tells the line of each exchange.
      if (file === 'exchanges.jsonl' && chain.findings.length > 0) findings.push(...chain.findings)
      else findings.push({ file, message: `was changed: ${how}${again}` })
    }
  }
  if (findings.length === 0 && chain.head !== statement.chain.head) {
    findings.push({
      file: 'exchanges.jsonl',
      message: 'does not end with the exchange that was signed',
    })
  }
  return findings
}

type Opened = Pick<Verification, 'findings' | 'signature' | 'statement' | 'signer'>

async function openStatement(jws: string, publicKey: string | undefined): Promise<Opened> {
  const failed = (signature: Opened['signature'], message: string): Opened => {
    return { signature, findings: [{ file: STATEMENT, message }] }
  }
  let statement: Statement
  let header: ReturnType<typeof decodeProtectedHeader>
  try {
    header = decodeProtectedHeader(jws)
    statement = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8'))
    if (statement.statement !== 'assay-run' || !Array.isArray(statement.files))
      throw new Error('not a statement of Assay')
  } catch (error) {
    return failed('invalid', `can't be read: ${(error as Error).message}`)
  }
  const { kid, x5c } = header
  const certificate = x5c?.[0]
  const leaf = certificate ? new X509Certificate(Buffer.from(certificate, 'base64')) : undefined
  const signer = leaf?.subject.replaceAll('\n', ', ') ?? kid
  const key =
    publicKey === undefined ? leaf?.publicKey : keyOf('public', createPublicKey, publicKey)
  if (!key) {
    const who = kid ? ` “${kid}”` : ''
    const message = `needs the public key${who} of its signer: without it nothing is shown`
    return { ...failed('no-key', message), statement, signer }
  }
  try {
    await compactVerify(jws, key, { algorithms: [algorithm(key)] })
    return { signature: 'valid', findings: [], statement, signer }
  } catch (error) {
    const message = `the signature does not hold: ${(error as Error).message}`
    return { ...failed('invalid', message), statement, signer }
  }
}

function contentOf(file: string): Buffer {
  try {
    return readPlain(file, LARGEST)
  } catch (error) {
    throw new InputError(`${file} can't be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

async function read(path: string): Promise<Files> {
  const stats = await stat(path).catch(() => {
    throw new InputError(`${path} does not exist`)
  })
  if (!stats.isDirectory() && path.endsWith('.zip')) {
    return requireRun(readArchive(contentOf(path)), path)
  }
  const dir = stats.isDirectory() ? path : dirname(path)
  const files: Files = new Map()
  for (const file of [...RESULTS, ...MADE, STATEMENT]) {
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
