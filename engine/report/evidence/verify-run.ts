import { createPublicKey, type KeyObject } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { calculateJwkThumbprint, compactVerify, exportJWK } from 'jose'
import { formedJson } from '../../record/formed.ts'
import { InputError } from '../../record/input-error.ts'
import type { Report } from '../report.ts'
import { readArchive } from './archive.ts'
import { type Finding, verifyLines } from './chain-lines.ts'
import {
  CONTENTS,
  contentOf,
  contentsOf,
  filesIn,
  KNOWN,
  RESULTS,
  STATEMENT,
  sha256,
} from './sealed-files.ts'
import { algorithm, keyOf } from './sign-run.ts'
import { certificatesOf, factsOf, readStatement, type Statement } from './statement.ts'

export interface Verification {
  /** True if nothing was changed and the signature is valid, where there are a signature and a key. */
  intact: boolean
  signature: 'valid' | 'invalid' | 'no-key' | 'absent'
  /** The signer: subject of the certificate, or kid. */
  signer?: string
  /** The key that verifies the signature: its thumbprint (RFC 7638), and where it came from. */
  key?: { thumbprint: string; from: 'caller' | 'statement' }
  statement?: Statement
  /** SHA-256 of statement.jws, hex, if the file exists. */
  statementDigest?: string
  /** Number of exchanges that were verified. */
  exchanges: number
  findings: Finding[]
  /** The report, if the run is intact. */
  report?: Report
  /** Files of the folder that no statement covers; folders end in `/`. In an archive each is a finding. */
  uncovered: string[]
}

type Files = Map<string, Buffer>

/**
 * Verifies a run: its folder, its statement.jws, or an archive made by `pack`. Without a public key (PEM, certificate
 * or JWK) the certificate in the statement is used; this shows that nothing was edited since somebody signed, but not
 * who signed.
 */
export async function verifyRun(path: string, publicKey?: string): Promise<Verification> {
  const { files, dir } = await read(path)
  const chain = verifyLines(files.get('exchanges.jsonl') ?? Buffer.alloc(0))
  const exchanges = chain.lines
  const jws = files.get(STATEMENT)
  if (!jws) {
    const report = reportIn(files, path)
    const findings = [...chain.findings, ...listFindings(files)]
    // A caller who names a signer expects a signature: removing it is the simplest way to change a run.
    if (publicKey !== undefined) {
      findings.push({ file: STATEMENT, message: 'is missing, and a key was given' })
    }
    const intact = findings.length === 0
    return { intact, signature: 'absent', report, exchanges, findings, uncovered: [] }
  }
  const signed = await openStatement(jws.toString('utf8').trim(), publicKey)
  const statementDigest = sha256(jws)
  const { signature, statement } = signed
  const compared = statement ? compare(statement, files, chain, path) : chain.findings
  const beside = uncovered(dir === undefined ? [...files.keys()] : namesIn(dir), statement)
  const added = dir === undefined ? beside : []
  const findings = [
    ...signed.findings,
    ...compared,
    ...added.map((file) => ({ file, message: 'was added: the statement does not cover it' })),
  ]
  const intact = findings.length === 0 && signature === 'valid'
  const report = intact ? reportIn(files, path) : undefined
  return {
    ...signed,
    statementDigest,
    intact,
    report,
    exchanges,
    findings,
    uncovered: dir === undefined ? [] : beside,
  }
}

/** The names that a statement does not cover. CONTENTS.txt is derived from the rest. */
function uncovered(names: string[], statement: Statement | undefined): string[] {
  const sealed = (statement?.files ?? []).map(({ file }) => file)
  const covered = new Set([STATEMENT, CONTENTS, ...sealed])
  return names.filter((name) => !covered.has(name)).sort()
}

/** The files of a folder, including those in subfolders that an archive also has. */
function namesIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name]
    const within = `${entry.name}/`
    if (!KNOWN.some((name) => name.startsWith(within))) return [within]
    return readdirSync(join(dir, entry.name)).map((name) => within + name)
  })
}

/** CONTENTS.txt must match the other files. */
function listFindings(files: Files): Finding[] {
  const list = files.get(CONTENTS)
  const known = KNOWN.flatMap((name): [string, Buffer][] => {
    const content = files.get(name)
    return content ? [[name, content]] : []
  })
  if (!list || list.equals(contentsOf(new Map(known)))) return []
  return [{ file: CONTENTS, message: 'is not the list that assay pack writes of these files' }]
}

