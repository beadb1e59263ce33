import { X509Certificate } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { problemOf } from '../../record/formed.ts'
import { parsedJson } from '../../record/json.ts'
import type { Report } from '../report.ts'
import type { Seal } from './sealed-files.ts'

/** The signed content: the payload of statement.jws; schemas/assay/statement.schema.json. */
export interface Statement
  extends Pick<Report, 'startedAt' | 'finishedAt' | 'verdict' | 'exitCode'> {
  statement: 'assay-run'
  target: string
  /** Set if it judged recorded traffic, so that it is not a run. */
  recording?: true
  /** Version of the suite. */
  suite: string
  /** Digest of the requirements, which are derived from the documents. */
  specsDigest: string
  configurationDigest: string
  /** SHA-256 of report.json, hex. */
  resultsDigest: string
  /** Number of exchanges and `hash` of the last one. */
  chain: { lines: number; head: string }
  files: Seal[]
}

/** The protected header of a statement. */
export interface StatementHeader {
  alg: string
  kid?: string
  x5c?: string[]
}

/** The facts of a run in its statement, taken from its report. */
export function factsOf(report: Report) {
  return {
    target: report.target.name,
    startedAt: report.startedAt,
    finishedAt: report.finishedAt,
    verdict: report.verdict,
    exitCode: report.exitCode,
    suite: report.assay.version,
    specsDigest: report.assay.specsDigest,
    configurationDigest: report.target.configurationDigest,
    ...(report.recording && { recording: true as const }),
  }
}

/**
 * Reads a statement and its header without verifying the signature.
 *
 * @throws Error that says what is wrong
 */
export function readStatement(jws: string): { header: StatementHeader; statement: Statement } {
  const header = decodeProtectedHeader(jws)
  const strange = ['crit', 'b64'].find((name) => name in header)
  // Both change what is signed: a reader that does not know them would read something else.
  if (strange) throw new Error(`its header has ${strange}, which no statement has`)
  const wrong = problemOf(header, 'statement#header')
  if (wrong) throw new Error(`its header is not that of a statement: ${wrong}`)
  const statement = parsedJson(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const problem = problemOf(statement, 'statement')
  if (problem) throw new Error(`it is not a statement of Assay: ${problem}`)
  return { header: header as unknown as StatementHeader, statement: statement as Statement }
}

/** Digests of the files that a statement seals, whoever signed it; undefined if there is no statement. */
export function sealedIn(content: Buffer | undefined): Map<string, string> | undefined {
  if (!content) return undefined
  try {
    const { files } = readStatement(content.toString('utf8').trim()).statement
    return new Map(files.map(({ file, sha256 }) => [file, sha256]))
  } catch {
    return undefined
  }
}

/**
 * The certificates of an x5c, each issued by the next.
 *
 * @throws Error that says which entry is not a certificate or was not issued by the next
 */
export function certificatesOf(x5c: readonly string[]): X509Certificate[] {
  const all = x5c.map((text, at) => {
    try {
      return new X509Certificate(Buffer.from(text, 'base64'))
    } catch {
      throw new Error(`x5c[${at}] is not a certificate`)
    }
  })
  for (const [at, certificate] of all.entries()) {
    const issuer = all[at + 1]
    if (issuer && !isIssuedBy(certificate, issuer)) {
      throw new Error(`x5c[${at}] was not issued by x5c[${at + 1}]`)
    }
    if (all.findIndex((other) => other.fingerprint256 === certificate.fingerprint256) < at) {
      throw new Error(`x5c[${at}] is there twice`)
    }
  }
  return all
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    // A key type that OpenSSL does not know.
    return false
  }
}
