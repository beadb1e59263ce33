import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { RESULTS } from './evidence/sealed-files.ts'
import type { Outcome, Report } from './report.ts'

/**
 * The run as an in-toto Statement with the predicate test-result v0.1, for tools that collect supply chain
 * attestations: the files by their digests, the configuration, and the ids that passed, warned and failed. A run that
 * could not judge every must has not passed.
 *
 * @param dir folder with report.json and exchanges.jsonl
 */
export async function testResult(dir: string, report: Report): Promise<string> {
  const ids = (...outcomes: Outcome[]) =>
    report.checks.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)
  const warned = ids('warn')
  const result = report.exitCode !== 0 ? 'FAILED' : warned.length > 0 ? 'WARNED' : 'PASSED'
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: await Promise.all(
      RESULTS.filter((name) => existsSync(join(dir, name))).map(async (name) => {
        return { name, digest: { sha256: await digestOf(join(dir, name)) } }
      }),
    ),
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result,
      configuration: [
        { name: report.target.name, digest: { sha256: report.target.configurationDigest } },
        { name: `assay ${report.assay.version}`, digest: { sha256: report.assay.specsDigest } },
      ],
      passedTests: ids('pass'),
      warnedTests: warned,
      failedTests: ids('fail', 'error'),
    },
  }
  return `${JSON.stringify(statement, null, 2)}\n`
}

/** SHA-256 of a file, hex; streamed, because exchanges may be large. */
async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