function compare(
  statement: Statement,
  files: Files,
  chain: ReturnType<typeof verifyLines>,
  path: string,
): Finding[] {
  const covered = statement.files.map(({ file }) => file)
  const findings: Finding[] = RESULTS.filter((file) => !covered.includes(file)).map((file) => {
    return { file, message: 'is not covered by the statement' }
  })
  for (const { file, bytes, sha256: digest } of statement.files) {
    const content = files.get(file)
    const result = RESULTS.includes(file)
    if (!content) {
      // Files made from the results may be absent; the results may not.
      if (result) findings.push({ file, message: 'is missing' })
    } else if (digest !== sha256(content)) {
      const how =
        content.length === bytes
          ? `it has its ${bytes} bytes, and another digest`
          : `it had ${bytes} bytes and has ${content.length}`
      const again = result ? '' : ' (or it was made again)'
      // The chain gives the line of each changed exchange.
      if (file === 'exchanges.jsonl' && chain.findings.length > 0) findings.push(...chain.findings)
      else findings.push({ file, message: `was changed: ${how}${again}` })
    }
  }
  if (findings.length > 0) return findings
  // The bytes are the same: a statement with other facts about them was made that way.
  const { head, lines } = statement.chain
  if (chain.head !== head || chain.lines !== lines) {
    findings.push({
      file: 'exchanges.jsonl',
      message: 'does not end with the exchange that was signed',
    })
  }
  for (const [name, fact] of Object.entries(factsOf(reportIn(files, path)))) {
    if (isDeepStrictEqual(statement[name as keyof Statement], fact)) continue
    findings.push({ file: 'report.json', message: `has another ${name} than the statement` })
  }
  return [...findings, ...chain.findings, ...listFindings(files)]
}

type Opened = Pick<Verification, 'findings' | 'signature' | 'statement' | 'signer' | 'key'>

async function openStatement(jws: string, publicKey: string | undefined): Promise<Opened> {
  const failed = (signature: Opened['signature'], message: string): Opened => {
    return { signature, findings: [{ file: STATEMENT, message }] }
  }
  let read: ReturnType<typeof readStatement>
  let certified: { key: KeyObject; subject: string } | undefined
  try {
    read = readStatement(jws)
    certified = certifiedBy(read.header.x5c)
  } catch (error) {
    return failed('invalid', `can't be read: ${(error as Error).message}`)
  }
  const { statement, header } = read
  const { kid } = header
  const signer = certified?.subject ?? kid
  const key = publicKey === undefined ? certified?.key : keyOf('public', createPublicKey, publicKey)
  if (!key) {
    const who = kid ? ` “${kid}”` : ''
    const message = `needs the public key${who} of its signer: without it nothing is shown`
    return { ...failed('no-key', message), statement, signer }
  }
  try {
    await compactVerify(jws, key, { algorithms: [algorithm(key)] })
    const thumbprint = await calculateJwkThumbprint(await exportJWK(key))
    const from = publicKey === undefined ? 'statement' : 'caller'
    return { signature: 'valid', findings: [], statement, signer, key: { thumbprint, from } }
  } catch (error) {
    const message = `the signature does not hold: ${(error as Error).message}`
    return { ...failed('invalid', message), statement, signer }
  }
}

/** Key and subject of the certificate that a statement carries. */
function certifiedBy(x5c: string[] | undefined) {
  const [leaf] = certificatesOf(x5c ?? [])
  if (!leaf) return undefined
  const subject = (leaf.subject ?? '').replaceAll('\n', ', ')
  return { key: leaf.publicKey, subject: subject || leaf.fingerprint256 }
}

/**
 * The report and the text of the exchanges of a run, from its folder, its statement.jws or an archive, without
 * verifying the signature.
 *
 * @throws InputError if there is no run
 */
export async function readSealed(path: string): Promise<{ report: Report; exchanges: string }> {
  const { files } = await read(path)
  const exchanges = files.get('exchanges.jsonl')?.toString('utf8') ?? ''
  return { report: reportIn(files, path), exchanges }
}

/** The files to verify; `dir` is their folder, if there is one. */
async function read(path: string): Promise<{ files: Files; dir?: string }> {
  const stats = await stat(path).catch(() => {
    throw new InputError(`${path} does not exist`)
  })
  if (!stats.isDirectory() && path.endsWith('.zip')) {
    return { files: requireRun(readArchive(contentOf(path)), path) }
  }
  const dir = stats.isDirectory() ? path : dirname(path)
  return { files: requireRun(filesIn(dir, KNOWN), dir), dir }
}

function requireRun(files: Files, where: string): Files {
  if (files.has('report.json')) return files
  throw new InputError(`${where} holds no report.json: it is not the folder of a run`)
}

function reportIn(files: Files, path: string): Report {
  const mend = 'It was cut or changed: take the one that the run wrote.'
  const form = { schema: 'report', where: `the report.json of ${path}`, mend }
  return formedJson<Report>(files.get('report.json')?.toString('utf8') ?? '', form)
}
