import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue } from '../engine/catalogue/catalogue.ts'
import { readKey } from '../engine/report/evidence/sign-run.ts'
import { readReport } from '../engine/report/read-run.ts'
import { type Deviation, loadDeviations } from '../engine/run/deviations.ts'
import { textOf, UsageError } from './usage.ts'

/** What judging a bank and judging a client are both called with. */
export interface JudgingOptions {
  out?: string
  only?: string[]
  failed?: string
  list?: boolean
  deviations?: string
  baseline?: string
  failOn?: string
  history?: string
  sign?: string
  force?: boolean
  open?: boolean
}

/**
 * Reads what options name before anything is sent: what is needed at the end must not be missed at
 * the end.
 *
 * @returns the selection, of --only and --failed, and the known deviations.
 * @throws UsageError for what cannot be meant.
 */
export async function prepared(
  options: JudgingOptions,
  catalogue: Catalogue,
): Promise<{ only: string[]; deviations?: Deviation[] }> {
  const { only = [], failed, deviations, baseline, failOn, sign, out, force } = options
  if (failOn !== undefined && (failOn !== 'new' || !baseline)) {
    throw new UsageError('--fail-on takes new, and needs --baseline')
  }
  const known = deviations === undefined ? undefined : deviationsOf(deviations, catalogue)
  if (baseline) await readReport(baseline)
  if (sign) readKey(textOf('--sign', sign), process.env.ASSAY_SIGNING_PASSPHRASE)
  if (out && !force && existsSync(join(out, 'statement.jws'))) {
    throw new UsageError(`${out} holds a signed run. Name another folder, or give --force.`)
  }
  return { only: [...only, ...(await failedOf(failed))], deviations: known }
}

function deviationsOf(file: string, catalogue: Catalogue): Deviation[] {
  try {
    return loadDeviations(file, catalogue)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Ids of what an earlier run did not find in order. */
async function failedOf(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return []
  const { checks } = await readReport(folder)
  const ids = checks
    .filter(({ outcome }) => ['fail', 'warn', 'blocked', 'not-run', 'error'].includes(outcome))
    .map(({ id }) => id)
  if (ids.length === 0) throw new UsageError(`${folder}: nothing failed in this run`)
  return ids
}

/** What an earlier run left in the folder and this one may not make again: it would speak of that run. */
export function forgetEarlier(folder: string): void {
  for (const file of ['statement.jws', 'diff.md', 'diff.json']) {
    rmSync(join(folder, file), { force: true })
  }
}
