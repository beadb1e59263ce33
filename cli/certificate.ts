import { existsSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { ASSAY } from '../engine/record/program.ts'
import { writeWhole } from '../engine/record/write-whole.ts'
import { STATEMENT } from '../engine/report/evidence/sealed-files.ts'
import { readSealed, type Verification } from '../engine/report/evidence/verify-run.ts'
import { certificatePage } from '../engine/report/html/certificate.ts'
import { complain, say, shown } from '../engine/report/terminal.ts'
import { loadPolicy, type Policy, weighed } from '../engine/run/policy.ts'
import { typed } from './folders.ts'
import { textOf, UsageError, written } from './usage.ts'

/**
 * `assay certificate RUN`: verifies the run as `assay verify` does, and writes its certificate. Writes no page and sets
 * exit code 1 when the run was changed, is not signed, judged only a part or is not conformant, or a policy refuses it.
 *
 * @param path folder of a run, its statement.jws, or an archive
 */
export async function certificate(
  path: string,
  options: { key?: string; policy?: string; out?: string },
): Promise<void> {
  const out = options.out ?? besideRun(path)
  if (existsSync(out) && statSync(out).isDirectory()) {
    throw new UsageError(`--out ${out} is a folder: name a file in it`)
  }
  const { found, reasons } = await weighed(path, policyOf(options), Date.now())
  const { report, key, statementDigest } = found
  const lacksOnly = (signature: string) =>
    found.signature === signature && found.findings.every(({ file }) => file === STATEMENT)
  // Before anybody signs it, or looks for a key.
  if (lacksOnly('absent') || (lacksOnly('no-key') && reasons.length > 0)) {
    const { verdict } = (await readSealed(path)).report
    if (verdict !== 'conformant') {
      complain(shown`${path}: no certificate, because its verdict is ${verdict}.`)
      process.exitCode = 1
      return
    }
  }
  if (lacksOnly('absent')) {
    complain(shown`${path}: no certificate, because it is not signed. ${HOW_TO_SIGN}`)
    process.exitCode = 1
    return
  }
  if (reasons.length > 0 || !report || !key || !statementDigest) {
    complain(shown`${path}: no certificate, because ${reasons.join('; ')}.${mend(found)}`)
    process.exitCode = 1
    return
  }
  const page = certificatePage({ ...found, report, key, statementDigest })
  await written('--out', out, () => writeWhole(out, page))
  say(shown`${typed(resolve(out))}: ${report.target.name}, ${report.verdict}`)
  say(shown`statement: SHA-256 ${statementDigest}`)
  if (key.from === 'statement') say(shown`${NOT_GIVEN}`)
}

const HOW_TO_SIGN = `Sign its folder with \`${ASSAY} sign FOLDER --key PRIVATE-KEY\`, or judge with \`${ASSAY} run --sign PRIVATE-KEY\`.`

const NOT_GIVEN =
  'The certificate in the statement was trusted, and the page says so: give the signer’s public key with --key.'

/** A sentence that says what the user can do on the command line. */
function mend({ signature }: Verification): string {
  return signature === 'no-key' ? ' Give it with --key.' : ''
}

function policyOf({ key, policy }: { key?: string; policy?: string }): Policy {
  if (policy === undefined) {
    return key === undefined ? {} : { signedBy: new Map([[key, textOf('--key', key)]]) }
  }
  if (key !== undefined) throw new UsageError('the policy names keys itself: leave out --key')
  return loadPolicy(policy)
}

/** Beside the folder or archive, not in it: the statement does not cover files that are added to the folder. */
function besideRun(path: string): string {
  const full = resolve(path)
  const run = basename(full) === STATEMENT ? dirname(full) : full.replace(/\.zip$/, '')
  return `${run}-certificate.html`
}
