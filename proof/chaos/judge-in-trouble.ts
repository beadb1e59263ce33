import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stringify } from 'yaml'
import { startBank } from '../../bank/bank.ts'
import type { Directory } from '../../bank/directory/directory.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { root } from '../../engine/record/root.ts'
import type { Report } from '../../engine/report/report.ts'
import { assay } from '../run/assay.ts'
import { reportIn } from '../situations/judge-situation.ts'
import { CLOCK_SET, type Trouble } from './troubles.ts'

/** The conditions of a run. */
export interface Met {
  /** Ids and chapters; absent: the whole suite. */
  only?: readonly string[]
  /** The failure of its system. */
  trouble?: Trouble
  /** Heap limit of its processes in megabytes. */
  heap?: number
  /** Does its process group run for only a tenth of the time? */
  isSlowed?: boolean
  /** Milliseconds before each answer of the bank. */
  delay?: number
}

/** How a run ended. */
export interface Ended {
  exit: number | null
  said: string
  report: Report | undefined
  /** Consents that still exist at the bank. */
  left: readonly string[]
  /** Requests that create a consent whose answer was not read; up to two may be missing from the record. */
  unread: number
  /** Was the clock of the machine set? */
  clockSet: boolean
}

const PRELOAD = pathToFileURL(join(root, 'dist', 'proof', 'chaos', 'preload.js')).href

/** Timeout in milliseconds of a whole run at a tenth of the speed. */
const PATIENCE = 1_200_000

/** Timeout in seconds for an answer when calls fail, because some wait until then. */
const TIMEOUT = 3

/** Judges a correct bank in separate processes. */
export async function judgeInTrouble(directory: Directory, met: Met): Promise<Ended> {
  const { only, trouble, heap, isSlowed, delay = 0 } = met
  const folder = mkdtempSync(join(tmpdir(), 'assay-chaos-'))
  const bank = await startBank({ directory, settings: { responseDelayMs: delay } })
  try {
    const file = join(folder, 'target.yaml')
    const out = join(folder, 'out')
    const document = { ...(bank.target as TargetDocument), name: 'staging' }
    if (only) document.timeout = TIMEOUT
    writeFileSync(file, stringify(document, { lineWidth: 0 }), { mode: 0o600 })
    const options = [
      ...(trouble ? [`--import ${PRELOAD}`] : []),
      ...(heap === undefined ? [] : [`--max-old-space-size=${heap}`]),
    ]
    const words = ['run', '--target', file, '--out', out, ...(only ? ['--only', ...only] : [])]
    const ended = await assay(words, folder, {
      env: {
        ...(options.length > 0 && { NODE_OPTIONS: options.join(' ') }),
        ...(trouble && { ASSAY_CHAOS: JSON.stringify({ trouble, folder }) }),
      },
      ...(!only && { patience: PATIENCE }),
      ...(isSlowed && { isSlowed }),
    })
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
