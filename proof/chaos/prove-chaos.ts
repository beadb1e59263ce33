import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stringify } from 'yaml'
import { startBank } from '../../bank/bank.ts'
import { createDirectory, type Directory } from '../../bank/directory/directory.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { root } from '../../engine/record/root.ts'
import { severalAtATime } from '../run/several.ts'
import { assay, reportIn } from '../situations/judge-situation.ts'
import { wordsOf } from './troubles.ts'

/** A run in which a system call failed, and what of its end is not as it should be. */
export interface ChaosProof {
  seed: number
  words: string
  exit: number | null
  complaints: string[]
  /** What the run said; of one with complaints. */
  said?: string
}

/**
 * Judges a correct bank once for each seed, while the system of the judging command fails as the seed says.
 *
 * @param tell called with each as soon as it is known.
 */
export async function proveChaos(
  seeds: readonly number[],
  processes: number,
  tell: (proof: ChaosProof) => void,
): Promise<ChaosProof[]> {
  const directory = await createDirectory()
  try {
    return await severalAtATime(seeds, processes, async (seed) => {
      const proof = await prove(seed, directory)
      tell(proof)
      return proof
    })
  } finally {
    await directory.close()
  }
}

/** Chapters that make consents, send customers to the bank, and read data. */
const ONLY = ['account-information/consents', 'account-information/balances', 'SEC-05', 'CLC-01']

const PRELOAD = pathToFileURL(join(root, 'dist', 'proof', 'chaos', 'preload.js')).href

async function prove(seed: number, directory: Directory): Promise<ChaosProof> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-chaos-'))
  const bank = await startBank({ directory })
  try {
    const file = join(folder, 'target.yaml')
    const out = join(folder, 'out')
    const document = { ...(bank.target as TargetDocument), name: 'staging', timeout: 3 }
    writeFileSync(file, stringify(document, { lineWidth: 0 }), { mode: 0o600 })
    const { exit, said } = await assay(
      ['run', '--target', file, '--out', out, '--only', ...ONLY],
      folder,
      {
        env: {
          NODE_OPTIONS: `--import ${PRELOAD}`,
          ASSAY_CHAOS: JSON.stringify({ seed, folder }),
        },
      },
    )
    const consents = bank.services.consents.all().filter(({ deleted }) => deleted === undefined)
    const complaints = complaintsOf({ exit, said, out, left: consents.map(({ id }) => id) })
    const proof = { seed, words: wordsOf(seed), exit, complaints }
    return complaints.length === 0 ? proof : { ...proof, said }
  } finally {
    await bank.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Requests that create a consent whose answer nobody read; two may not have been written down. */
function unread(out: string): number {
  const file = join(out, 'exchanges.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const lost = (line: string) => /"endpoint":"create-/.test(line) && !line.includes('"response":{')
  return lines.filter(lost).length + 2
}

/** What a user must not meet in any trouble. */
const STACK = /^\s+at .*\d+:\d+\)?$/m

function complaintsOf(ended: {
  exit: number | null
  said: string
  out: string
  /** Consents that are still at the bank. */
  left: readonly string[]
}): string[] {
  const { exit, said, out, left } = ended
  const report = reportIn(out)
  const named = new Set(report?.leftBehind.map(({ id }) => id))
  const unnamed = report ? left.filter((id) => !named.has(id)) : []
  const broken = report?.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
  return [
    ...(exit === null || ![0, 2, 3, 4, 5].includes(exit) ? [`exit code ${exit}`] : []),
    ...(STACK.test(said) ? ['a stack trace'] : []),
    ...(said.trim() === '' ? ['nothing was said'] : []),
    // What could not be written or read at the end is told, and has an exit code of its own.
    ...(report && report.exitCode !== exit && exit !== 2 && exit !== 5
      ? [`the report says exit code ${report.exitCode}`]
      : []),
    ...(!report && exit !== 2 && exit !== 5 ? ['there is no report'] : []),
    ...(broken ?? []).map(({ id, message }) => `blames the correct bank: ${id}: ${message}`),
    // What was created, and its answer never read, nobody can name.
    ...(unnamed.length > unread(out) ? [`${unnamed.length} consents are left and not named`] : []),
  ]
}
