import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stringify } from 'yaml'
import { startBank } from '../../bank/bank.ts'
import { createDirectory, type Directory } from '../../bank/directory/directory.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { root } from '../../engine/record/root.ts'
import type { Report } from '../../engine/report/report.ts'
import { severalAtATime } from '../run/several.ts'
import { assay, reportIn } from '../situations/judge-situation.ts'
import { CLOCK_SET, troubleOf, wordsOf } from './troubles.ts'

/** A run in which something of the system went wrong, and what of its end is not as it should be. */
export interface ChaosProof {
  seed: number
  words: string
  exit: number | null
  complaints: string[]
  /** What the run said; of one with complaints. */
  said?: string
}

/**
 * Judges a correct bank once for each seed, while the system of the judging command fails, or its clock is set, as the
 * seed says.
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
    const ofClock = seeds.some((seed) => troubleOf(seed).kind === 'clock')
    const undisturbed = ofClock ? await judge(directory) : undefined
    return await severalAtATime(seeds, processes, async (seed) => {
      const ended = await judge(directory, seed)
      const { exit, said } = ended
      const ofKind = undisturbed && troubleOf(seed).kind === 'clock'
      const complaints = [
        ...complaintsOf(ended),
        ...(ofKind ? complaintsOfClock(ended, undisturbed) : []),
      ]
      const proof = { seed, words: wordsOf(seed), exit, complaints }
      const told = complaints.length === 0 ? proof : { ...proof, said }
      tell(told)
      return told
    })
  } finally {
    await directory.close()
  }
}

/** Chapters that make consents, send customers to the bank, and read data. */
const ONLY = ['account-information/consents', 'account-information/balances', 'SEC-05', 'CLC-01']

const PRELOAD = pathToFileURL(join(root, 'dist', 'proof', 'chaos', 'preload.js')).href

/** How a run ended. */
interface Ended {
  exit: number | null
  said: string
  report: Report | undefined
  /** Consents that are still at the bank. */
  left: readonly string[]
  /** Requests that create a consent whose answer nobody read; two may not have been written down. */
  unread: number
  /** Was the clock of the machine set? */
  clockSet: boolean
}

/** Judges a correct bank in processes of their own, with the trouble of a seed or with none. */
async function judge(directory: Directory, seed?: number): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-chaos-'))
  const bank = await startBank({ directory })
  try {
    const file = join(folder, 'target.yaml')
    const out = join(folder, 'out')
    const document = { ...(bank.target as TargetDocument), name: 'staging', timeout: 3 }
    writeFileSync(file, stringify(document, { lineWidth: 0 }), { mode: 0o600 })
    const env = {
      NODE_OPTIONS: `--import ${PRELOAD}`,
      ASSAY_CHAOS: JSON.stringify({ seed, folder }),
    }
    const words = ['run', '--target', file, '--out', out, '--only', ...ONLY]
    const ended = await assay(words, folder, seed === undefined ? {} : { env })
    const consents = bank.services.consents.all().filter(({ deleted }) => deleted === undefined)
    return {
      ...ended,
      report: reportIn(out),
      left: consents.map(({ id }) => id),
      unread: unread(out),
      clockSet: existsSync(join(folder, CLOCK_SET)),
    }
  } finally {
    await bank.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function unread(out: string): number {
  const file = join(out, 'exchanges.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const lost = (line: string) => /"endpoint":"create-/.test(line) && !line.includes('"response":{')
  return lines.filter(lost).length + 2
}

/** What a user must not meet in any trouble. */
const STACK = /^\s+at .*\d+:\d+\)?$/m

function complaintsOf({ exit, said, report, left, unread }: Ended): string[] {
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
    ...(unnamed.length > unread ? [`${unnamed.length} consents are left and not named`] : []),
  ]
}

/** A clock that is set is told of, and changes nothing else. */
function complaintsOfClock({ exit, said, report, clockSet }: Ended, undisturbed: Ended): string[] {
  if (!clockSet) return ['the run ended before the clock was set']
  const found = outcomesIn(report)
  const otherwise = [...outcomesIn(undisturbed.report)].filter(
    ([id, outcome]) => found.get(id) !== outcome,
  )
  return [
    ...(exit === undisturbed.exit ? [] : [`exit code ${exit} instead of ${undisturbed.exit}`]),
    ...otherwise.map(([id, outcome]) => `${id}: ${found.get(id)} instead of ${outcome}`),
    ...(said.split(TOLD).length === 2 ? [] : ['the clock that was set is not told of once']),
  ]
}

const TOLD = 'The clock of this machine was set'

const outcomesIn = (report: Report | undefined) =>
  new Map(report?.checks.map(({ id, outcome }) => [id, outcome]))
